// Windows that a broken-off move of a slot left on a node which does not have it: no client is led to them, and no
// sweep shows them.
#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/cluster_box.h"
#include "cli/written_deployment.h"
#include "sharding/cluster_slots.h"

using namespace ratectl::test;
using ratectl::sharding::cluster_slot;

namespace {

/// Slots whose way from node 0 to node 1 was broken off: the window of one went as a whole, of a second one half, of a
/// third one nothing.
class BrokenOff {
public:
    BrokenOff() {
        const std::vector<std::pair<std::string, std::vector<std::string>>> moves{
            {gone, {gone, gone + ":exp"}}, {torn, {torn + ":exp"}}, {left, {}}};
        for (const auto& [key, names] : moves) {
            box.cluster.set_window(key, "7", seconds_from_now(1000));
            box.cluster.open_slot(cluster_slot(key), 0, 1);
            for (const auto& name : names) box.cluster.move_key(name, 0, 1);
            for (const std::size_t node : {0U, 1U}) make_stable(key, node);
        }
    }
    void make_stable(const std::string& key, std::size_t node) {
        const auto slot = std::to_string(cluster_slot(key));
        REQUIRE(box.cluster.node(node).command({"CLUSTER", "SETSLOT", slot, "STABLE"}) == "OK");
    }

    ClusterBox box;
    std::string left = key_on(box.cluster, 0);
    std::string gone = key_on(box.cluster, 0, 1);
    std::string torn = key_on(box.cluster, 0, 2);
};

}  // namespace

TEST_CASE("doctor names windows that lie on a node which does not have their slot") {
    BrokenOff broken;
    const auto found = broken.box.run({"doctor", "--only", "misplaced", "-o", "json"});
    INFO(found.out << found.err);
    CHECK(found.code == 1);
    const auto rows = parse_json(found.out).at("rows");
    REQUIRE(rows.size() == 2);
    const auto at = broken.box.cluster.address(1);
    for (const auto& row : rows) {
        const bool is_torn = row.at("key") == broken.torn;
        CHECK((is_torn || row.at("key") == broken.gone));
        CHECK(row.at("shard") == at);
        const auto slot = std::to_string(cluster_slot(row.at("key").get<std::string>()));
        CHECK(row.at("detail") ==
              "shard '" + at + "' has its " +
                  (is_torn ? "expiry half and not slot " + slot + ": no client is led to it there"
                           : "counter and expiry half and not slot " + slot + ": no client is led to them there"));
        CHECK(row.at("fixable") == "no");
        CHECK(row.at("policy") == "core");
    }
    CHECK(contains(found.err, "2 misplaced in 1 window"));
    CHECK(broken.box.run({"doctor", "--only", "misplaced", "--shard", broken.box.cluster.address(0)}).code == 0);
    CHECK(broken.box.run({"doctor", broken.left, "--only", "misplaced"}).code == 0);
    CHECK(broken.box.run({"doctor", broken.gone, "--only", "misplaced"}).code == 1);
}

TEST_CASE("explain and sharding verify tell of windows that lie on a node which does not have their slot") {
    BrokenOff broken;
    const auto at = broken.box.cluster.address(1);
    for (const auto& key : {broken.gone, broken.torn}) {
        const auto explained = broken.box.run({"explain", key});
        INFO(explained.out << explained.err);
        CHECK(contains(explained.out, "Shard '" + at + "' has its "));
        CHECK(contains(explained.out, "CLUSTER SETSLOT with IMPORTING"));
    }
    CHECK_FALSE(contains(broken.box.run({"explain", broken.left}).out, "SETSLOT"));
    const auto verified = broken.box.run({"sharding", "verify"});
    INFO(verified.out << verified.err);
    CHECK(verified.code == 1);
    CHECK(contains(verified.err, "' is on '" + at + "', which does not have its slot, "));
    CHECK(contains(verified.err, "; 2 windows lie besides where no client is led to them"));
    for (const auto& row : broken.box.rows({"sharding", "verify"}))
        CHECK(row.at("stranded") == (row.at("shard") == at ? 2 : 0));
}

TEST_CASE("Where a primary may not tell of stranded windows, nodes and sharding verify say so") {
    BrokenOff broken;
    auto& node = broken.box.cluster.node(1);
    REQUIRE(node.command({"ACL", "SETUSER", "default", "-cluster|getkeysinslot"}) == "OK");
    const auto at = broken.box.cluster.address(1);
    for (const auto& row : broken.box.rows({"nodes", "--capabilities"})) {
        const auto command = row.at("command").get<std::string>();
        if (!command.starts_with("CLUSTER ")) continue;
        const bool is_forbidden = row.at("node") == at && command == "CLUSTER GETKEYSINSLOT";
        INFO(row.dump());
        CHECK(row.at("outcome") == (is_forbidden ? "forbidden" : "allowed"));
    }
    for (const auto& row : broken.box.rows({"sharding", "verify"}))
        CHECK(row.at("stranded").is_null() == (row.at("shard") == at));
    CHECK(contains(broken.box.run({"sharding", "verify"}).err, "; 1 primary did not tell of windows that no client"));
    const auto doctor = broken.box.run({"doctor"});
    CHECK(doctor.code == 9);
    CHECK(contains(doctor.err, "; 1 primary did not tell of windows that no client"));
    const auto explained = broken.box.run({"explain", broken.gone});
    INFO(explained.out << explained.err);
    CHECK(explained.code == 9);
    CHECK(contains(explained.err, "cluster|getkeysinslot'"));
}

TEST_CASE("A primary without slots is asked for stranded windows, with and without CLUSTER SHARDS") {
    ClusterBox box(3, 1);
    auto& cluster = box.cluster;
    auto& empty = cluster.node(3);
    const auto key = key_on(cluster, 0);
    const auto slot = std::to_string(cluster_slot(key));
    cluster.set_window(key, "7", seconds_from_now(1000));
    REQUIRE(empty.command({"CLUSTER", "RESET", "SOFT"}) == "OK");
    const auto& first = cluster.node(0);
    REQUIRE(empty.command({"CLUSTER", "MEET", "127.0.0.1", std::to_string(first.endpoint().port),
                           std::to_string(first.bus_port())}) == "OK");
    const auto opens = [&] {
        return contains(empty.command({"CLUSTER", "INFO"}), "cluster_state:ok") &&
               empty.command({"CLUSTER", "SETSLOT", slot, "IMPORTING", cluster.id(0)}) == "OK" &&
               cluster.node(0).command({"CLUSTER", "SETSLOT", slot, "MIGRATING", cluster.id(3)}) == "OK";
    };
    bool open = false;
    for (int i = 0; i < 400 && !(open = opens()); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    REQUIRE(open);
    for (const auto* end : {"", ":exp"}) cluster.move_key(key + end, 0, 3);
    for (const std::size_t node : {0U, 3U})
        REQUIRE(cluster.node(node).command({"CLUSTER", "SETSLOT", slot, "STABLE"}) == "OK");
    for (const bool may_ask_shards : {true, false}) {
        for (std::size_t node = 0; node < 4 && !may_ask_shards; ++node)
            REQUIRE(cluster.node(node).command({"ACL", "SETUSER", "default", "-cluster|shards"}) == "OK");
        INFO(may_ask_shards);
        const auto verified = box.rows({"sharding", "verify"});
        REQUIRE(verified.size() == 4);
        for (const auto& row : verified) CHECK(row.at("stranded") == (row.at("shard") == cluster.address(3) ? 1 : 0));
        const auto found = box.rows({"doctor", "--only", "misplaced"});
        REQUIRE(found.size() == 1);
        CHECK(found.at(0).at("shard") == cluster.address(3));
        CHECK(contains(box.run({"explain", key}).out, "Shard '" + cluster.address(3) + "' has its "));
        const auto chosen = box.run({"scan", "--shard", cluster.address(3)});
        CHECK(chosen.code == 2);
        CHECK(contains(chosen.err, "has no slots, so that no window is asked for there"));
    }
}

TEST_CASE("What doctor advises brings stranded windows home") {
    BrokenOff broken;
    auto& cluster = broken.box.cluster;
    for (const auto& [key, names] : std::map<std::string, std::vector<std::string>>{
             {broken.gone, {broken.gone, broken.gone + ":exp"}}, {broken.torn, {broken.torn + ":exp"}}}) {
        const auto slot = std::to_string(cluster_slot(key));
        REQUIRE(cluster.node(1).command({"CLUSTER", "SETSLOT", slot, "IMPORTING", cluster.id(0)}) == "OK");
        for (const auto& name : names) cluster.move_key(name, 1, 0);
        broken.make_stable(key, 1);
    }
    CHECK(broken.box.run({"doctor"}).code == 0);
    for (const auto& row : broken.box.rows({"check", broken.gone, broken.torn})) CHECK(row.at("used") == 7);
}

TEST_CASE("A window of a slot that is on its way is not taken for a stranded one") {
    ClusterBox box;
    const auto key = key_on(box.cluster, 0);
    box.cluster.set_window(key, "7", seconds_from_now(1000));
    box.cluster.open_slot(cluster_slot(key), 0, 1);
    for (const auto* end : {"", ":exp"}) box.cluster.move_key(key + end, 0, 1);
    CHECK(box.run({"doctor", "--only", "misplaced"}).code == 0);
    CHECK_FALSE(contains(box.run({"explain", key}).out, "led to"));
    const auto verified = box.run({"sharding", "verify"});
    INFO(verified.out << verified.err);
    CHECK(verified.code == 0);
    const auto located = box.rows({"locate", key});
    CHECK(located[0].at("shard") == box.cluster.address(1));
}

TEST_CASE("Only the node that has the slot says whether stranded keys are on their way") {
    BrokenOff broken;
    auto& cluster = broken.box.cluster;
    const auto slot = std::to_string(cluster_slot(broken.gone));
    REQUIRE(cluster.node(1).command({"CLUSTER", "SETSLOT", slot, "IMPORTING", cluster.id(0)}) == "OK");
    CHECK(broken.box.run({"doctor", broken.gone, "--only", "misplaced"}).code == 1);
    REQUIRE(cluster.node(0).command({"CLUSTER", "SETSLOT", slot, "MIGRATING", cluster.id(1)}) == "OK");
    CHECK(broken.box.run({"doctor", broken.gone, "--only", "misplaced"}).code == 0);
}

TEST_CASE("Where no node has a slot it is said which one has windows of it") {
    ClusterBox box;
    const auto lost = key_on(box.cluster, 1);
    box.cluster.set_window(lost, "7", seconds_from_now(1000));
    const auto slot = std::to_string(cluster_slot(lost));
    box.cluster.drop_slot(cluster_slot(lost));
    const auto at = box.cluster.address(1);
    const auto found = parse_json(box.run({"doctor", "--only", "misplaced", "-o", "json"}).out).at("rows");
    REQUIRE(found.size() == 1);
    CHECK(found[0].at("shard") == at);
    CHECK(found[0].at("detail") == "shard '" + at + "' has its counter and expiry half, and no node has slot " + slot +
                                       ": no client is led to them");
    CHECK(contains(found[0].at("advice").get<std::string>(),
                   "on that shard CLUSTER ADDSLOTS with the number of the slot gives it"));
    const auto explained = box.run({"explain", lost, "--timeout", "1s"});
    INFO(explained.out << explained.err);
    CHECK_FALSE(contains(explained.out, "broken off"));
    CHECK(contains(explained.out, "hard '" + at + "' has its counter and expiry half"));
    CHECK(contains(explained.out, "CLUSTER ADDSLOTS"));
    const auto verified = box.run({"sharding", "verify"});
    CHECK(verified.code != 0);
    CHECK(contains(verified.err, "'" + lost + "' is on '" + at + "', and no node has its slot, "));
    const auto probed = box.run({"nodes", "--probe", "-n"});
    CHECK(probed.code == 9);
    CHECK(contains(probed.err, "no node of the Redis Cluster has slot " + slot));
    ClusterBox bare;
    const auto nothing_there = key_on(bare.cluster, 2);
    bare.cluster.drop_slot(cluster_slot(nothing_there));
    const auto empty = bare.run({"explain", nothing_there, "--timeout", "1s"});
    INFO(empty.out << empty.err);
    CHECK(contains(empty.out, "no primary that answered has keys of it"));
}

TEST_CASE("explain says of each stranded window once how it comes home, in the servers' own words") {
    BrokenOff broken;
    const auto explained = broken.box.run({"explain", broken.gone, broken.torn});
    INFO(explained.out);
    CHECK(contains(explained.out, "what is BUSYKEY is at home"));
    std::string words;
    for (const char c : explained.out) words += c == '\n' ? ' ' : c;
    for (const std::string said : {"no client is led to them there", "no client is led to it there"}) {
        const auto first = words.find(said);
        REQUIRE(first != std::string::npos);
        CHECK(words.find(said, first + 1) == std::string::npos);
    }
}

TEST_CASE("Half a window is not removed while its other half is stranded, or may be") {
    BrokenOff broken;
    broken.box.cluster.set_window(broken.left, "7", seconds_from_now(1000));
    auto& home = broken.box.cluster.node(0);
    home.command({"DEL", broken.left + ":exp"});
    const std::vector<std::string> fix{"doctor", "--fix", "orphan-counter", "-y"};
    INFO(broken.box.run(fix).err);
    CHECK(home.command({"EXISTS", broken.torn}) == "1");
    CHECK(home.command({"EXISTS", broken.left}) == "0");
    CHECK_FALSE(contains(broken.box.run({"doctor", "--fix", "all", "-y"}).err, "removes it"));
    const auto explained = broken.box.run({"explain", broken.torn});
    INFO(explained.out);
    CHECK_FALSE(contains(explained.out, "doctor --fix"));
    CHECK(contains(explained.out, "bring that home"));
}

TEST_CASE("explain says which primary may have what is missing of a window") {
    BrokenOff broken;
    broken.box.cluster.node(1).pause();
    const auto explained = broken.box.run({"explain", broken.torn, "--timeout", "500ms"});
    broken.box.cluster.node(1).resume();
    INFO(explained.out << explained.err);
    CHECK(
        contains(explained.out, "Shard '" + broken.box.cluster.address(1) + "' could not be asked, and may have the"));
}
