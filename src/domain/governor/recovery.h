// How a governed store came back from each step of its cost: figures of a simulation. Pure.
#pragma once

#include <optional>
#include <vector>

#include "domain/governor/decide.h"

namespace ratectl::domain::governor {

/// Back is within a tenth of the set point.
inline constexpr double kBack = 0.1;

/// Seconds are those since the simulation began; loads are multiples of the set point.
struct Recovery {
    double at = 0;                     // of the step
    double highest = 0;                // load from then on
    std::optional<double> tripped_at;  // the breaker, for the first time
    std::optional<double> rearmed_at;  // for the last time
    double highest_rearmed = 0;        // load since then
    /// So many seconds after the step the load is back, with the breaker closed, and stays; null: it is not.
    std::optional<double> back_after;
};

class RecoveryWatch {
public:
    /// `steps`: when the cost changes, in order.
    explicit RecoveryWatch(std::vector<double> steps) : steps_(std::move(steps)) {}

    /// The load of the store itself, once a second.
    void see(double second, double load);
    void decided(double second, Why why);
    const std::vector<Recovery>& recoveries() const { return recoveries_; }

private:
    std::vector<double> steps_;
    std::vector<Recovery> recoveries_;
    bool is_open_ = false;  // the breaker: a load that falls then only passes by
};

}  // namespace ratectl::domain::governor
