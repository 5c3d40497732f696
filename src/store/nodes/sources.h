// Which node of a shard a read goes to.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <asio/awaitable.hpp>

#include "store/core.h"

namespace ratectl::store {

struct Source {
    domain::Node node;
    bool stale = false;
    /// With --max-staleness: a replica that has all that its primary had then.
    std::optional<std::chrono::steady_clock::time_point> shown_from = {};
};

/// The node to read, if any answers; and the nodes whose silence makes the answer incomplete or stale.
struct Choice {
    std::optional<Source> source;
    std::vector<NodeFailure> failures;
};

/// A replica whose link to its shard's own primary is up, and that keeps --max-staleness if there is one; else the
/// primary (with a notice when replicas were there to be asked); else the best replica that answers, stale, and the
/// primary is a failure; else every node is. Replicas are asked all at once; the first in their order is taken unless
/// it lets the others wait. `strictly`: never the primary, and while that one answers no stale replica either.
asio::awaitable<Choice> choose_replica(std::shared_ptr<Core> core, std::size_t shard, bool strictly);

/// The node in the role that it said it has, when it was greeted; as configured where it did not say.
domain::Node as_it_said(domain::Node node, const redis::ServerFacts& facts);
/// Says, once, that a read which wanted the primary got what is none any more.
bool is_lost_primary(const domain::Node& node, const redis::ServerFacts& facts);
void note_lost_primary(Core& core, const domain::Node& node, const redis::ServerFacts& facts,
                       const domain::ReadFrom& from);

/// Has the directory learn what is not known of these shards (empty: of all), all at once: their primaries, or all of
/// their nodes.
void find_nodes(const std::shared_ptr<Core>& core, std::span<const std::size_t> shards, bool with_replicas);

/// The nodes that `from` names in a shard, for every way of reading but `replica`; empty when a named node is not among
/// them.
std::vector<domain::Node> named_nodes(const Core& core, std::size_t shard, const domain::ReadFrom& from);

/// `shard 'beta' has no node 10.0.0.9:6379`, with those it has as a hint.
support::Error no_such_node(const Core& core, std::size_t shard, const domain::ReadFrom& from);

}  // namespace ratectl::store
