// What one node of a Redis Cluster knows of it: shards, their nodes, and which of them has which slots. Pure: replies
// in.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/cluster/cluster_access.h"
#include "domain/node.h"
#include "redis/reply.h"

namespace ratectl::store {

struct ClusterNode {
    std::string id;       // empty: not said
    domain::HostPort at;  // as announced; no host: that of the node that tells of it
    domain::Role role = domain::Role::primary;
    bool healthy = true;
};

using SlotRange = std::pair<std::uint16_t, std::uint16_t>;  // both of them included

struct ClusterShard {
    std::vector<SlotRange> slots;
    std::vector<ClusterNode> nodes;  // primary first, and just one
};

/// Of replies to CLUSTER SHARDS (7.0; `tls`: the ports for it) and CLUSTER SLOTS (in both, those with slots first, in
/// the order of their first). Null: it is no such reply.
std::optional<std::vector<ClusterShard>> read_cluster_shards(const redis::Reply& reply, bool tls);
std::optional<std::vector<ClusterShard>> read_cluster_slots(const redis::Reply& reply);

/// Of a node's CLUSTER NODES, what it says of itself.
struct OwnSlots {
    std::string id;
    std::string epoch;  // grows when a slot comes from a node whose own was greater, and with a failover
    std::vector<SlotRange> slots;
    std::vector<std::uint16_t> leaving;   // MIGRATING to another node: keys of them may have gone
    std::vector<std::uint16_t> arriving;  // IMPORTING from another node

    bool has(std::uint16_t slot) const;
    bool is_leaving(std::uint16_t slot) const;
    bool is_arriving(std::uint16_t slot) const;
    /// The same node; no slot that it had then has gone and come back since: wherever it went, its epoch grew.
    bool is_as_before(const OwnSlots& then) const { return id == then.id && epoch == then.epoch; }
};
std::optional<OwnSlots> read_own_slots(std::string_view cluster_nodes);

/// `0-5460 5470`, and back; what is no range there is passed over.
std::string ranges_text(std::span<const SlotRange> slots);
std::vector<SlotRange> ranges_in(std::string_view text);

}  // namespace ratectl::store
