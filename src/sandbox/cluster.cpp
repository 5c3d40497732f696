// What `redis-cli --cluster create` does, in the order in which no node has to be told twice.
#include "sandbox/cluster.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sandbox/question.h"
#include "sandbox/server.h"

namespace ratectl::sandbox {
namespace {

constexpr std::size_t kSlots = 16'384;

/// The text of a reply; of what is no text, and of what did not come, why.
std::string told(const domain::Endpoint& node, const std::vector<std::string>& words) {
    const auto reply = ask(node, words);
    return reply ? reply->text : reply.error().message;
}

bool all_say(const std::vector<ClusterNode>& nodes, const std::string& line, std::string& seen) {
    return std::all_of(nodes.begin(), nodes.end(), [&](const ClusterNode& node) {
        seen = told(node.endpoint, {"CLUSTER", "INFO"});
        return seen.find(line) != std::string::npos;
    });
}

std::size_t count_of(const std::string& text, const std::string& word) {
    std::size_t count = 0;
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
    return count;
}

support::Result<void> share_slots(const std::vector<ClusterNode>& nodes) {
    const auto is_primary = [](const ClusterNode& node) { return !node.follows; };
    const auto primaries = static_cast<std::size_t>(std::count_if(nodes.begin(), nodes.end(), is_primary));
    std::size_t share = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        // Epochs of their own: two nodes of one epoch would have to settle whose word counts.
        auto done = expect_ok(nodes[i].endpoint, {"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(i + 1)});
        if (done && is_primary(nodes[i])) {
            const auto first = std::to_string(kSlots * share / primaries);
            const auto last = std::to_string(kSlots * (share + 1) / primaries - 1);
            ++share;
            done = expect_ok(nodes[i].endpoint, {"CLUSTER", "ADDSLOTSRANGE", first, last});
        }
        if (!done) return done;
    }
    return {};
}

support::Result<void> meet(const std::vector<ClusterNode>& nodes, support::Deadline deadline) {
    const auto& first = nodes.front();
    for (std::size_t i = 1; i < nodes.size(); ++i) {
        auto done = expect_ok(nodes[i].endpoint, {"CLUSTER", "MEET", first.endpoint.host,
                                                  std::to_string(first.endpoint.port), std::to_string(first.bus_port)});
        if (!done) return done;
    }
    return await("the nodes of a cluster to know one another", deadline, [&nodes](std::string& seen) {
        return all_say(nodes, "cluster_known_nodes:" + std::to_string(nodes.size()) + "\r", seen);
    });
}

support::Result<void> follow_primaries(const std::vector<ClusterNode>& nodes, support::Deadline deadline) {
    for (const auto& node : nodes) {
        if (!node.follows) continue;
        const auto id = told(nodes.at(*node.follows).endpoint, {"CLUSTER", "MYID"});
        // It may know its primary and not yet that it has slots: then it is refused for a moment.
        auto done = await("a node to follow its primary", deadline, [&](std::string& seen) {
            seen = told(node.endpoint, {"CLUSTER", "REPLICATE", id});
            return seen == "OK";
        });
        if (!done) return done;
    }
    for (const auto& node : nodes) {
        auto up = node.follows ? await_link(node.endpoint, deadline) : support::Result<void>{};
        if (!up) return up;
    }
    return {};
}

/// While it holds, nodes tell one another of news several times a second instead of every few, and no replica takes
/// over from a primary that was slow for a moment.
class Hurry {
public:
    static support::Result<Hurry> begin(const std::vector<ClusterNode>& nodes) {
        Hurry hurry;
        for (const auto& node : nodes) {
            for (const auto& [name, value] : kHurried) {
                const auto usual = ask(node.endpoint, {"CONFIG", "GET", name});
                if (!usual) return tl::make_unexpected(usual.error());
                if (usual->elements.size() == 2)
                    hurry.usual_.push_back({node.endpoint, {"CONFIG", "SET", name, usual->elements[1].text}});
                if (auto done = expect_ok(node.endpoint, {"CONFIG", "SET", name, value}); !done)
                    return tl::make_unexpected(done.error());
            }
        }
        return hurry;
    }
    support::Result<void> end() const {
        for (const auto& [node, words] : usual_) {
            if (auto done = expect_ok(node, words); !done) return done;
        }
        return {};
    }

private:
    static constexpr std::pair<const char*, const char*> kHurried[] = {{"cluster-replica-no-failover", "yes"},
                                                                       {"cluster-node-timeout", "250"}};
    std::vector<std::pair<domain::Endpoint, std::vector<std::string>>> usual_;
};

support::Result<void> await_agreement(const std::vector<ClusterNode>& nodes, support::Deadline deadline) {
    const auto is_replica = [](const ClusterNode& node) { return node.follows.has_value(); };
    const auto replicas = static_cast<std::size_t>(std::count_if(nodes.begin(), nodes.end(), is_replica));
    // What the others know of replicas comes with their gossip.
    return await("the nodes of a cluster to agree that all is well", deadline, [&](std::string& seen) {
        return all_say(nodes, "cluster_state:ok", seen) &&
               std::all_of(nodes.begin(), nodes.end(), [&](const ClusterNode& node) {
                   seen = told(node.endpoint, {"CLUSTER", "NODES"});
                   return count_of(seen, "slave") == replicas && count_of(seen, ",fail") == 0;
               });
    });
}

}  // namespace

support::Result<void> join_cluster(const std::vector<ClusterNode>& nodes, support::Deadline deadline) {
    return share_slots(nodes).and_then([&] { return gather_cluster(nodes, deadline); });
}

support::Result<void> gather_cluster(const std::vector<ClusterNode>& nodes, support::Deadline deadline) {
    const auto hurry = Hurry::begin(nodes);
    if (!hurry) return tl::make_unexpected(hurry.error());
    return meet(nodes, deadline)
        .and_then([&] { return follow_primaries(nodes, deadline); })
        .and_then([&] { return await_agreement(nodes, deadline); })
        .and_then([&] { return hurry->end(); })
        .and_then([&] { return await_agreement(nodes, deadline); });
}

}  // namespace ratectl::sandbox
