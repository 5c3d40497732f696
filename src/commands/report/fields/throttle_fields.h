// The columns of throttle list and show, and of running.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "commands/report/fields/window_fields.h"
#include "domain/knobs.h"
#include "output/field.h"
#include "support/time.h"

namespace ratectl::commands {

/// A view, as WindowRow is one.
struct ThrottleRow {
    const WindowRow& window;
    std::optional<domain::Knobs> knobs;
};

std::span<const output::Field<ThrottleRow>> throttle_fields();
/// The table's columns where knobs are meant.
inline constexpr std::string_view kKnobColumns = "name,rps,burst,window,knobs_expires_at,shard";
/// And where it was asked of which nodes.
inline constexpr std::string_view kKnobColumnsWithNode = "name,node,role,rps,burst,window,knobs_expires_at,shard";
inline constexpr std::string_view kThrottleColumnsWithNode =
    "name,node,role,state,used,limit,remaining,reset_at,rps,burst,window,knobs_expires_at,shard";

/// One counter: the sum of its last buckets.
struct RunningRow {
    std::string name;
    std::string_view group;                       // empty: of none
    std::optional<double> count;                  // null: a bucket could not be read, or holds no number
    std::optional<double> newest;                 // what the bucket holds that is counted into now; null as above
    std::int64_t buckets = 0;                     // of those that count, so many are there
    support::Milliseconds span{};                 // which they cover
    std::optional<support::WallTime> counted_at;  // as its group says; null: of none
    std::string fault;                            // why there is no count
};

std::span<const output::Field<RunningRow>> running_fields();

}  // namespace ratectl::commands
