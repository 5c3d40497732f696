// Changes in a real Redis Cluster: each made once, recorded in the slot of its windows, and taken back wherever they
// are.
#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/cluster_box.h"
#include "cli/written_deployment.h"
#include "sharding/cluster_slots.h"
#include "support/built_programs.h"
#include "support/fault_proxy.h"

using namespace ratectl::test;
using ratectl::sharding::cluster_slot;

namespace {

constexpr int kChangedWindows = 300;

std::string nth_key(int i) { return "{core:c" + std::to_string(i) + "}"; }

int first_on(RedisCluster& cluster, std::size_t node) {
    int i = 0;
    while (cluster.home(nth_key(i)) != node) ++i;
    return i;
}

std::string every_nth_key() {
    std::string keys;
    for (int i = 0; i < kChangedWindows; ++i) keys += nth_key(i) + "\n";
    return keys;
}

void open_windows(ClusterBox& box, const std::string& used) {
    for (int i = 0; i < kChangedWindows; ++i) box.cluster.set_window(nth_key(i), used, seconds_from_now(3000));
}

/// What the nodes hold of a window now: the one that has the key says so.
std::string held_now(ClusterBox& box, const std::string& key) {
    for (std::size_t node = 0; node < box.cluster.size(); ++node) {
        auto reply = box.cluster.node(node).command({"GET", key});
        if (!reply.starts_with("(error)")) return reply;
    }
    return "nowhere";
}

std::string others_than(ClusterBox& box, const std::string& used) {
    std::string others;
    for (int i = 0; i < kChangedWindows; ++i) {
        const auto is = held_now(box, nth_key(i));
        if (is != used && others.size() < 200) others += nth_key(i) + " = " + is + "; ";
    }
    return others;
}

}  // namespace

TEST_CASE("Changes of a Redis Cluster are made once, recorded beside their windows, and taken back") {
    ClusterBox box;
    open_windows(box, "10");
    const auto counted = box.run({"increment", "-", "--amount", "5", "--op-id", "five", "--yes"}, every_nth_key());
    INFO(counted.err);
    CHECK(counted.code == 0);
    CHECK(others_than(box, "15") == "");
    std::size_t records = 0;
    for (std::size_t node = 0; node < 3; ++node) {
        const auto found = box.cluster.node(node).reply({"KEYS", "ratectl:op:*"});
        for (const auto& record : found.items) {
            CHECK(record.text.starts_with("ratectl:op:{"));
            ++records;
        }
    }
    CHECK(records > 250);

    // The same again changes nothing, nor does another under its id.
    CHECK(box.run({"increment", "-", "--amount", "5", "--op-id", "five", "--yes"}, every_nth_key()).code == 0);
    CHECK(others_than(box, "15") == "");
    const auto other = box.run({"increment", "{core:new}", "--op-id", "five", "--journal", box.folder() + "/none"});
    CHECK(other.code == 7);
    CHECK(contains(other.err, "belongs to another operation"));
    CHECK(held_now(box, "{core:new}") == "(nil)");

    CHECK(box.rows({"history", "--on-servers", "five"}).size() == kChangedWindows);
    CHECK(box.run({"undo", "five", "--yes"}).code == 0);
    CHECK(others_than(box, "10") == "");
    CHECK(box.run({"refund", nth_key(3), "--amount", "4"}).code == 0);
    CHECK(held_now(box, nth_key(3)) == "6");
    CHECK(box.run({"reset", "--match", "*", "--all", "--yes", "--op-id", "all"}).code == 0);
    CHECK(others_than(box, "(nil)") == "");
    const auto back = box.run({"undo", "all", "--yes"});
    INFO(back.err);
    CHECK(back.code == 0);
    CHECK(held_now(box, nth_key(3)) == "6");
    CHECK(held_now(box, nth_key(299)) == "10");
}

// It went from a node that was not swept yet to one that had been, and its records with it: they were found at neither.
TEST_CASE("Records of a slot that moves while its node is swept are found all the same") {
    ClusterBox box;
    open_windows(box, "10");
    REQUIRE(box.run({"increment", "-", "--amount", "5", "--op-id", "five", "--yes"}, every_nth_key()).code == 0);
    FaultProxy link(box.cluster.node(0).endpoint());
    box.reach_through(link.endpoint());
    bool moved = false;
    link.choose([&](const LinkRequest& request) {
        if (request.word == "SCAN" && !std::exchange(moved, true)) {
            std::this_thread::sleep_for(std::chrono::milliseconds(200));  // in which the other nodes are swept
            box.cluster.move_slot(cluster_slot(nth_key(first_on(box.cluster, 0))), 0, 1);
        }
        return LinkFault();
    });
    const auto told = box.run({"history", "--on-servers", "five", "-o", "json", "--timeout", "10s"});
    link.choose({});
    (void)link.counts();  // what the link's thread did is seen from here on
    INFO(told.err);
    CHECK(told.code == 0);
    CHECK(moved);
    CHECK(parse_json(told.out).at("rows").size() == kChangedWindows);
}

// The number of a call that takes one row back has its window's slot in it.
TEST_CASE("Of several changes of one window of a Redis Cluster that one is undone which was taken back") {
    ClusterBox box;
    const std::string row = R"({"key":"{core:a}","amount":1})"
                            "\n";
    REQUIRE(box.run({"increment", "-", "-y", "--input", "ndjson", "--op-id", "thrice"}, row + row + row).code == 0);
    REQUIRE(box.run({"undo", "thrice/2", "-y"}).code == 0);
    for (const std::string journal : {"/state/ratectl/journal.db", "/other.db"}) {
        nlohmann::json by;
        for (const auto& told : box.rows({"history", "thrice", "--journal", box.folder() + journal}))
            by.push_back(told.at("undone_by"));
        CHECK(by == nlohmann::json{nullptr, "thrice-undo", nullptr});
    }
}

TEST_CASE("A plan of changes is applied where the slots are by then") {
    ClusterBox box;
    open_windows(box, "10");
    const auto plan = box.folder() + "/plan";
    REQUIRE(box.run({"reset", "--match", "{core:*", "--plan", plan}).code == 0);
    for (int i = 0; i < 20; ++i) {
        const auto home = box.cluster.home(nth_key(i));
        box.cluster.move_slot(cluster_slot(nth_key(i)), home, (home + 1) % 3);
    }
    const auto applied = box.run({"apply", plan, "--yes"});
    INFO(applied.err);
    CHECK(applied.code == 0);
    CHECK(others_than(box, "(nil)") == "");
}

TEST_CASE("What a slot on its way refuses is not written, and waited for as long as there is time") {
    ClusterBox box;
    const auto key = key_on(box.cluster, 0);
    box.cluster.set_window(key, "10", seconds_from_now(3000));
    box.cluster.open_slot(cluster_slot(key), 0, 2);
    const auto refused = box.run({"increment", key, "--timeout", "2s"});
    CHECK(refused.code == 4);
    CHECK(contains(refused.err, "nothing was written"));
    std::thread closer([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(400));
        box.cluster.close_slot(cluster_slot(key), 0, 2);
    });
    const auto waited = box.run({"increment", key, "--timeout", "10s"});
    closer.join();
    CHECK(waited.code == 0);
    CHECK(held_now(box, key) == "11");
}

TEST_CASE("Every change is made once while slots move back and forth") {
    ClusterBox box;
    open_windows(box, "10");
    std::atomic<bool> over = false;
    std::string broken;
    std::thread mover([&] {
        try {
            for (int turn = 0; !over || turn % 2 != 0; ++turn) {
                for (int i = 0; i < 30; ++i) {
                    const auto home = box.cluster.home(nth_key(i));
                    const auto away = (home + 1) % 3;
                    box.cluster.move_slot(cluster_slot(nth_key(i)), turn % 2 == 0 ? home : away,
                                          turn % 2 == 0 ? away : home);
                }
            }
        } catch (const std::exception& e) {
            broken = e.what();
        }
    });
    std::string bad;
    const int times = few_if_sanitized(10);
    for (int i = 0; i < times; ++i) {
        const auto result = box.run({"increment", "-", "--timeout", "10s", "--yes"}, every_nth_key());
        if (result.code != 0) bad += std::to_string(result.code) + ": " + result.err;
    }
    over = true;
    mover.join();
    CHECK(broken == "");
    CHECK(bad == "");
    CHECK(others_than(box, std::to_string(10 + times)) == "");
}

TEST_CASE("Changes go to the replica that was promoted") {
    ClusterBox box(3, 1);
    box.write("nodes = [\"" + box.cluster.url(1) + "\"]");
    const auto key = key_on(box.cluster, 0);
    box.cluster.set_window(key, "10", seconds_from_now(3000));
    const auto first = box.run({"increment", key, "--op-id", "before", "--wait-replicas", "1"});
    INFO(first.err);
    CHECK(first.code == 0);
    box.cluster.kill(0);
    box.cluster.promote(3, true);
    int code = -1;
    for (int i = 0; i < 50 && code != 0; ++i) code = box.run({"increment", key, "--op-id", "after"}).code;
    CHECK(code == 0);
    CHECK(box.cluster.node(3).command({"GET", key}) == "12");
    CHECK(box.run({"undo", "before", "--yes"}).code == 0);
    CHECK(box.cluster.node(3).command({"GET", key}) == "11");
}

TEST_CASE("An undo that its window's slot has gone from says where the slot is") {
    ClusterBox box;
    const auto key = key_on(box.cluster, 0);
    box.cluster.set_window(key, "7", seconds_from_now(1000));
    REQUIRE(box.run({"increment", key, "--no-op-key"}).code == 0);
    const auto id = box.rows({"history"}).at(0).at("op").get<std::string>();
    box.cluster.move_slot(cluster_slot(key), 0, 2);
    const auto undone = box.run({"undo", id, "--yes"});
    INFO(undone.out << undone.err);
    CHECK(undone.code == 7);
    CHECK(contains(undone.err, "and its slot is at " + box.cluster.address(2) + " now"));
    CHECK_FALSE(contains(undone.err, "is now"));
    // It was forgotten with the node's name.
    CHECK(contains(box.run({"explain", key}).out, "From this machine: 7 -> 8 by increment"));
}

// It was `different-slots` where it was not looked at first, and the windows of its call were refused with it.
TEST_CASE("a key that falls apart over two slots is a bad key however it is given and takes no window with it") {
    const ClusterBox box;
    for (const bool piped : {false, true}) {
        std::vector<std::string> words{"increment", "--key", "{client}", "--limit", "10", "--period", "1h", "-y"};
        if (piped) {
            words.emplace_back("-");
        } else {
            words.insert(words.end(), {"plain:a", "{plain:a}"});  // in one slot
        }
        const auto rows = box.rows(words, piped ? "plain:a\n{plain:a}\n" : "");
        REQUIRE(rows.size() == 2);
        INFO(rows.dump());
        CHECK(rows[0].at("status") == "refused");
        CHECK(rows[0].at("reason") == "bad-key");
        CHECK(rows[0].at("node").is_null());
        CHECK(rows[1].at("status") == "applied");
    }
}

// It was `other-server`, as if another node had the slot.
TEST_CASE("An undo of a window whose slot no node has says so") {
    ClusterBox box;
    const auto key = key_on(box.cluster, 1);
    box.cluster.set_window(key, "7", seconds_from_now(1000));
    REQUIRE(box.run({"increment", key, "--op-id", "lost"}).code == 0);
    box.cluster.drop_slot(cluster_slot(key));
    const auto row_of = [&](std::vector<std::string> words, int code) {
        words.insert(words.end(), {"--timeout", "2s", "-o", "json"});
        const auto result = box.run(words);
        INFO(result.out << result.err);
        CHECK(result.code == code);
        return parse_json(result.out).at("rows").at(0);
    };
    for (const std::string change : {"undo", "increment"}) {
        for (const std::string dry : {"-n", "--yes"}) {
            const auto row = row_of({change, change == "undo" ? "lost" : key, dry}, 4);
            INFO(row.dump());
            CHECK(row.at("status") == "failed");
            CHECK(row.at("shard").is_null());
            CHECK(contains(row.at("message").get<std::string>(), "no node of the Redis Cluster has the key's slot"));
        }
    }
    CHECK(box.cluster.node(1).command({"CLUSTER", "COUNTKEYSINSLOT", std::to_string(cluster_slot(key))}) != "0");
}
