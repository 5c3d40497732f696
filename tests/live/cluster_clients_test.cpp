// ratectl beside applications that talk to a Redis Cluster through the cluster clients of redis-py and ioredis: what
// they count ratectl shows, and what ratectl counts they find, also after slots have moved.
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "live/counting_limiter.h"
#include "live/real_servers.h"
#include "sharding/cluster_slots.h"
#include "support/catch.h"
#include "support/json.h"
#include "support/redis_cluster.h"
#include "support/wall_now.h"

using namespace ratectl;
using namespace ratectl::test;
using nlohmann::json;

namespace {

constexpr std::size_t kClusterWindows = 400;

/// What stands in a window: requests used, and when it ends.
using UsedUntil = std::pair<std::int64_t, std::int64_t>;

struct ClusterClient {
    std::string program;
    std::vector<std::string> arguments;

    /// One answer a line.
    std::vector<json> ask(const RedisCluster& cluster, const std::string& lines) const {
        auto words = arguments;
        words.insert(words.end(), {cluster.address(1), script("../bench/application_rate.lua"),
                                   script("../bench/application_check.lua")});
        RunOptions options;
        options.input = lines;
        options.environment = {{"NODE_PATH", npm_folder()}, {"PYTHONDONTWRITEBYTECODE", "1"}};
        const auto result = run_program(system_program(program), words, options);
        INFO(result.err);
        REQUIRE(result.code == 0);
        std::vector<json> answers;
        for (const auto& line : lines_of(result.out)) answers.push_back(parse_json(line));
        return answers;
    }
};

/// Of clients with any bytes in their names; the tag is what ends at the first brace.
std::vector<std::string> cluster_keys(RandomSource& random) {
    std::set<std::string> keys;
    for (const auto& client : random_keys(random, 2 * kClusterWindows, KeyBytes::any)) {
        if (keys.size() < kClusterWindows && client.size() < 1000) keys.insert("{core:" + client + "}");
    }
    return {keys.begin(), keys.end()};
}

std::string hex(const std::string& key) {
    auto line = hex_lines({key});
    return line.substr(0, line.find('\n'));
}

/// What ratectl says of each; keys without an open window are left out.
std::map<std::string, UsedUntil> checked(const DeploymentFile& deployment, const std::vector<std::string>& keys) {
    RunOptions options;
    options.input = hex_lines(keys);
    const auto result = run_ratectl(
        {"check", "-", "-c", deployment.path(), "--key-format", "hex", "-o", "ndjson", "--timeout", "10s"}, options);
    INFO(result.err);
    CHECK(result.code == 0);
    std::map<std::string, UsedUntil> windows;
    for (const auto& line : lines_of(result.out)) {
        const auto row = parse_json(line);
        if (row.at("state") == "open" || row.at("state") == "exhausted")
            windows[row.at("key")] = {row.at("used"), row.at("reset_at")};
    }
    return windows;
}

void check_agreement(const ClusterClient& client) {
    RandomSource random;
    RedisCluster cluster(3);
    const DeploymentFile deployment("[deployments.live]\nkind = \"cluster\"\nwrites = \"allow\"\nnodes = [\"" +
                                    cluster.url(2) +
                                    "\"]\n[[deployments.live.policies]]\nname = \"core\"\n"
                                    "key = \"{{core:{client}}}\"\nlimit = 20\nperiod = \"1h\"\n");
    const auto keys = cluster_keys(random);
    REQUIRE(keys.size() == kClusterWindows);
    const auto now = wall_now().time_since_epoch().count() / 1000;
    const auto look = [&] {
        std::string lines;
        for (const auto& key : keys) lines += "check " + hex(key) + " " + std::to_string(now) + "\n";
        return client.ask(cluster, lines);
    };

    // The client counts, and ratectl looks.
    std::string lines;
    std::map<std::string, UsedUntil> expected;
    for (const auto& key : keys) {
        const auto reset = now + random.number(1000, 3000);
        const auto amount = random.number(1, 30);
        lines += "rate " + hex(key) + " " + std::to_string(amount) + " " + std::to_string(reset) + " " +
                 std::to_string(now) + "\n";
        expected[hex(key)] = {amount, reset};
    }
    CHECK(client.ask(cluster, lines).size() == keys.size());
    CHECK(checked(deployment, keys) == expected);

    // Some slots move, ratectl counts, and the client looks.
    std::set<std::uint16_t> moved;  // several keys may have one tag
    for (std::size_t i = 0; moved.size() < 30; ++i) {
        const auto slot = sharding::cluster_slot(keys[i]);
        const auto home = cluster.home(keys[i]);
        if (moved.insert(slot).second) cluster.move_slot(slot, home, (home + 1) % 3);
    }
    RunOptions options;
    options.input = hex_lines(keys);
    const auto counted = run_ratectl({"increment", "-", "--amount", "7", "-y", "-q", "-c", deployment.path(),
                                      "--key-format", "hex", "--timeout", "10s"},
                                     options);
    INFO(counted.err);
    CHECK(counted.code == 0);
    const auto seen = look();
    REQUIRE(seen.size() == keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        auto& window = expected[hex(keys[i])];
        window.first += 7;
        if (seen[i] == json{window.first, window.second}) continue;
        INFO(hex(keys[i]));
        CHECK(seen[i].dump() == json{window.first, window.second}.dump());
        break;
    }
    CHECK(checked(deployment, keys) == expected);

    // ratectl takes all of it away, and the client finds nothing.
    CHECK(run_ratectl({"reset", "-", "-y", "-q", "-c", deployment.path(), "--key-format", "hex", "--timeout", "10s"},
                      options)
              .code == 0);
    for (const auto& answer : look()) CHECK(answer == json::array());
}

}  // namespace

TEST_CASE("ratectl and an application that uses redis-py's cluster client see the same windows") {
    if (is_absent("redis-py", "python3-redis", "python3", {"-c", "import redis.cluster"})) return;
    check_agreement({"python3", {script("cluster_client.py")}});
}

TEST_CASE("ratectl and an application that uses ioredis' cluster client see the same windows") {
    const auto driver = script("limiters/cluster_client.cjs");
    if (is_absent("ioredis", "nodejs npm; then scripts/bootstrap --packages test", "node",
                  {script("limiters/loads.cjs"), npm_folder() + "/ioredis"}))
        return;
    check_agreement({"node", {driver}});
}
