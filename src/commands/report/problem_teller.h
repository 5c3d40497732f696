// How the problems of many keys are told: what a server says of all of them once, and no flood of the others.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commands/context.h"

namespace ratectl::commands {

/// One a command. Every key has its row all the same.
class ProblemTeller {
public:
    explicit ProblemTeller(Context& context) : context_(context) {}

    /// The same words are said once, and are the same with what it means for the data behind them. Behind the first
    /// twenty only outcomes that are unknown are said.
    void tell(const support::Error& error, std::string_view shard, std::string_view node);

private:
    Context& context_;
    std::vector<std::string> told_;
    bool said_more_ = false;
};

}  // namespace ratectl::commands
