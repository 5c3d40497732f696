// What has keys of its own beside an application's in a Redis Cluster: a governor's lease and memory, and the windows
// of a probe.
#include "cli/cluster_box.h"
#include "sharding/cluster_slots.h"

using namespace ratectl::test;
using ratectl::sharding::cluster_slot;

TEST_CASE("A governor's lease and memory are in the slot of its throttle, and go where that goes") {
    ClusterBox box;
    std::ofstream(box.config_file(), std::ios::app)
        << "[[deployments.box.policies]]\nname = \"throttles\"\nkey = \"{{throttle:{client}}}\"\n"
           "scheme = \"limitlion\"\nlimit = 40\nperiod = \"8s\"\nburst = 80\n";
    const std::string knobs = "{throttle:search}:knobs";
    const auto slot = cluster_slot(knobs);
    const auto home = box.cluster.home(knobs);
    const auto away = (home + 1) % 3;
    box.cluster.node(home).command({"HSET", knobs, "rps", "50", "burst", "1", "window", "5"});
    const auto step = [&box](const std::string& load) {
        const auto rows = box.rows(
            {"governor", "step", "search", "--load-command", load, "--set-point", "2", "--max", "200", "--apply"});
        return rows.at(0).at("why").get<std::string>();
    };
    const auto explained = [&box] { return box.rows({"governor", "explain", "search"}).at(0).at("why"); };
    CHECK(explained() == nullptr);
    CHECK(step("echo 9") == "tripped");
    CHECK(box.cluster.node(home).command({"HGET", knobs, "rps"}) == "0");
    const auto kept = box.cluster.node(home).command({"KEYS", "ratectl:governor:*"});
    CHECK(cluster_slot(kept) == slot);
    CHECK(kept.ends_with("}:{throttle:search}"));

    // Between two nodes, and behind.
    box.cluster.open_slot(slot, home, away);
    box.cluster.move_key(knobs, home, away);
    box.cluster.move_key(kept, home, away);
    CHECK(explained() == "tripped");
    CHECK(step("echo 1") == "open");
    box.cluster.close_slot(slot, home, away);
    CHECK(step("echo 1") == "rearmed");
    CHECK(box.cluster.node(away).command({"HGET", knobs, "rps"}) == "1");
    CHECK(box.cluster.node(home).command({"DBSIZE"}) == "0");
}

// Its limiter asks for both at once, which a Redis Cluster refuses; they were turned all the same.
TEST_CASE("Knobs in another slot than their throttle are not written in a Redis Cluster") {
    ClusterBox box;
    std::ofstream(box.config_file(), std::ios::app)
        << "[[deployments.box.policies]]\nname = \"throttles\"\nkey = \"throttle:{client}\"\n"
           "scheme = \"limitlion\"\nlimit = 40\nperiod = \"8s\"\nburst = 80\n";
    const std::string knobs = "throttle:search:knobs";
    auto& node = box.cluster.node(box.cluster.home(knobs));
    node.command({"HSET", knobs, "rps", "50", "burst", "1", "window", "5"});
    for (const auto& words :
         {std::vector<std::string>{"knobs", "set", "search", "rps=4"},
          {"knobs", "stop", "search"},
          {"knobs", "unset", "search"},
          {"throttle", "delete", "search"},
          {"governor", "step", "search", "--load-command", "echo 9", "--set-point", "2", "--max", "200", "--apply"}}) {
        const auto refused = box.run(words);
        INFO(refused.out << refused.err);
        CHECK(refused.code == 3);
        CHECK(contains(refused.err, "no command reads or writes both"));
        CHECK(contains(refused.err, "nothing was written"));
    }
    CHECK(node.command({"HGET", knobs, "rps"}) == "50");
    CHECK(node.command({"DBSIZE"}) == "1");
}

TEST_CASE("A probe measures the replicas of every primary of a Redis Cluster and leaves no key") {
    ClusterBox box(2, 1);
    const auto rows = box.rows({"nodes", "--probe", "--rounds", "3", "--every", "5ms", "--timeout", "20s", "--yes"});
    REQUIRE(rows.size() == 2);
    for (const auto& row : rows) {
        INFO(row.dump());
        CHECK(row.at("state") == "seen");
        CHECK(row.at("seen") == 3);
        const auto key = row.at("key").get<std::string>();
        CHECK(key.starts_with("ratectl:probe:"));
        CHECK(cluster_slot(key) == cluster_slot(key + ":exp"));
        CHECK(box.cluster.address(box.cluster.home(key)) == row.at("shard"));
    }
    CHECK(box.cluster.node(0).command({"DBSIZE"}) == "0");
    CHECK(box.cluster.node(1).command({"DBSIZE"}) == "0");
}
