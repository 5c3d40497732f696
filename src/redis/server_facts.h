// What every connection learns in its first round trip: who is answering, and its clock beside ours.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "domain/node.h"
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

/// Each fact is null where the server would not say (ACL, renamed command).
struct ServerFacts {
    std::optional<domain::ServerVersion> version;
    std::optional<std::string> run_id;
    std::optional<bool> cluster;  // redis_mode:cluster
    bool is_sentinel = false;     // redis_mode:sentinel
    bool proxied = false;         // a proxy, which tells nothing of those behind it
    std::optional<domain::Role> role;
    std::optional<bool> link_up;                 // replica only
    std::optional<std::string> primary_address;  // replica only: whom it follows, as ROLE names it
    std::optional<support::Milliseconds>
        clock_skew;  // server TIME less our wall clock, taken at the middle of the round trip
    std::optional<support::Milliseconds> round_trip;
    std::optional<ServerClock> clock;  // as it was when the connection was greeted

    bool at_least(int major, int minor = 0) const {
        return version && (version->major > major || (version->major == major && version->minor >= minor));
    }
    /// PEXPIRETIME is to be asked. Where a server tells neither what it is nor the time, it is tried: what is left of a
    /// key's life would be no moment there.
    bool tells_moments() const { return at_least(7) || (!version && !clock && !proxied); }
};

}  // namespace ratectl::redis
