// How a command ends: what was answered, what failed, what is missing. The exit code follows from that here and nowhere
// else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/context.h"
#include "domain/node.h"
#include "output/row_sink.h"

namespace ratectl::commands {

/// 130 or 143; done as long as no signal has come in time.
ExitCode stopped(const support::StopSignal& stop);

/// How many failures, and how many keys that were left out, are listed; the others are counted, or have their rows.
inline constexpr std::size_t kListed = 1000;

/// As rows' ends have it, for the formats that carry failures.
output::FailureRow failure_row(const domain::Node& node, const support::Error& error);
/// The same of what is no single node's.
output::FailureRow failure_row(const support::Error& error);

/// One a command, filled on the way in any order; only of failures of one rank the first decides.
class Outcome {
public:
    /// Both outlive it.
    Outcome(output::Diagnostics& messages, const support::StopSignal& stop) : messages_(messages), stop_(stop) {}
    explicit Outcome(Context& context) : Outcome(context.messages(), context.stop()) {}

    /// Something was answered or done: what fails beside it leaves the command partial, not failed.
    void answer() { answered_ = true; }
    /// There is something to look at.
    void attend() { add(ExitCode::attention); }
    /// A node failed: said on standard error, and listed.
    void fail(const domain::Node& node, const support::Error& error);
    /// The same, and nothing for a node that is listed already.
    void fail_once(const domain::Node& node, const support::Error& error);
    /// Listed, once; it is said elsewhere.
    void fail(output::FailureRow row);
    /// The same of an error that is on its way to end the command, and alone says how.
    void list(output::FailureRow row);
    /// The same of what ends a look in its midst, with what that means for its rows: a line that is no key, or a key
    /// whose limit is unknown. Returned to be thrown. `answered`: there are rows before it.
    support::Failure broken_off(const support::Failure& failure, bool answered);
    /// What was asked cannot be told: said and listed, and the command ends no better, whatever was answered.
    void cannot_tell(const support::Error& error);
    /// What is not listed.
    void fail(ExitCode code);
    /// Not all was done or seen, and no failure says so: partial, unless a signal asked for it.
    void leave_undone() { undone_ = true; }
    /// Named keys that filters have left out, `count` of them: partial, and the first are listed.
    void leave_out(std::vector<output::LeftOutRow> keys, std::uint64_t count);
    /// Named keys that a stopped command has not looked at; its document counts them.
    void leave_untried(std::uint64_t keys) { untried_ = keys; }
    /// How a part ended: the command ends no better, whatever was answered.
    void add(ExitCode code);
    /// A part with an outcome of its own, whose failures are listed here too.
    void add(const Outcome& part);

    const std::vector<output::FailureRow>& failures() const { return failures_; }
    bool has_failures() const { return !failures_.empty(); }
    /// `complete`: nothing is missing but what this outcome knows of. The document says complete only where the exit
    /// code does.
    output::Footer footer(bool complete = true) const;
    /// 8 before 9 before 10 before 130; else the one kind of failure there was; else 1, where there is something to
    /// look at.
    ExitCode code() const;
    /// Says the closing line, whose parts are those of Diagnostics::summary(), and how the command ends.
    ExitCode close(std::string_view line, const std::vector<std::pair<std::string, std::int64_t>>& counts,
                   const std::vector<std::pair<std::string, std::string>>& facts = {}) const;
    /// The command ends by this error, with the outcome's code if that is graver.
    [[noreturn]] void end_by(support::Error error) const;

private:
    output::Diagnostics& messages_;
    const support::StopSignal& stop_;
    std::vector<output::FailureRow> failures_;
    std::vector<output::LeftOutRow> left_out_;
    std::uint64_t left_out_count_ = 0;
    std::optional<std::uint64_t> untried_;
    ExitCode failed_ = ExitCode::done;  // the gravest failure, as if it were alone
    ExitCode least_ = ExitCode::done;   // what add() has brought
    bool answered_ = false;
    bool undone_ = false;
};

/// How the problems of many keys are told: what a server says of all of them once, and no flood of the others. One a
/// command. Every key has its row all the same.
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
