// How a change went, in numbers that add up, and what they mean for the command's outcome.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "commands/outcome.h"
#include "commands/report/fields/write_fields.h"

namespace ratectl::commands {

/// What undos have taken back since of what an earlier attempt has done, and whose the last one was: `alice on h1`.
struct TakenBack {
    std::string by;
    std::uint64_t rows = 0;
};

class WriteTally {
public:
    /// Every row is told to the outcome, which outlives it. `wait_replicas`: how many every write should have been
    /// acknowledged by, an earlier attempt's too; 0: they were not waited for.
    explicit WriteTally(Outcome& outcome, int wait_replicas = 0) : outcome_(outcome), wait_replicas_(wait_replicas) {}

    void add(const WriteRow& row);
    /// Keys that were planned and never reached.
    void add_not_attempted(std::uint64_t count);

    std::uint64_t rows() const;
    /// Something was, or may have been, written.
    bool wrote() const { return applied() + unknown() > 0; }
    /// What came of every row is known.
    bool are_all_decided() const { return unknown() + not_attempted() == 0; }
    std::uint64_t applied() const { return count(RowStatus::applied); }
    /// Done by an earlier attempt under the same operation id.
    std::uint64_t before() const { return count(RowStatus::already_applied); }
    std::uint64_t unknown() const { return count(RowStatus::unknown); }
    std::uint64_t planned() const { return count(RowStatus::planned); }
    std::uint64_t not_attempted() const { return count(RowStatus::not_attempted); }
    /// Writes that as many replicas had as were asked for.
    std::uint64_t acknowledged() const { return applied() + before() - unacknowledged_ - untold_; }
    /// And those that fewer had.
    std::uint64_t unacknowledged() const { return unacknowledged_; }
    /// Writes of which it is not known how many replicas have them, although they were waited for.
    std::uint64_t untold() const { return untold_; }

    /// At the end, and once: where there was nothing at all to change, that is worth a look.
    void conclude();
    /// `41 applied, 1 refused`.
    std::string words() const;
    std::vector<std::pair<std::string, std::int64_t>> counts() const;

private:
    void fail(const WriteRow& row, ExitCode otherwise);
    std::uint64_t count(RowStatus status) const { return counts_[static_cast<std::size_t>(status)]; }

    Outcome& outcome_;
    std::array<std::uint64_t, static_cast<std::size_t>(RowStatus::not_attempted) + 1> counts_{};
    int wait_replicas_;
    std::uint64_t unacknowledged_ = 0;
    std::uint64_t untold_ = 0;
};

}  // namespace ratectl::commands
