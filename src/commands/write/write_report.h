// What a change tells of itself while it runs and at its end: rows, problems, progress, and a summary whose numbers add
// up.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "commands/looks/meant_instead.h"
#include "commands/outcome.h"
#include "commands/report/fields/write_fields.h"
#include "commands/report/row_writer.h"
#include "commands/write/planned_keys.h"
#include "commands/write/write_order.h"
#include "commands/write/write_tally.h"

namespace ratectl::commands {

class WriteReport {
public:
    /// Orders and context outlive it.
    WriteReport(const Orders& orders, Context& context);

    /// Counts all, says what went wrong, then prints: what was written is told even if standard output is gone. Throws
    /// Failure. `between` is called every few rows.
    void take(const std::vector<WriteRow>& rows, const std::function<void()>& between = {});
    /// Throws Failure.
    void flush();
    /// Shards that a sweep could not see; each once.
    void take_blind(const std::vector<store::NodeFailure>& failures);
    /// `done` of `total` keys, 0: it is not known how many. Only on a terminal, ten times a second.
    void progress(std::uint64_t total);
    /// Input or journal that broke off after something was written is no longer the plain failure that it would have
    /// been at first: it is told, and the command ends as it should. Throws the Failure itself where nothing was
    /// written.
    void break_off(const support::Error& error, std::uint64_t known);
    /// The file of --plan is there, whole.
    void note_plan_written() { plan_written_ = true; }
    /// Ends the output; `known` keys were planned, and those without a row were not attempted. `all_known`: no others
    /// would have come. `taken_back`: as the servers tell.
    ExitCode finish(std::uint64_t known, bool all_known, TakenBack taken_back = {});

    const WriteTally& tally() const { return tally_; }
    /// Of the whole command, which adds to it what is not about rows.
    Outcome& outcome() { return outcome_; }

private:
    void count(const WriteRow& row);
    bool is_only_counted(const WriteRow& row) const;
    void settle(std::uint64_t known);
    bool is_all_done(std::uint64_t known, bool all_known) const;
    void say_stopped(bool all_known);
    void say_summary();
    std::string summary_words() const;
    /// `ratectl undo ID`, of `undo`.
    std::string command(std::string_view what) const;
    void say_taken_back(TakenBack what);
    void end_output();
    [[noreturn]] void end_without_output(support::Error error);

    const Orders& orders_;
    Context& context_;
    RowWriter<WriteRow> writer_;
    Outcome outcome_;
    WriteTally tally_;
    MeantInstead meant_;
    bool undone_ = false;  // all that was carried out before
    ProblemTeller problems_;
    std::size_t blind_ = 0;  // shards that are told
    bool only_counted_ = false;
    bool output_gone_ = false;
    bool complete_ = true;
    bool plan_written_ = false;
    support::WallTime started_at_;
    support::WallTime last_progress_{};
};

/// --show-replicas: the windows that were just written, as every node has them now.
class ReplicaTable {
public:
    explicit ReplicaTable(bool wanted) : wanted_(wanted) {}
    /// Remembers the keys that were written, up to 100.
    void note(std::span<const PlannedKey> chunk, std::span<const WriteRow> rows);
    /// A table below the first; done when nothing was wanted or written.
    ExitCode print(Context& context);

private:
    bool wanted_;
    std::vector<store::KeyAt> keys_;
    bool too_many_ = false;
};

}  // namespace ratectl::commands
