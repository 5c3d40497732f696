// Slots of a real Redis Cluster that are half on their way: every command finds each window where it is, and tells what
// is nowhere.
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "cli/cluster_box.h"
#include "cli/written_deployment.h"
#include "sharding/cluster_slots.h"

using namespace ratectl::test;
using ratectl::sharding::cluster_slot;

namespace {

/// A slot half on its way from node 0 to node 1, with a window at each end.
class HalfMoved {
public:
    explicit HalfMoved(std::size_t replicas_each = 0) : box(3, replicas_each) {
        slot = cluster_slot(moved);
        for (const auto& key : {moved, left}) box.cluster.set_window(key, "7", seconds_from_now(1000));
        box.cluster.open_slot(slot, 0, 1);
        for (const auto& name : {moved, moved + ":exp"}) box.cluster.move_key(name, 0, 1);
    }

    ClusterBox box;
    std::string moved = key_on(box.cluster, 0);
    std::string left = moved + "b";
    std::string nowhere = moved + "c";
    std::uint16_t slot = 0;
};

}  // namespace

TEST_CASE("A watched window that its slot carries to another node is the same one") {
    ClusterBox box;
    const auto key = key_on(box.cluster, 0);
    const auto slot = cluster_slot(key);
    for (const auto* end : {"", "b"}) box.cluster.set_window(key + end, "4", seconds_from_now(1000));
    std::thread mover;
    RunOptions options;
    options.environment["RATECTL_CONFIG"] = box.config_file();
    options.started = [&](int) {
        mover = std::thread([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(500));
            box.cluster.open_slot(slot, 0, 1);
            for (const std::string end : {"", ":exp"}) box.cluster.move_key(key + end, 0, 1);
            std::this_thread::sleep_for(std::chrono::milliseconds(500));
            box.cluster.close_slot(slot, 0, 1);
            box.cluster.node(1).command({"INCR", key});
        });
    };
    const auto watched = run_ratectl(
        {"watch", "--match", key + "*", "--every", "100ms", "--until", "changed", "--any", "-o", "csv"}, options);
    mover.join();
    INFO(watched.out << watched.err);
    CHECK_FALSE(contains(watched.out, "opened"));
    CHECK(contains(watched.out, "counted"));
    CHECK(contains(watched.err, "2 windows watched"));
    CHECK(contains(watched.err, ": 1 change,"));
}

TEST_CASE("Windows that came before their slot are compared and explained where they are") {
    HalfMoved half(1);
    half.box.cluster.node(3).await_replication_of(half.box.cluster.node(0));
    const auto compared = half.box.run({"compare", half.moved, half.left, "-o", "json"});
    INFO(compared.out << compared.err);
    CHECK(compared.code == 0);
    CHECK_FALSE(contains(compared.out + compared.err, "misplaced"));
    const auto rows = nlohmann::json::parse(compared.out).at("rows");
    REQUIRE(rows.size() == 3);
    CHECK(rows.at(0).at("node") == half.box.cluster.address(1));
    CHECK(rows.at(1).at("node") == half.box.cluster.address(0));
    CHECK(rows.at(2).at("node") == half.box.cluster.address(3));
    for (const auto& key : {half.moved, half.left}) {
        const auto explained = half.box.run({"explain", key});
        INFO(explained.out << explained.err);
        CHECK(explained.code == 0);
        CHECK(contains(explained.out, key == half.moved ? "7 of 100 requests used" : "7 requests are used"));
    }
}

TEST_CASE("All servers are asked for windows of a slot on its way, each where it is") {
    HalfMoved half(1);
    half.box.cluster.node(3).await_replication_of(half.box.cluster.node(0));
    for (const auto* look : {"light", "full"}) {
        const auto result =
            half.box.run({"check", half.moved, half.left, "--from", "all", "--look", look, "-o", "json"});
        INFO(result.out << result.err);
        CHECK(result.code == 0);
        const auto rows = nlohmann::json::parse(result.out).at("rows");
        REQUIRE(rows.size() == 3);
        CHECK(rows.at(0).at("node") == half.box.cluster.address(1));
        CHECK(rows.at(1).at("node") == half.box.cluster.address(0));
        CHECK(rows.at(2).at("node") == half.box.cluster.address(3));
        for (const auto& row : rows) CHECK(row.at("used") == 7);
    }
}

TEST_CASE("What is at neither end of a slot on its way is known to be absent") {
    HalfMoved half;
    for (const auto& more : std::vector<std::vector<std::string>>{
             {"--look", "light"}, {"--look", "full"}, {"--as-script"}, {"--from", "all"}}) {
        std::vector<std::string> command{"check", half.moved, half.nowhere, half.left, "--timeout", "2s"};
        command.insert(command.end(), more.begin(), more.end());
        const auto rows = half.box.rows(command);
        REQUIRE(rows.size() == 3);
        CHECK(rows.at(0).at("used") == 7);
        CHECK(rows.at(1).at("state") == "absent");
        CHECK(rows.at(2).at("used") == 7);
    }
    CHECK(half.box.run({"check", half.nowhere}).code == 0);
    CHECK(contains(half.box.run({"explain", half.nowhere}).out, "it has no window"));

    // One half alone is no window that could be told whole.
    half.box.cluster.move_key(half.left + ":exp", 0, 1);
    const auto torn = half.box.run({"check", half.left, "--timeout", "300ms"});
    CHECK(torn.code == 4);
    CHECK(contains(torn.err, "slot is on its way to another node"));
}

TEST_CASE("A change that a slot on its way refuses says what can be done, and that can be done") {
    HalfMoved half;
    const auto refused = half.box.run({"increment", half.left, "--timeout", "300ms"});
    CHECK(refused.code == 4);
    CHECK(contains(refused.err, "nothing was written"));
    CHECK(contains(refused.err, "redis-cli --cluster fix"));
    CHECK(contains(refused.err, "--no-op-key"));
    const auto alone = half.box.run({"increment", half.left, "--no-op-key", "--timeout", "2s"});
    INFO(alone.err);
    CHECK(alone.code == 0);
    CHECK(half.box.rows({"check", half.left}).at(0).at("used") == 8);
}
