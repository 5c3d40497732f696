// Three shards of an application and the real Redis Cluster that its windows move to, under other keys.
#pragma once

#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/reshard_client.h"
#include "support/redis_cluster.h"

namespace ratectl::test {

/// From `three` of ReshardBox to `cluster`, where policy `core` is {core:CLIENT}.
class ReshardClusterBox {
public:
    ReshardClusterBox() {
        write(
            "[[deployments.cluster.policies]]\nname = \"core\"\nkey = \"{{core:{client}}}\"\nlimit = 100\n"
            "period = \"1h\"\n");
    }
    /// The policies of `cluster`.
    void write(const std::string& policies) const {
        std::ofstream(old.file("cluster"))
            << "[deployments.cluster]\nkind = \"cluster\"\nwrites = \"allow\"\nnodes = [\"" << cluster.url(0) << "\"]\n"
            << policies;
    }
    RunResult plan(std::vector<std::string> more = {}) const {
        return run({"reshard", "plan", old.file("three"), old.file("cluster")}, std::move(more));
    }
    RunResult apply(std::vector<std::string> more = {}, RunOptions options = {}) const {
        return run({"reshard", "apply", old.file("three"), old.file("cluster")}, std::move(more), std::move(options));
    }
    RunResult back(std::vector<std::string> more = {}, RunOptions options = {}) const {
        return run({"reshard", "apply", old.file("cluster"), old.file("three")}, std::move(more), std::move(options));
    }

    static std::string new_key(const std::string& key) { return "{" + key + "}"; }
    /// What the whole cluster has, by key. A window that stood on two nodes would be lost to an application.
    std::map<std::string, Standing> moved() {
        std::map<std::string, Standing> found;
        for (std::size_t node = 0; node < cluster.size(); ++node) found.merge(standings(cluster.node(node)));
        return found;
    }

    ReshardBox old;
    RedisCluster cluster;

private:
    RunResult run(std::vector<std::string> words, std::vector<std::string> more, RunOptions options = {}) const {
        words.insert(words.end(), more.begin(), more.end());
        return old.run(words, std::move(options));
    }
};

/// What was there at first (i % 120 in the i-th window), and what was counted since, is what both sides together have
/// now, and every window of the beginning is in the cluster. Empty: so it is.
inline std::string miscounted(ReshardClusterBox& box, const ReshardClient& client, std::size_t windows) {
    auto left = box.old.windows();
    const auto moved = box.moved();
    std::string wrong;
    for (std::size_t i = 0; i < windows; ++i) {
        const auto key = ReshardBox::key(i);
        std::int64_t stored = 0;
        for (const auto& [shard, standing] : left[key]) stored += std::stoll(standing.used);
        const auto found = moved.find(ReshardClusterBox::new_key(key));
        if (found != moved.end()) stored += std::stoll(found->second.used);
        const auto expected = static_cast<std::int64_t>(i % 120) + client.counted(i);
        if ((stored == expected && found != moved.end()) || wrong.size() > 200) continue;
        wrong += key + " has " + std::to_string(stored) + " instead of " + std::to_string(expected) +
                 (found == moved.end() ? ", and nothing in the cluster; " : "; ");
    }
    return wrong;
}

/// Keys that stand on both sides with one and the same end: a copy beside its source.
inline std::size_t copies_beside_sources(ReshardClusterBox& box) {
    const auto moved = box.moved();
    std::size_t count = 0;
    for (const auto& [key, places] : box.old.windows()) {
        const auto found = moved.find(ReshardClusterBox::new_key(key));
        if (found != moved.end() && found->second.reset_at == places.begin()->second.reset_at) ++count;
    }
    return count;
}

}  // namespace ratectl::test
