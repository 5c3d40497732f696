// A Redis Cluster with a configuration of the test's choice, and ratectl run on it.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "cli/hinted_flags.h"
#include "sandbox/folder.h"
#include "support/catch.h"
#include "support/contains.h"
#include "support/json.h"
#include "support/redis_cluster.h"
#include "support/run_ratectl.h"

namespace ratectl::test {

/// Policy `core` is {core:CLIENT}, 100 an hour; the first node is the only one that the configuration names.
class ClusterBox {
public:
    explicit ClusterBox(std::size_t primaries = 3, std::size_t replicas_each = 0)
        : cluster(primaries, replicas_each), folder_(sandbox::TemporaryFolder::make("/tmp", "ratectl-test").value()) {
        write("nodes = [\"" + cluster.url(0) + "\"]");
    }
    void write(const std::string& settings) const {
        std::ofstream(config_file()) << "[deployments.box]\nkind = \"cluster\"\nwrites = \"allow\"\n"
                                     << settings
                                     << "\n[[deployments.box.policies]]\nname = \"core\"\n"
                                        "key = \"{{core:{client}}}\"\nlimit = 100\nperiod = \"1h\"\n";
    }
    /// From now on the first node is reached through this link.
    void reach_through(const domain::Endpoint& link) const {
        write("nodes = [\"" + link.url() + "\"]\naddress_map = { \"" + cluster.address(0) + "\" = \"" + link.address() +
              "\" }");
    }
    std::string config_file() const { return folder_.path() + "/ratectl.toml"; }
    const std::string& folder() const { return folder_.path(); }

    RunResult run(const std::vector<std::string>& arguments, const std::string& input = "") const {
        RunOptions options;
        options.input = input;
        options.environment["RATECTL_CONFIG"] = config_file();
        options.environment.emplace("XDG_STATE_HOME", folder_.path() + "/state");
        auto result = run_ratectl(arguments, options);
        check_hints(arguments, result);
        return result;
    }
    nlohmann::json rows(std::vector<std::string> arguments, const std::string& input = "") const {
        arguments.insert(arguments.end(), {"-o", "json"});
        const auto result = run(arguments, input);
        INFO(result.out << result.err);
        return parse_json(result.out).at("rows");
    }

    RedisCluster cluster;

private:
    sandbox::TemporaryFolder folder_;
};

/// A key of policy `core` that begins its life on that primary.
inline std::string key_on(const RedisCluster& cluster, std::size_t primary, int number = 0) {
    for (int client = 0;; ++client) {
        auto key = "{core:c" + std::to_string(client) + "}";
        if (cluster.home(key) == primary && number-- == 0) return key;
    }
}

}  // namespace ratectl::test
