// Sweeps of a real Redis Cluster: every window once, also while slots move back and forth, and after a failover.
#include <atomic>
#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "cli/cluster_box.h"
#include "cli/written_deployment.h"
#include "sharding/cluster_slots.h"
#include "support/built_programs.h"
#include "support/fault_proxy.h"

using namespace ratectl::test;
using ratectl::sharding::cluster_slot;

namespace {

constexpr int kSweptWindows = 400;

void fill_cluster(ClusterBox& box) {
    const auto end = seconds_from_now(3000);
    for (int i = 0; i < kSweptWindows; ++i)
        box.cluster.set_window("{core:c" + std::to_string(i) + "}", std::to_string(i), end);
}

/// How often each window was shown, and what was wrong with a sweep.
std::string faults_of_sweep(const RunResult& result) {
    if (result.code != 0) return "it ended with " + std::to_string(result.code) + ": " + result.err;
    std::map<std::string, int> shown;
    const auto answer = parse_json(result.out);
    for (const auto& row : answer.at("rows")) ++shown[row.at("key")];
    std::string faults;
    for (int i = 0; i < kSweptWindows; ++i) {
        const auto key = "{core:c" + std::to_string(i) + "}";
        if (shown[key] != 1 && faults.size() < 200) faults += key + " " + std::to_string(shown[key]) + " times; ";
    }
    return faults;
}

/// Carries slots to another node and back, as long as it lives.
class Churn {
public:
    explicit Churn(RedisCluster& cluster)
        : thread_([this, &cluster] {
              try {
                  for (int turn = 0; !over_; ++turn) {
                      for (int i = 0; i < 30 && !over_; ++i) {
                          const auto key = "{core:c" + std::to_string(i) + "}";
                          const auto home = cluster.home(key);
                          const auto away = (home + 1) % 3;
                          cluster.move_slot(cluster_slot(key), turn % 2 == 0 ? home : away,
                                            turn % 2 == 0 ? away : home);
                          // A slot that never stays is found nowhere, however often it is looked for.
                          std::this_thread::sleep_for(std::chrono::milliseconds(5));
                      }
                  }
              } catch (const std::exception& e) {
                  broken_ = e.what();
              }
          }) {}
    ~Churn() {
        if (thread_.joinable()) end();
    }
    /// What went wrong.
    std::string end() {
        over_ = true;
        thread_.join();
        return broken_;
    }

private:
    std::atomic<bool> over_ = false;
    std::string broken_;
    std::thread thread_;
};

}  // namespace

TEST_CASE("A sweep of a Redis Cluster shows every window once") {
    ClusterBox box;
    fill_cluster(box);
    CHECK(faults_of_sweep(box.run({"scan", "-o", "json"})) == "");
    CHECK(box.rows({"scan", "--min-used", "390"}).size() == 10);
    CHECK(box.rows({"top", "-N", "5"}).size() == 5);
    CHECK(contains(box.run({"stats"}).out, std::to_string(kSweptWindows)));
    const auto examined = box.run({"doctor", "-o", "json"});
    CHECK(examined.code == 0);
    CHECK_FALSE(contains(examined.out, "cluster-node"));
    CHECK_FALSE(contains(examined.out, "misplaced"));
    CHECK(box.rows({"nodes"}).size() == 3);

    // Another application's keys that look like halves of one window, and are in different slots.
    box.cluster.node(box.cluster.home("plain:exp")).command({"SET", "plain:exp", "1900000000"});
    const auto beside = box.run({"scan", "--match", "plain*"});
    CHECK(beside.code == 0);
    CHECK(contains(beside.err, "they are no window there"));
    CHECK_FALSE(contains(beside.err, "; nor "));
    // Both names of each lead to it.
    for (const std::string key : {"plain", "bare", "bare:exp"})
        box.cluster.node(box.cluster.home(key)).command({"SET", key, "1900000000"});
    for (const auto& words : {std::vector<std::string>{"scan", "*"}, {"scan", "*", "--orphans"}, {"doctor", "*"}})
        CHECK(contains(box.run(words).err, "; nor is 1 more"));
}

// Of a window at a primary and its replica one row came, and chance said whose.
TEST_CASE("Where all nodes are asked each shows its own windows") {
    ClusterBox box(3, 1);
    fill_cluster(box);
    for (std::size_t i = 0; i < 3; ++i) box.cluster.node(3 + i).await_replication_of(box.cluster.node(i));
    const auto key = key_on(box.cluster, 0);
    box.cluster.set_window(key, "7", seconds_from_now(3000));
    box.cluster.node(3).await_replication_of(box.cluster.node(0));
    // What has moved is looked at by name, at the end.
    box.cluster.open_slot(cluster_slot("{core:c1}"), box.cluster.home("{core:c1}"),
                          (box.cluster.home("{core:c1}") + 1) % 3);
    for (const auto& filter :
         std::vector<std::vector<std::string>>{{}, {"--look", "full"}, {"--min-used", "1"}, {"--policy", "core"}}) {
        std::vector<std::string> words{"scan", "--from", "all"};
        words.insert(words.end(), filter.begin(), filter.end());
        const auto rows = box.rows(words);
        std::map<std::string, std::map<std::string, int>> shown;
        std::map<std::string, int> used;
        for (const auto& row : rows) {
            const std::string node = row.at("node");
            ++shown[row.at("key")][row.at("role")];
            if (row.at("key") == key) used[node] = row.at("used");
        }
        const bool counted_only = !filter.empty() && filter.front() == "--min-used";
        INFO((filter.empty() ? "" : filter.front()) << rows.size());
        CHECK(shown.size() == kSweptWindows - (counted_only ? 1 : 0));
        for (const auto& [name, roles] : shown) {
            INFO(name);
            CHECK(roles == std::map<std::string, int>{{"primary", 1}, {"replica", 1}});
        }
        CHECK(used.size() == 2);
        CHECK(used[box.cluster.address(0)] == 7);
        CHECK(used[box.cluster.address(3)] == 7);
    }
}

TEST_CASE("A sweep shows the windows of a slot that is half way between two nodes") {
    ClusterBox box;
    fill_cluster(box);
    const auto key = key_on(box.cluster, 0);
    const auto gone = key_on(box.cluster, 0, 1);
    box.cluster.open_slot(cluster_slot(key), 0, 2);
    box.cluster.open_slot(cluster_slot(gone), 0, 1);
    for (const auto& name : {gone, gone + ":exp"}) box.cluster.move_key(name, 0, 1);
    CHECK(faults_of_sweep(box.run({"scan", "-o", "json"})) == "");
    CHECK(faults_of_sweep(box.run({"scan", "--min-used", "0", "-o", "json"})) == "");
    box.cluster.close_slot(cluster_slot(gone), 0, 1);
    box.cluster.close_slot(cluster_slot(key), 0, 2);
    CHECK(faults_of_sweep(box.run({"scan", "-o", "json"})) == "");
}

TEST_CASE("Every window is shown once while slots move back and forth") {
    ClusterBox box;
    fill_cluster(box);
    Churn churn(box.cluster);
    std::string faults;
    for (int i = 0; i < few_if_sanitized(15); ++i)
        faults += faults_of_sweep(box.run({"scan", "--timeout", "5s", "-o", "json"}));
    CHECK(churn.end() == "");
    CHECK(faults == "");
}

// Its node had got another slot between two looks at what it has, which was taken for all that had come there.
TEST_CASE("A slot that is away while its node is swept and back afterwards hides no window") {
    ClusterBox box;
    fill_cluster(box);
    FaultProxy link(box.cluster.node(0).endpoint());
    box.reach_through(link.endpoint());
    const auto away = cluster_slot(key_on(box.cluster, 0));
    const auto other = cluster_slot(key_on(box.cluster, 2));
    link.choose([&, scans = 0](const LinkRequest& request) mutable {
        LinkFault fault;
        if (request.word != "SCAN" || ++scans > 1) return fault;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));  // in which the other nodes are swept
        box.cluster.move_slot(away, 0, 1);
        fault.at_reply = [&] {
            box.cluster.move_slot(other, 2, 0);
            box.cluster.move_slot(away, 1, 0);
        };
        return fault;
    });
    const auto result = box.run({"scan", "--timeout", "10s", "-o", "json"});
    link.choose({});
    (void)link.counts();  // what the link's thread did is seen from here on
    CHECK(faults_of_sweep(result) == "");
}

// The look followed it as often as any does, and the whole scan ended for that: one in 15 of those above on a busy
// machine.
TEST_CASE("A slot that has moved on whenever a look of a late window asks for it is listed once more") {
    ClusterBox box;
    fill_cluster(box);
    FaultProxy link(box.cluster.node(0).endpoint());
    box.reach_through(link.endpoint());
    const auto key = key_on(box.cluster, 0);
    const auto away = cluster_slot(key);
    const auto moved = "-MOVED " + std::to_string(away) + " " + box.cluster.address(1) + "\r\n";
    int sent_away = 0;
    link.choose([&, scans = 0, is_late = false](const LinkRequest& request) mutable {
        LinkFault fault;
        is_late = is_late || request.bytes.find("GETKEYSINSLOT") != std::string_view::npos;
        if (request.word == "SCAN" && ++scans == 1) {
            box.cluster.move_slot(away, 0, 1);
            fault.at_reply = [&] { box.cluster.move_slot(away, 1, 0); };
        } else if (is_late && sent_away < 5 && request.bytes.find(key) != std::string_view::npos) {
            ++sent_away;
            fault.mode = FaultMode::answer;
            fault.rewrite = [&](const std::string&) { return moved; };
        }
        return fault;
    });
    const auto result = box.run({"scan", "--timeout", "10s", "-o", "json"});
    link.choose({});
    (void)link.counts();
    CHECK(sent_away == 5);
    CHECK(faults_of_sweep(result) == "");
}

// A node that had just lost a slot counted as one that gives no answer: "the same on 0 nodes; 3 gave no answer".
TEST_CASE("Every window is compared where it is while slots move back and forth") {
    ClusterBox box;
    fill_cluster(box);
    Churn churn(box.cluster);
    for (int i = 0; i < few_if_sanitized(15); ++i) {
        const auto compared = box.run({"compare", "--all", "--timeout", "5s"});
        INFO(compared.err);
        CHECK(compared.code == 0);
        CHECK(contains(compared.err, std::to_string(kSweptWindows) + " windows are the same on 3 nodes"));
    }
    CHECK(churn.end() == "");
}

TEST_CASE("A sweep goes on at the replica that was promoted") {
    ClusterBox box(3, 1);
    fill_cluster(box);
    for (std::size_t i = 0; i < 3; ++i) box.cluster.node(3 + i).await_replication_of(box.cluster.node(i));
    CHECK(faults_of_sweep(box.run({"scan", "--from", "replica", "-o", "json"})) == "");
    box.write("nodes = [\"" + box.cluster.url(1) + "\"]");
    box.cluster.kill(0);
    box.cluster.promote(3, true);
    std::string faults = "never";
    for (int i = 0; i < 50 && !faults.empty(); ++i) faults = faults_of_sweep(box.run({"scan", "-o", "json"}));
    CHECK(faults == "");
}

// It is well, and a moment behind; nothing tells that a slot has moved before its watch began.
TEST_CASE("A sweep of replicas shows what came to a primary, and not yet to its replica, before it began") {
    ClusterBox box(3, 1);
    fill_cluster(box);
    const auto key = key_on(box.cluster, 0);
    for (std::size_t i = 0; i < 3; ++i) box.cluster.node(3 + i).await_replication_of(box.cluster.node(i));
    box.cluster.node(4).command({"CLIENT", "PAUSE", "600000", "WRITE"});  // its primary is a client, too
    box.cluster.move_slot(cluster_slot(key), 0, 1);
    box.cluster.node(3).await_replication_of(box.cluster.node(0));
    REQUIRE(box.cluster.node(4).command({"CLUSTER", "COUNTKEYSINSLOT", std::to_string(cluster_slot(key))}) == "0");
    CHECK(faults_of_sweep(box.run({"scan", "--from", "replica", "-o", "json"})) == "");
}
