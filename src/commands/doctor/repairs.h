// What --fix does: the faulty windows that can be set right without guessing, kept until consent is asked for, then
// written and told.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "commands/doctor/classes.h"
#include "commands/doctor/report.h"
#include "commands/doctor/servers.h"
#include "commands/outcome.h"
#include "commands/write/change.h"
#include "commands/write/consent.h"
#include "commands/write/write_order.h"
#include "commands/write/write_tally.h"

namespace ratectl::commands::doctor {

/// At most so many windows are repaired by one command: they are kept in memory.
inline constexpr std::size_t kMostRepairs = 100'000;

class Repairs {
public:
    /// Throws Failure (guard, usage) where nothing may be written at all. All that is given outlives it.
    Repairs(const Classes& to_fix, const ConsentFlags& consent, const OrderFlags& order, const Servers& servers,
            FindingReport& report, Context& context);

    /// False: it is not to be repaired, or there is no more room.
    bool take(FindingRow& row, std::size_t shard);
    /// Asks, writes, and hands the rows to the report. Expiries are one operation, removals another. Throws Failure
    /// where nothing was written.
    ExitCode carry_out();
    /// Hands over what was not attempted: a finding that is not repaired is one all the same.
    void leave();

    std::uint64_t planned() const { return jobs_.size(); }
    /// Findings that were found beyond the most that one command repairs.
    std::uint64_t turned_away() const { return turned_away_; }
    /// Those that are not findings any more.
    std::uint64_t repaired() const { return tally_.applied(); }
    std::string words() const;
    bool dry() const { return dry_; }

private:
    struct Job {
        FindingRow row;
        std::size_t shard = 0;
        bool removes = false;
    };

    void ask();
    void write(bool removals);
    void hand_over(Job& job, WriteRow result);

    const Classes& to_fix_;
    ConsentFlags consent_flags_;
    OrderFlags order_flags_;
    const Servers& servers_;
    FindingReport& report_;
    Context& context_;
    bool dry_;
    Consent consent_;
    Surroundings surroundings_;
    std::vector<Job> jobs_;
    std::uint64_t turned_away_ = 0;
    Outcome outcome_;  // of the repairs alone
    WriteTally tally_;
    ProblemTeller problems_;
    std::vector<std::string> operations_;
};

}  // namespace ratectl::commands::doctor
