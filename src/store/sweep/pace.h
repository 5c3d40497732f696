// At most so many commands a second to one server.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace ratectl::store {

/// Evenly spread: the sender of commands pays for them afterwards, by waiting for as long as they are worth before the
/// next ones may go. So no more than what is sent at once, a page at most, is ever ahead of the rate.
class Pace {
public:
    using Clock = std::chrono::steady_clock;

    explicit Pace(std::uint64_t per_second) : each_(std::chrono::seconds(1)) {
        each_ /= static_cast<Clock::rep>(std::clamp<std::uint64_t>(per_second, 1, 1'000'000'000));
    }

    /// When more may be sent.
    Clock::time_point free_at() const { return free_at_; }
    void spend(std::size_t commands, Clock::time_point now) {
        free_at_ = std::max(free_at_, now) + each_ * static_cast<Clock::rep>(commands);
    }

private:
    Clock::duration each_;
    Clock::time_point free_at_{};
};

}  // namespace ratectl::store
