// The project's clock types: whole seconds of the application's clock, and milliseconds of a wall clock.
#pragma once

#include <chrono>
#include <optional>

namespace ratectl::support {

/// A second on the application's clock: window resets, `now`.
using Instant = std::chrono::sys_seconds;
/// A wall-clock reading, for "read at" and server TIME.
using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;
/// The absolute end of an exchange or a command, on the steady clock.
using Deadline = std::chrono::steady_clock::time_point;

using Seconds = std::chrono::seconds;
using Milliseconds = std::chrono::milliseconds;

inline Instant to_instant(WallTime t) { return std::chrono::floor<std::chrono::seconds>(t); }
inline std::int64_t epoch_seconds(Instant t) { return t.time_since_epoch().count(); }
constexpr Instant from_epoch(std::int64_t s) { return Instant{Seconds{s}}; }

/// The application's clock of a command that goes on: the wall clock, or one that --now has set when the command began.
class RunningClock {
public:
    /// `starts_at`: --now; null: not set.
    RunningClock(std::optional<Instant> starts_at, WallTime began)
        : ahead_(starts_at ? *starts_at - began : Milliseconds{0}) {}

    WallTime at(WallTime wall) const { return wall + ahead_; }
    Instant second_at(WallTime wall) const { return to_instant(at(wall)); }

private:
    Milliseconds ahead_;
};

}  // namespace ratectl::support
