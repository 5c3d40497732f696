// What counts and carries over many windows at once, onto a real Redis Cluster: replay, and rollout copy.
#include <string>

#include "cli/cluster_box.h"
#include "cli/memcached_box.h"
#include "cli/written_deployment.h"
#include "sharding/cluster_slots.h"

using namespace ratectl::test;
using ratectl::sharding::cluster_slot;

namespace {

std::string logged(int client, int second, int status) {
    char clock[16];
    std::snprintf(clock, sizeof clock, "10:%02d:%02d", second / 60 % 60, second % 60);
    return "c" + std::to_string(client) + " - - [17/May/2015:" + clock + " +0000] \"GET /p HTTP/1.1\" " +
           std::to_string(status) + " 5 \"-\" \"agent\"\n";
}

}  // namespace

TEST_CASE("A log is counted into a Redis Cluster, also into slots that have moved") {
    ClusterBox box;
    constexpr int clients = 200;
    std::string log;
    for (int i = 0; i < 5 * clients; ++i) log += logged(i % clients, i, i < clients ? 304 : 200);
    const auto moved = cluster_slot("{core:c3}");
    const auto home = box.cluster.home("{core:c3}");
    box.cluster.move_slot(moved, home, (home + 1) % 3);
    const std::vector<std::string> words{"replay", "-",  "--policy",        "core", "--time", "now",
                                         "--yes",  "-q", "--refund-status", "304"};
    const auto counted = box.run(words, log);
    INFO(counted.err);
    CHECK(counted.code == 0);
    const auto rows = box.rows({"scan", "--policy", "core"});
    CHECK(rows.size() == clients);
    std::string wrong;
    for (const auto& row : rows) {
        if (row.at("used") != 4 && wrong.size() < 200) wrong += row.at("key").get<std::string>() + "; ";
    }
    CHECK(wrong == "");
}

TEST_CASE("Windows of the predecessor are carried over into a Redis Cluster once, where both keys are in one slot") {
    ClusterBox box;
    MemcachedServer old;
    std::ofstream(box.config_file(), std::ios::app)
        << "[deployments.legacy]\nkind = \"memcached\"\n[[deployments.legacy.shards]]\nname = \"one\"\nprimary = \""
        << old.url() << "\"\n[[deployments.legacy.policies]]\nname = \"core\"\nkey = \"{{core:{client}}}\"\n"
        << "[[deployments.legacy.policies]]\nname = \"plain\"\nkey = \"plain:{client}\"\n";
    const auto end = seconds_from_now(1000);
    for (int i = 0; i < 50; ++i) old.open("{core:c" + std::to_string(i) + "}", 10 + i, end);
    old.open("plain:a", 3, end);
    const std::vector<std::string> copy{"rollout", "copy", "--old", "legacy", "-d", "box", "--yes", "--policy", "core"};
    auto under_id = copy;
    under_id.insert(under_id.end(), {"--op-id", "carry"});
    CHECK(box.run(under_id).code == 0);
    const auto home = box.cluster.home("{core:c7}");
    CHECK(box.cluster.node(home).command({"GET", "{core:c7}"}) == "17");
    CHECK(box.cluster.node(home).command({"GET", "{core:c7}:exp"}) == std::to_string(end));
    // Counted on both sides since, and carried over after its slot has moved: nothing twice.
    old.ask("incr {core:c7} 5");
    box.cluster.node(home).command({"INCRBY", "{core:c7}", "2"});
    const auto away = (home + 1) % 3;
    box.cluster.move_slot(cluster_slot("{core:c7}"), home, away);
    const auto again = box.run(copy);
    INFO(again.err);
    CHECK(again.code == 0);
    CHECK(contains(again.err, "1 applied, 49 skipped"));
    CHECK(box.cluster.node(away).command({"GET", "{core:c7}"}) == "24");
    CHECK(box.run(copy).code == 1);
    // What was counted since stays.
    CHECK(box.run({"undo", "carry", "-d", "box", "--yes"}).code == 0);
    CHECK(box.cluster.node(away).command({"GET", "{core:c7}"}) == "7");

    const auto apart = box.run({"rollout", "copy", "plain:a", "--old", "legacy", "-d", "box", "--yes"});
    CHECK(apart.code == 3);
    CHECK(contains(apart.err, "nothing was written"));
    CHECK(contains(apart.err, "a template writes braces twice"));
}
