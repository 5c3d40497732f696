// Three shards of an application and the real Redis Cluster that its windows move to, under other keys.
#pragma once

#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/reshard_box.h"
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
    RunResult back(std::vector<std::string> more = {}) const {
        return run({"reshard", "apply", old.file("cluster"), old.file("three")}, std::move(more));
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

}  // namespace ratectl::test
