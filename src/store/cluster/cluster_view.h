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
/// Of CLUSTER NODES, the primaries without slots, which CLUSTER SLOTS does not name.
std::vector<ClusterShard> read_slotless_primaries(std::string_view cluster_nodes);

/// How often keys were sent away with a slot: by MIGRATE or DUMP, or slots as a whole. Counted by each process, and
/// anew where CONFIG RESETSTAT says so, or where it has been a replica meanwhile.
struct KeysSent {
    std::string history;      // begun by a process, or by a replica that became a primary
    std::int64_t told = 0;    // how often it has counted itself telling: grows, unless all counts begin anew
    std::int64_t before = 0;  // it told of its slots
    std::int64_t behind = 0;  // that

    /// For certain, none between what it told of its slots then and now.
    bool none_since(const KeysSent& then) const {
        return history == then.history && told > then.told && behind == then.before;
    }
};
/// Of INFO replication, and INFO commandstats before and behind CLUSTER NODES; null: they do not say.
std::optional<KeysSent> read_keys_sent(std::string_view replication, std::string_view before, std::string_view behind);

/// Of a node's CLUSTER NODES, what it says of itself.
struct OwnSlots {
    std::string id;
    std::string epoch;  // grows when a slot comes from a node whose own was greater, and with a failover
    std::vector<SlotRange> slots;
    std::vector<std::uint16_t> leaving;   // MIGRATING to another node: keys of them may have gone
    std::vector<std::uint16_t> arriving;  // IMPORTING from another node
    std::optional<KeysSent> sent = {};    // null: not asked, or not told
    std::string follows = {};             // the id of its primary; empty: it is one

    bool is_replica() const { return !follows.empty(); }
    bool has(std::uint16_t slot) const;
    bool is_leaving(std::uint16_t slot) const;
    bool is_arriving(std::uint16_t slot) const;
    /// The same node, and no slot that it had then has gone and come back since with keys. To take a slot in, a node
    /// needs the greatest epoch of all: one that gets back what another node had needs a greater one than that, so
    /// while its epoch stands none has come back. The other way round is not true: a single new slot makes it grow,
    /// too, and hides a second one that went to the node of the greatest epoch, which stands there, and came back. Then
    /// the keys show it: wherever they went, this node has sent them.
    bool is_as_before(const OwnSlots& then) const;
};
std::optional<OwnSlots> read_own_slots(std::string_view cluster_nodes);

/// `0-5460 5470`, and back; what is no range there is passed over.
std::string ranges_text(std::span<const SlotRange> slots);
std::vector<SlotRange> ranges_in(std::string_view text);

}  // namespace ratectl::store
