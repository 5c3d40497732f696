// A store behind a throttle, to try a governor on: what it admits costs something, the load follows with a lag, and is
// told late; and how it came back from each step of that cost. Pure and deterministic. Source of the delay: Prometheus
// data that are 15 s old when they are read.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "domain/governor/decide.h"

namespace ratectl::domain::governor {

/// From a second on each request costs so many times what it cost at first.
struct CostStep {
    double at = 0;
    double factor = 1;
};

struct PlantShape {
    double offered = 150;        // requests a second that callers make, on average over a day
    double swing = 0;            // by this share more at the peak and less in the trough, over a day
    double peak_at = 0;          // the second of a peak
    double capacity = 50;        // so many requests a second are a load of 1
    double background = 0;       // load of other work
    double lag = 20;             // seconds: time constant of the load
    double delay = 15;           // seconds: a sample is so old when it is read
    double noise = 0;            // what callers make varies by this share, from second to second
    std::uint64_t seed = 1;      // of the noise
    std::vector<CostStep> cost;  // in the order of their times
};

class Plant {
public:
    explicit Plant(const PlantShape& shape);

    /// One second goes by in which the throttle lets `rps` through; below 0: all.
    void step(double rps);
    double second() const { return second_; }
    double load() const { return load_; }
    double offered() const { return offered_; }
    double admitted() const { return admitted_; }
    /// The load as it was `delay` ago.
    double measured() const { return past_.front(); }
    /// Callers and the throttle stay as they are: the load is where it ends then.
    void settle(double rps);

private:
    double offered_now();
    double goal(double rps);
    double random();

    PlantShape shape_;
    double second_ = 0;
    double load_ = 0;
    double offered_ = 0;
    double admitted_ = 0;
    std::deque<double> past_;  // a load a second, the oldest first
    std::uint64_t seed_;
};

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
