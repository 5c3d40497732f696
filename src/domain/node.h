// Servers by role: which nodes a shard has, which of them to ask, and what a server says about itself; the place of a
// key.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/endpoint.h"
#include "support/error.h"
#include "support/time.h"

namespace ratectl::domain {

enum class Role { primary, replica };
std::string_view name_of(Role role);

/// One server in its place: a row names it by shard, address and role.
struct Node {
    std::string shard;  // the shard's name
    Role role = Role::primary;
    Endpoint endpoint;

    std::string name() const { return endpoint.address(); }
};

/// One shard as configured.
struct Shard {
    std::string name;
    Endpoint primary;
    std::vector<Endpoint> replicas;
    bool discover_replicas = false;  // replicas = "auto": ask the primary
};

/// `--from`: a role, all nodes, or one node by its address.
struct ReadFrom {
    enum class Which { primary, replica, all, node };
    Which which = Which::primary;
    std::string node;  // Which::node only: an address as rows print it
    /// Which::replica only, because the user said so for this command: a primary never stands in for a replica.
    bool strictly = false;

    bool operator==(const ReadFrom&) const = default;
};
ReadFrom parse_read_from(std::string_view text);
/// As parse_read_from() takes it.
std::string name_of(const ReadFrom& from);

/// What a server's data are the result of, as INFO replication names it. A promoted replica begins a history of its own
/// where the one that it followed ended for it.
struct History {
    std::string id;  // empty: not said
    std::int64_t offset = 0;
    std::string former_id;  // the history that it had until then
    std::int64_t former_end = -1;

    /// Whatever a server with the other history had then, this one has had, too.
    bool has_all_of(const History& other) const;
    bool operator==(const History&) const = default;
};

struct ServerVersion {
    int major = 0;
    int minor = 0;
    int patch = 0;
    bool valkey = false;
    auto operator<=>(const ServerVersion&) const = default;  // NOLINT(modernize-use-nullptr): there is no pointer
};
std::optional<ServerVersion> parse_server_version(std::string_view text);
std::string to_string(const ServerVersion& version);

/// What a server answered to a command that was only tried: queued behind a mistake, so that it is never carried out.
/// Not sent: through a proxy, which may close the connection over it, or where it would be carried out.
enum class Trial { allowed, forbidden, unknown, not_sent };
struct TriedCommand {
    std::string name;  // lower case, as ACL rules have it
    Trial outcome = Trial::allowed;

    bool operator==(const TriedCommand&) const = default;
};

/// What a server said about itself (ROLE, INFO, TIME). What it refused to say, or has no answer to, is null.
struct NodeFacts {
    std::optional<Role> role;     // as the server sees itself
    std::optional<bool> link_up;  // replica: its link to the primary
    std::optional<support::Seconds> link_down_for;
    std::optional<std::string> primary_address;   // replica: whom it follows
    std::optional<std::int64_t> offset;           // replication offset
    std::optional<std::string> replication_id;    // of the history that the offset counts
    std::optional<std::int64_t> lag_bytes;        // replica: primary's offset less its own, when both are known
    std::optional<support::Milliseconds> behind;  // replica: its answers are at most so much older than its primary's
    std::optional<std::string> stale_because;     // replica: why it is not shown to keep --max-staleness, if asked
    std::optional<std::int64_t> connected_replicas;   // primary
    std::optional<support::Milliseconds> clock_skew;  // server's clock less ours, at best precise to +- round trip / 2
    std::optional<support::Milliseconds> round_trip;
    std::optional<std::string> product;  // redis, valkey, keydb, dragonfly, garnet, proxy
    std::optional<ServerVersion> version;
    std::optional<std::string> run_id;
    std::optional<bool> cluster_enabled;
    std::optional<bool> cluster_up;  // false: this node of a Redis Cluster answers for no key
    std::optional<bool> loading;
    std::optional<std::int64_t> ops_per_second;
    std::optional<std::int64_t> clients;
    std::optional<std::int64_t> used_memory;
    std::optional<std::int64_t> max_memory;  // 0: no limit
    std::optional<std::string> eviction_policy;
    std::optional<std::int64_t> evicted_keys;
    std::optional<std::int64_t> keys;  // DBSIZE; counts expired keys that are not yet removed
    std::optional<support::Seconds> uptime;
    std::optional<std::string> persistence_fault;  // what failed last on its way to disk; null: nothing, or not said
    /// What this user may not run (`evalsha`, `pttl`, ...) of the commands that looks, sweeps and writes consist of;
    /// only where it was tried.
    std::vector<std::string> denied;
    /// Every command that was tried, in the order of server_commands(); only where that was asked for.
    std::vector<TriedCommand> tried;
};

/// The reason of the error of a connection to a node that belongs to a Redis Cluster.
inline constexpr std::string_view kClusterNode = "cluster-node";

/// Where a key lives: what users call a shard, and on a cluster the key's slot, which another shard may have tomorrow.
struct Place {
    /// Where there are no slots, a shard is a place.
    constexpr Place(std::size_t shard_in = 0, std::optional<std::uint16_t> slot_in = {}, bool is_ahead = false)
        : shard(shard_in), slot(slot_in), ahead(is_ahead) {}

    std::size_t shard;
    std::optional<std::uint16_t> slot;
    bool ahead;  // the key has come before its slot: the shard's primary shows it after ASKING, replicas mostly do not

    // clang-tidy 14 takes the zero that a defaulted comparison is compared with for a pointer.
    auto operator<=>(const Place&) const = default;  // NOLINT(modernize-use-nullptr)
};

}  // namespace ratectl::domain
