// The application's clock of a command that goes on: the wall clock, or one that --now has set when the command began.
// Pure.
#pragma once

#include <optional>

#include "support/time.h"

namespace ratectl::domain {

class RunningClock {
public:
    /// `starts_at`: --now; null: not set.
    RunningClock(std::optional<support::Instant> starts_at, support::WallTime began)
        : ahead_(starts_at ? *starts_at - began : support::Milliseconds{0}) {}

    support::WallTime at(support::WallTime wall) const { return wall + ahead_; }
    support::Instant second_at(support::WallTime wall) const { return support::to_instant(at(wall)); }

private:
    support::Milliseconds ahead_;
};

}  // namespace ratectl::domain
