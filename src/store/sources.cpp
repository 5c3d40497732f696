// Health of replicas, and what to read when there is none.
#include "store/sources.h"

#include <utility>

#include "store/conversation.h"

namespace ratectl::store {
namespace {

bool is_healthy_replica(const redis::ServerFacts& facts) {
    return facts.role == domain::Role::replica && facts.link_up == true;
}

}  // namespace

asio::awaitable<Choice> choose_replica(std::shared_ptr<Core> core, std::size_t shard) {
    const auto nodes = core->nodes[shard];
    Choice choice;
    std::optional<domain::Node> best;
    for (const auto& node : nodes) {
        if (node.role != domain::Role::replica) continue;
        auto facts = co_await probe(core, node);
        if (!facts) {
            choice.failures.push_back({node, facts.error().error});
            continue;
        }
        if (is_healthy_replica(*facts)) co_return Choice{Source{node, false}, {}};
        if (!best) best = node;
    }
    const auto& primary = nodes.front();
    auto facts = co_await probe(core, primary);
    if (facts) {
        if (nodes.size() > 1) {
            core->notice({support::ExitCode::unavailable,
                          "shard '" + primary.shard + "': no healthy replica; its primary is read instead", ""});
        }
        co_return Choice{Source{primary, false}, {}};
    }
    NodeFailure dead_primary{primary, facts.error().error};
    if (best) {
        choice.failures.clear();
        choice.source = Source{*best, true};
    }
    choice.failures.insert(choice.failures.begin(), std::move(dead_primary));
    co_return choice;
}

std::vector<domain::Node> named_nodes(const Core& core, std::size_t shard, const domain::ReadFrom& from) {
    if (from.which == domain::ReadFrom::Which::primary) return {core.primary(shard)};
    const auto& nodes = core.nodes[shard];
    if (from.which == domain::ReadFrom::Which::all) return nodes;
    for (const auto& node : nodes) {
        if (node.name() == from.node) return {node};
    }
    return {};
}

support::Error no_such_node(const Core& core, std::size_t shard, const domain::ReadFrom& from) {
    std::string known;
    for (const auto& node : core.nodes[shard]) known += (known.empty() ? "" : ", ") + node.name();
    return {support::ExitCode::usage, "shard '" + core.topology.shards[shard].name + "' has no node " + from.node,
            "its nodes: " + known};
}

}  // namespace ratectl::store
