// How fast a window is being used up, and when its limit will be reached at that rate. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "support/time.h"

namespace ratectl::domain {

/// What one look at an open window said.
struct UseSample {
    support::WallTime at{};  // of the look, on the application's clock as reset_at is
    std::int64_t used = 0;
    support::Instant reset_at{};
};

/// At the rate of now.
struct Exhaustion {
    support::Milliseconds in{};            // from the last sample on; 0: the limit is reached already
    support::Milliseconds before_reset{};  // how long before the reset that will be

    bool operator==(const Exhaustion&) const = default;
};

/// Over which time a rate is measured.
inline constexpr support::Milliseconds kBurnRateSpan{10'000};

/// The samples of one window, as they come. What is no longer the same use starts over with the sample that shows it:
/// another reset time, a counter that fell, a clock that went back. So a rate is never below 0.
class BurnRate {
public:
    explicit BurnRate(support::Milliseconds span = kBurnRateSpan) : span_(span) {}

    void add(const UseSample& sample);
    /// There is no window any more.
    void start_over() { samples_.clear(); }
    /// Requests a second over the span, or over the time since the sample before where that is longer; null: fewer than
    /// two samples.
    std::optional<double> per_second() const;
    /// As of the last sample. Null: the limit is unknown, there is no rate, or the reset comes first. A limit that is
    /// reached already needs no rate.
    std::optional<Exhaustion> exhaustion(std::optional<std::int64_t> limit) const;

private:
    bool goes_on(const UseSample& sample) const;
    void drop_old();

    support::Milliseconds span_;
    std::vector<UseSample> samples_;  // oldest first; a few, however many looks there are
};

}  // namespace ratectl::domain
