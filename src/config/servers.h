// The servers of a deployment: from endpoints to what sharding needs to know, and what no deployment may have.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"
#include "domain/endpoint.h"
#include "sharding/shard_map.h"

namespace ratectl::config {

inline constexpr unsigned kLargestWeight = 65'535;

/// What the configuration said beside a shard's endpoint; unset: nothing.
struct RingFacts {
    std::optional<std::string> name;
    std::optional<std::string> label;
    unsigned weight = 1;
    std::vector<sharding::SlotRange> slots = {};
};

ShardSettings make_shard(domain::Endpoint primary, const RingFacts& facts);

/// Throws Failure at the origin (file: configuration, flag and environment: usage): two shards of one name, one server
/// listed twice, a replica on another database than its primary; a sharding that ShardMap refuses.
void check_servers(const Settings& settings);
void check_sharding(const Settings& settings);
/// Memcached servers keep windows in one way, and Redis servers not in that; they know no logins, and no TLS.
void check_kind(const Settings& settings);
/// --from names a node: it must be one of the deployment's, unless servers tell of others.
void check_read_from(const Settings& settings);

/// `origin: message` with the exit code that fits where the value came from.
[[noreturn]] void fail_at_origin(const Origin& origin, const std::string& message, const std::string& hint = {});
/// The origin recorded under that name, or the default's.
const Origin& origin_of(const Settings& settings, const std::string& name);

}  // namespace ratectl::config
