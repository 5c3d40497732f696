// What every connection learns in its first round trip: who is answering.
#pragma once

#include <optional>
#include <string>

#include "domain/node.h"
#include "redis/server_clock.h"

namespace ratectl::redis {

/// Each fact is null where the server would not say (ACL, renamed command).
struct ServerFacts {
    std::optional<domain::ServerVersion> version;
    std::optional<std::string> run_id;
    std::optional<bool> cluster;  // redis_mode:cluster
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
};

}  // namespace ratectl::redis
