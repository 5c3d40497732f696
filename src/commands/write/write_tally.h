// How a change went, in numbers that add up, and the exit code that follows from them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands/report/fields/write_fields.h"
#include "support/error.h"
#include "support/stop_signal.h"

namespace ratectl::commands {

class WriteTally {
public:
    /// How many replicas every write should have been acknowledged by; 0: they were not waited for.
    explicit WriteTally(int wait_replicas = 0) : wait_replicas_(wait_replicas) {}

    void add(const WriteRow& row);
    /// Keys that were planned and never reached.
    void add_not_attempted(std::uint64_t count);
    /// A problem that belongs to no key: a shard that a sweep could not see, input that broke off.
    void add_problem(support::ExitCode code);

    std::uint64_t rows() const;
    /// Something was, or may have been, written.
    bool wrote() const { return count(RowStatus::applied) + count(RowStatus::unknown) > 0; }
    std::uint64_t applied() const { return count(RowStatus::applied); }
    /// Done by an earlier attempt under the same operation id.
    std::uint64_t before() const { return count(RowStatus::already_applied); }
    std::uint64_t planned() const { return count(RowStatus::planned); }
    /// The fewest replicas that any write had; null where they were not waited for.
    std::optional<int> acknowledged() const { return acknowledged_; }
    /// Writes that fewer replicas had than were asked for.
    std::uint64_t unacknowledged() const { return unacknowledged_; }

    /// 8 before 9 before 130; else the one kind of problem there was; 1 when there was nothing at all to change.
    support::ExitCode conclude(const support::StopSignal& stop) const;
    /// `41 applied, 1 refused`.
    std::string words() const;
    std::vector<std::pair<std::string, std::int64_t>> counts() const;

private:
    std::uint64_t count(RowStatus status) const { return counts_[static_cast<std::size_t>(status)]; }

    std::array<std::uint64_t, static_cast<std::size_t>(RowStatus::not_attempted) + 1> counts_{};
    int wait_replicas_;
    std::optional<int> acknowledged_;
    std::uint64_t unacknowledged_ = 0;
    std::uint64_t problems_ = 0;
    support::ExitCode gravest_ = support::ExitCode::done;
};

}  // namespace ratectl::commands
