// The project's clock types: seconds and moments of the application's clock, and milliseconds of a wall clock.
#pragma once

#include <chrono>
#include <optional>

namespace ratectl::support {

/// A second on the application's clock: window resets.
using Instant = std::chrono::sys_seconds;
/// A wall-clock reading, for "read at" and server TIME.
using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;
/// The absolute end of an exchange or a command, on the steady clock.
using Deadline = std::chrono::steady_clock::time_point;

using Seconds = std::chrono::seconds;
using Milliseconds = std::chrono::milliseconds;

constexpr Instant to_instant(WallTime t) { return std::chrono::floor<std::chrono::seconds>(t); }
inline std::int64_t epoch_seconds(Instant t) { return t.time_since_epoch().count(); }
constexpr Instant from_epoch(std::int64_t s) { return Instant{Seconds{s}}; }

/// A moment on the application's clock: `now`. Windows end with whole seconds, and beside one of those it stands for
/// its own; limiters that free requests by parts of a second read its milliseconds.
class Moment {
public:
    constexpr Moment() = default;
    constexpr Moment(Instant second) : exact_(second) {}
    constexpr Moment(WallTime exact) : exact_(exact) {}

    constexpr WallTime exact() const { return exact_; }
    constexpr operator Instant() const { return to_instant(exact_); }

    friend constexpr bool operator==(Moment, Moment) = default;
    friend constexpr auto operator<=>(Moment now, Instant end) { return to_instant(now.exact_) <=> end; }
    friend constexpr Instant operator+(Moment now, Seconds later) { return to_instant(now.exact_) + later; }
    friend constexpr Seconds operator-(Instant end, Moment now) { return end - to_instant(now.exact_); }
    friend constexpr Seconds operator-(Moment now, Instant begin) { return to_instant(now.exact_) - begin; }

private:
    WallTime exact_{};
};

/// As `now`: whenever it is that a window counts. For those who ask what it holds, not whether it is open.
inline constexpr Moment kWhenever = WallTime::min();

/// The application's clock of a command that goes on: the wall clock, or one that --now has set when the command began.
class RunningClock {
public:
    /// `starts_at`: --now; null: not set.
    RunningClock(std::optional<Instant> starts_at, WallTime began)
        : ahead_(starts_at ? *starts_at - began : Milliseconds{0}) {}

    WallTime at(WallTime wall) const { return wall + ahead_; }

private:
    Milliseconds ahead_;
};

}  // namespace ratectl::support
