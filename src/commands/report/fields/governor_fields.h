// The columns of governor: one decision about a throttle's rate, made, planned or simulated.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "domain/governor/decide.h"
#include "domain/governor/lease.h"
#include "output/field.h"
#include "support/time.h"

namespace ratectl::commands {

struct GovernorRow {
    // Of a decision about a throttle.
    std::string_view throttle;            // empty: of none
    std::optional<support::WallTime> at;  // when it was made; null: of the model, which has no clock
    std::string_view deployment;
    std::string_view shard;
    output::Word status;           // of the write; no text: none is meant
    std::string_view reason;       // why there was no load to go by, or it was not written
    std::string_view op;           // under which operation it was written
    std::optional<double> before;  // what stood: 0 stopped, below 0 unlimited
    // Of every decision.
    std::optional<domain::governor::Sample> sample;  // what it went by
    std::optional<double> load;                      // in its own units; null: none, or of several inputs
    std::optional<support::WallTime> measured_at;    // of a throttle: what was measured last, also where it is too old
    domain::governor::Decision decision;
    // Of a simulation.
    std::optional<double> second;
    std::optional<double> store_load;  // of the model: as it is, and not as it was measured
    std::optional<double> offered;
    std::optional<double> admitted;
};

std::span<const output::Field<GovernorRow>> governor_fields();

inline constexpr std::string_view kGovernorSchema = "ratectl.governor.v1";
inline constexpr std::string_view kSimulatedColumns = "second,load,rps,why,bound,p,i,d,store_load,offered,admitted";
inline constexpr std::string_view kReplayedColumns = "at,load,rps,why,bound,p,i,d";
inline constexpr std::string_view kGovernedColumns = "at,throttle,load,before,rps,why,bound,status";

/// Who governs a throttle, as it is remembered on its server.
struct GovernedRow {
    std::string_view throttle;
    domain::governor::LeaseAnswer lease;
    std::optional<domain::governor::Decision> last;
};
std::span<const output::Field<GovernedRow>> governed_fields();
inline constexpr std::string_view kGovernedSchema = "ratectl.governed.v1";

}  // namespace ratectl::commands
