// Named keys that a filter leaves out: counted, and said at the end, a line a filter.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "commands/context.h"

namespace ratectl::commands {

/// What was named is never left out in silence, and the command that did it ends with 9.
class LeftOut {
public:
    /// The context outlives it.
    explicit LeftOut(Context& context) : context_(context) {}

    /// What a filter made of one look at a named key: the flag that leaves it out, empty: none. The looks at one key
    /// come one after the other, and one that is let through is enough. `met`: what the flag met, where the key alone
    /// does not tell it (a state).
    void note(std::string_view key, std::string_view flag, std::string_view met = {});
    /// No policy is for this client.
    void note_client(std::string_view client);
    /// No policy that --policy names has windows of organisations.
    void note_organisation(std::string_view organisation);
    /// Says what was left out since the last time; `with_names`: keys may be named. Done, or partial when anything ever
    /// was.
    ExitCode say(bool with_names = true);

private:
    struct Group {
        std::string flag;
        std::string first;  // the key
        std::string why;
        std::uint64_t keys = 1;
    };
    void settle();
    std::string why(std::string_view key, std::string_view flag, std::string_view met) const;

    Context& context_;
    std::string key_;  // of the looks at hand
    bool let_through_ = true;
    std::string flag_;
    std::string met_;
    std::vector<Group> groups_;
    std::vector<support::Error> others_;
    std::uint64_t clients_ = 0;
    bool any_ = false;
};

}  // namespace ratectl::commands
