// The server's clock beside ours: what TIME said, and when.
#pragma once

#include <chrono>
#include <optional>

#include "redis/reply.h"
#include "support/time.h"

namespace ratectl::redis {

/// One reading of the server's clock, paired with our steady clock at the middle of the round trip.
struct ServerClock {
    support::WallTime server{};
    support::Deadline ours{};

    /// The server's clock at a moment of ours, as far as one reading can tell.
    support::WallTime at(support::Deadline moment) const {
        return server + std::chrono::floor<support::Milliseconds>(moment - ours);
    }
};

/// A reply to TIME, as long as it makes sense.
std::optional<support::WallTime> parse_time(const Reply& reply);
/// As exactly as the server tells it.
std::optional<std::chrono::microseconds> parse_microseconds(const Reply& reply);
/// The same, asked and answered at these moments.
std::optional<ServerClock> read_clock(const Reply& reply, support::Deadline asked, support::Deadline answered);

}  // namespace ratectl::redis
