// scan --resume on a real Redis Cluster: taken up where it was stopped, also where slots have moved since.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "cli/cluster_box.h"
#include "cli/written_deployment.h"
#include "sharding/cluster_slots.h"

using namespace ratectl::test;
using ratectl::sharding::cluster_slot;

namespace {

constexpr int kResumed = 2000;

class ResumedScan {
public:
    explicit ResumedScan(std::size_t replicas_each = 0) : box(3, replicas_each) {
        const auto end = seconds_from_now(3000);
        for (int i = 0; i < kResumed; ++i) box.cluster.set_window(key(i), "7", end);
    }
    static std::string key(int i) { return "{core:c" + std::to_string(i) + "}"; }

    std::vector<std::string> words(std::vector<std::string> more = {}) const {
        std::vector<std::string> all{
            "scan", "-o", "name", "--from", "primary", "--resume", box.folder() + "/scan.json"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    RunResult take(const RunResult& result) {
        std::istringstream lines(result.out);
        for (std::string line; std::getline(lines, line);) ++shown[line];
        return result;
    }
    RunResult some() { return take(box.run(words({"--first", "300"}))); }
    RunResult rest() { return take(box.run(words())); }
    RunResult interrupted(const std::string& ops, std::chrono::milliseconds after,
                          std::function<void(int pid)> started = {}) {
        RunOptions options;
        options.environment["RATECTL_CONFIG"] = box.config_file();
        options.signal_number = SIGINT;
        options.signal_after = after;
        options.started = std::move(started);
        return take(run_ratectl(words({"--ops", ops}), options));
    }
    int missing() const { return kResumed - static_cast<int>(shown.size()); }
    int repeated() const {
        int count = 0;
        for (const auto& [name, often] : shown) count += often > 1 ? 1 : 0;
        return count;
    }

    ClusterBox box;
    std::map<std::string, int> shown;
};

bool is_finished(const RunResult& result) { return contains(result.err, "is finished, and nothing is left to do"); }

}  // namespace

// It was refused.
TEST_CASE("A scan of a Redis Cluster comes some rows at a time, and each window once") {
    ResumedScan scan;
    int runs = 0;
    for (bool finished = false; !finished && runs < 60; ++runs) {
        const auto part = scan.some();
        INFO(part.err);
        REQUIRE(part.code == 0);
        finished = is_finished(part);
    }
    CHECK(runs > 3);
    CHECK(runs < 60);
    CHECK(scan.missing() == 0);
    CHECK(scan.repeated() == 0);
}

TEST_CASE("A scan that is taken up lists windows of slots that have moved since at its end") {
    ResumedScan scan;
    const auto first = scan.some();
    REQUIRE(first.code == 0);
    // Each slot goes to the next node: behind the cursor there for most of them, or before it.
    for (int i = 0; i < 20; ++i) {
        const auto home = scan.box.cluster.home(ResumedScan::key(i));
        scan.box.cluster.move_slot(cluster_slot(ResumedScan::key(i)), home, (home + 1) % 3);
    }
    // One is stopped half way.
    const auto open = ResumedScan::key(40);
    const auto home = scan.box.cluster.home(open);
    scan.box.cluster.open_slot(cluster_slot(open), home, (home + 1) % 3);
    for (const std::string end : {"", ":exp"}) scan.box.cluster.move_key(open + end, home, (home + 1) % 3);
    const auto second = scan.rest();
    INFO(second.err);
    CHECK(second.code == 0);
    CHECK(contains(second.err, "have moved since the scan began"));
    CHECK(scan.missing() == 0);
    CHECK(scan.repeated() < 40);
    CHECK(is_finished(scan.rest()));
}

TEST_CASE("Windows of slots that moved come some rows at a time, too") {
    ResumedScan scan;
    REQUIRE(scan.some().code == 0);
    for (int i = 0; i < 300; ++i) {
        const auto from = scan.box.cluster.home(ResumedScan::key(i));
        scan.box.cluster.move_slot(cluster_slot(ResumedScan::key(i)), from, (from + 1) % 3);
    }
    int runs = 0;
    for (bool finished = false; !finished && runs < 60; ++runs) {
        const auto part = scan.take(scan.box.run(scan.words({"--first", "50"})));
        INFO(part.err);
        REQUIRE(part.code == 0);
        finished = is_finished(part);
    }
    CHECK(runs < 60);
    CHECK(scan.missing() == 0);
}

TEST_CASE("A shard that has another primary by now is read from its beginning") {
    ResumedScan scan(1);
    REQUIRE(scan.some().code == 0);
    scan.box.cluster.node(3).await_replication_of(scan.box.cluster.node(0));
    scan.box.cluster.promote(3, false);
    while (!scan.box.cluster.node(0).command({"ROLE"}).starts_with("slave")) {
    }
    const auto second = scan.rest();
    INFO(second.err);
    CHECK(second.code == 0);
    CHECK(contains(second.err, "read from their beginning, and rows come again"));
    CHECK(scan.missing() == 0);
    CHECK(is_finished(scan.rest()));
}

TEST_CASE("An interrupted scan of a Redis Cluster is taken up, and no window is lost") {
    ResumedScan scan;
    const auto cut = scan.interrupted("20/s", std::chrono::milliseconds{3000});
    INFO(cut.err);
    CHECK(cut.code == 130);
    CHECK(scan.missing() > 0);
    const auto second = scan.rest();
    INFO(second.err);
    CHECK(second.code == 0);
    CHECK(contains(second.err, "notice: going on where"));
    CHECK(scan.missing() == 0);
    CHECK(scan.repeated() == 0);  // what was noted is what was printed
}

// All slots of the nodes that they came to were taken for moved: a third of the listing came twice.
TEST_CASE("Slots that move while a scan goes on are the only ones whose windows come again") {
    ResumedScan scan;
    auto& cluster = scan.box.cluster;
    std::jthread mover;
    const auto move = [&](int) {
        mover = std::jthread([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds{1000});
            for (const std::size_t from : {0U, 1U}) {
                cluster.move_slot(cluster_slot(key_on(cluster, from)), from, 1 - from);
                std::this_thread::sleep_for(std::chrono::milliseconds{700});
            }
        });
    };
    const auto cut = scan.interrupted("150/s", std::chrono::milliseconds{4000}, move);
    mover.join();
    INFO(cut.err);
    CHECK(cut.code == 130);
    CHECK(scan.missing() > 0);
    const auto second = scan.rest();
    INFO(second.err);
    CHECK(second.code == 0);
    CHECK(contains(second.err, "warning: 2 slots of the Redis Cluster have moved since the scan began"));
    CHECK(scan.missing() == 0);
    CHECK(scan.repeated() < 10);
}

// It counted as if all its slots had moved.
TEST_CASE("A primary that hangs for a while has not moved its slots") {
    ResumedScan scan(1);
    const auto from_replicas = [&](std::vector<std::string> more) {
        auto all = scan.words(std::move(more));
        std::ranges::replace(all, "primary", "replica");
        return scan.take(scan.box.run(all));
    };
    for (std::size_t i = 0; i < 3; ++i) scan.box.cluster.node(3 + i).await_replication_of(scan.box.cluster.node(i));
    REQUIRE(from_replicas({"--first", "300"}).code == 0);
    scan.box.cluster.node(1).pause();  // not the one that is asked for the others
    const auto hung = from_replicas({"--timeout", "2s"});
    scan.box.cluster.node(1).resume();
    INFO(hung.err);
    CHECK(hung.code == 9);
    CHECK_FALSE(contains(hung.err, "does not tell"));
    CHECK_FALSE(contains(hung.err, "acl reader"));
    CHECK(contains(hung.err, "within 2s; windows that moved meanwhile may be missing"));
    const auto last = from_replicas({});
    INFO(last.err);
    CHECK(last.code == 0);
    CHECK_FALSE(contains(last.err, "moved since the scan began"));
    CHECK(scan.missing() == 0);
    CHECK(is_finished(from_replicas({})));
}
