// Windows on their way from an application's own shards into a Redis Cluster, where they have other keys.
#include <atomic>
#include <csignal>
#include <thread>

#include "cli/printed_rows.h"
#include "cli/reshard_client.h"
#include "cli/reshard_cluster_box.h"
#include "sharding/cluster_slots.h"
#include "support/built_programs.h"
#include "support/catch.h"
#include "support/json.h"

using namespace ratectl::test;
using ratectl::sharding::cluster_slot;

namespace {

const std::size_t kClusteredWindows = few_if_sanitized(1500U);

void fill_shards(ReshardClusterBox& box, std::size_t windows = kClusteredWindows) {
    box.old.fill(static_cast<int>(windows), seconds_from_now(2000));
}

/// Both halves expire at the same time, give or take what a slot's way from node to node makes of a TTL.
bool same_window(const Standing& a, const Standing& b, std::int64_t give) {
    const auto near = [give](const std::string& one, const std::string& other) {
        return std::abs(std::stoll(one) - std::stoll(other)) <= give;
    };
    return a.used == b.used && a.reset_at == b.reset_at && near(a.used_expires, b.used_expires) &&
           near(a.reset_expires, b.reset_expires);
}

/// Windows of the cluster that are not, to the millisecond, what stood on the shards, and those that are missing.
std::string not_as_before(ReshardClusterBox& box, const std::map<std::string, std::map<std::size_t, Standing>>& before,
                          std::int64_t give = 0) {
    const auto moved = box.moved();
    std::string odd = moved.size() == before.size() ? "" : std::to_string(moved.size()) + " windows; ";
    for (const auto& [key, places] : before) {
        const auto found = moved.find(ReshardClusterBox::new_key(key));
        const bool right = found != moved.end() && same_window(found->second, places.begin()->second, give);
        if (!right && odd.size() < 200) odd += key + (found == moved.end() ? " is gone; " : " is another; ");
    }
    return odd;
}

}  // namespace

TEST_CASE("windows of shards move into a Redis Cluster under the keys that its policies say, and back") {
    ReshardClusterBox box;
    fill_shards(box);
    const auto before = box.old.windows();
    const auto plan = box.plan({"-o", "ndjson", "--above", "110%"});
    INFO(plan.err);
    CHECK(plan.code == 0);
    CHECK(contains(plan.err, std::to_string(kClusteredWindows) + " would move (100 %)"));
    CHECK(box.old.windows() == before);
    CHECK(box.moved().empty());

    const auto result = box.apply({"-o", "ndjson", "--op-id", "CLUSTER", "--reason", "a cluster"});
    INFO(result.err);
    CHECK(result.code == 0);
    const auto rows = key_rows(result);
    CHECK(rows.size() == kClusteredWindows);
    for (const auto& row : rows) {
        const bool as_it_should = row.at("status") == "applied" && row.at("copies") == 1 &&
                                  row.at("new_key") == ReshardClusterBox::new_key(row.at("key"));
        if (!as_it_should) {
            CHECK(row.dump() == "");
            break;
        }
    }
    CHECK(box.old.windows().empty());
    CHECK(not_as_before(box, before) == "");
    // Each copy is recorded in the slot of its window.
    CHECK(box.cluster.node(0).reply({"KEYS", "ratectl:op:{*}:CLUSTER-copy.*"}).items.size() > kClusteredWindows / 6);
    const auto again = box.apply();
    CHECK(again.code == 1);
    CHECK(contains(again.err, "nothing has to move"));

    CHECK(box.back().code == 0);
    CHECK(box.moved().empty());
    CHECK(box.old.windows() == before);
}

TEST_CASE("windows without a name in the Redis Cluster are named by plan and apply, and stay") {
    ReshardClusterBox box;
    std::ofstream(box.old.file("three"), std::ios::app)
        << "[[deployments.three.policies]]\nname = \"search\"\nkey = \"search:{client}\"\nlimit = 10\n";
    const auto reset_at = seconds_from_now(2000);
    for (const auto* key : {"core:a", "search:a", "search:b", "stray", "{stray}"}) box.old.put(key, "9", reset_at);
    for (const bool moves : {false, true}) {
        const auto result = moves ? box.apply() : box.plan();
        INFO(result.out << result.err);
        CHECK(result.code == (moves ? 9 : 0));
        CHECK(contains(result.err, "2 windows of deployment 'three' are not moved to deployment 'cluster'"));
        CHECK(contains(result.err, "of policy 'search', which the new deployment does not have"));
        CHECK(
            contains(result.err,
                     "of no policy, and both keys of one would be in different slots of the Redis Cluster ('stray')"));
    }
    const auto left = box.old.windows();
    CHECK(left.size() == 3);
    CHECK(left.contains("stray"));
    const auto moved = box.moved();
    CHECK(moved.size() == 2);
    CHECK(moved.contains("{stray}"));
}

TEST_CASE("a plan tells of slots of the target that no node has") {
    ReshardClusterBox box;
    const auto reset_at = seconds_from_now(2000);
    box.old.put("core:a", "9", reset_at);
    box.cluster.drop_slot(cluster_slot("{core:a}"));
    const auto planned = box.plan();
    INFO(planned.out << planned.err);
    CHECK(planned.code == 9);
    CHECK(contains(planned.err, "deployment 'cluster': no node of the Redis Cluster has slot " +
                                    std::to_string(cluster_slot("{core:a}"))));
    CHECK(contains(planned.err, "it is in a slot that no node there has ('core:a')"));
    CHECK(contains(planned.err, ": 0 would move"));
    CHECK(box.apply({"-y"}).code == 9);
    CHECK(box.moved().empty());
    CHECK(box.old.windows().contains("core:a"));
}

TEST_CASE("policies that do not go together are refused before anything is written") {
    ReshardClusterBox box;
    box.old.put("core:a", "9", seconds_from_now(2000));
    const auto refused = [&](const std::string& policy, const char* words) {
        box.write("[[deployments.cluster.policies]]\nname = \"core\"\nlimit = 5\n" + policy);
        const auto result = box.apply();
        INFO(result.err);
        CHECK(result.code == 3);
        CHECK(contains(result.err, words));
        CHECK(contains(result.err, "nothing was done"));
    };
    refused("key = \"core:{client}\"\n", "different slots of the Redis Cluster");
    refused("key = \"core:{client}\"\n", "key = \"{{core:{client}}}\"");
    refused("key = \"{{core:{client}:{route}}}\"\n", "do not say what hole 'route'");
    refused("key = \"{{core:{user}}}\"\n", "do not say what hole 'user'");
    refused("key = \"{{core:{client}}}\"\nscheme = \"counter\"\n", "as 'counter' in the other");
    CHECK(box.moved().empty());
    CHECK(box.old.windows().size() == 1);
    // What the old keys hold is enough for a digest of it, and that is the end of it.
    box.write("[[deployments.cluster.policies]]\nname = \"core\"\nlimit = 5\nkey = \"{{core:{client|md5}}}\"\n");
    CHECK(box.apply().code == 0);
    CHECK(box.moved().contains("{core:0cc175b9c0f1b6a831c399e269772661}"));
    CHECK(box.back().code == 3);
    const auto itself = box.old.run({"reshard", "apply", box.old.file("cluster"), box.old.file("cluster")});
    CHECK(itself.code == 3);
    CHECK(contains(itself.err, "two Redis Clusters"));
    CHECK(box.moved().size() == 1);
}

TEST_CASE("a mover into a Redis Cluster is killed again and again while the application counts, and nothing is lost") {
    ReshardClusterBox box;
    fill_shards(box);
    ReshardClient client(box.old, kClusteredWindows, seconds_from_now(5000));
    const auto look = box.plan().wall_time.count();
    const auto has_copy = [&] {
        bool has = false;
        for (std::size_t i = 0; i < box.cluster.size(); ++i) has |= box.cluster.node(i).command({"DBSIZE"}) != "0";
        return has;
    };
    CHECK(tear_a_move(box.old, has_copy, [&](RunOptions options) {
        return box.apply({"-q", "--op-id", "MOVE", "--timeout", "60s"}, std::move(options));
    }));
    CHECK(copies_beside_sources(box) > 0);
    int killed = 0;
    auto delay = look / 3;
    // A sanitizer hears little of a process that is killed.
    const int step = is_binary_sanitized() ? 3 : 1;
    const int wanted = few_if_sanitized(5);
    for (int run = 0; run < 10 || (killed < wanted && run < 100); run += step) {
        RunOptions options;
        options.signal_number = SIGKILL;
        options.signal_after = std::chrono::milliseconds(delay);
        const bool is_killed = box.apply({"-q", "--op-id", "MOVE", "--timeout", "60s"}, options).signal == SIGKILL;
        killed += is_killed ? 1 : 0;
        delay = is_killed ? delay + look * step / 10 : delay * 3 / 4;
    }
    CHECK(killed >= wanted);
    client.stop();
    const auto last = box.apply({"--op-id", "MOVE", "--timeout", "60s"});
    INFO(last.err);
    CHECK((last.code == 0 || last.code == 1));
    CHECK(copies_beside_sources(box) == 0);
    CHECK(miscounted(box, client, kClusteredWindows) == "");
    CHECK(client.all_counted() > 50);
    CHECK_FALSE(client.failed());
}

// Known at the latest when so much is over: whether what was recorded, and perhaps never sent, has been carried out.
static constexpr auto kTimeOfKilled = "10s";

// The application has not switched: it has opened windows anew where those that were moved had stood.
TEST_CASE("a move to a Redis Cluster is taken back as if it had never been, under kills and under the application") {
    ReshardClusterBox box;
    fill_shards(box);
    const auto before = box.old.windows();
    REQUIRE(box.apply({"-q"}).code == 0);
    ReshardClient client(box.old, kClusteredWindows, seconds_from_now(5000));
    while (client.all_counted() < few_if_sanitized(1000)) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const auto look = box.plan().wall_time.count();
    int killed = 0;
    auto delay = look / 2;
    const int wanted = few_if_sanitized(3);
    for (int run = 0; run < few_if_sanitized(7) || (killed < wanted && run < 100); ++run) {
        RunOptions options;
        options.signal_number = SIGKILL;
        options.signal_after = std::chrono::milliseconds(delay);
        const bool is_killed =
            box.back({"-q", "--merge", "--op-id", "BACK", "--timeout", kTimeOfKilled}, options).signal == SIGKILL;
        killed += is_killed ? 1 : 0;
        delay = is_killed ? delay + look / 10 : delay * 3 / 4;
    }
    CHECK(killed >= wanted);
    // What a request that was on its way at a kill has done is known when its time is over.
    int code = -1;
    std::string said;
    for (int i = 0; i < 40 && code != 0 && code != 1; ++i) {
        const auto last = box.back({"--merge", "--op-id", "BACK", "--timeout", "60s"});
        code = last.code;
        said += last.err;
        if (code != 0 && code != 1) std::this_thread::sleep_for(std::chrono::milliseconds(500));
    }
    client.stop();
    INFO(said);
    CHECK((code == 0 || code == 1));
    CHECK(box.moved().empty());
    auto after = box.old.windows();
    std::string wrong;
    for (std::size_t i = 0; i < kClusteredWindows; ++i) {
        const auto key = ReshardBox::key(i);
        const auto& was = before.at(key).begin()->second;
        const auto& is = after[key].begin()->second;
        const auto expected = std::stoll(was.used) + client.counted(i);
        if ((std::stoll(is.used) != expected || is.reset_at != was.reset_at) && wrong.size() < 200)
            wrong += key + " has " + is.used + " instead of " + std::to_string(expected) + "; ";
    }
    CHECK(wrong == "");
    CHECK_FALSE(client.failed());
}

TEST_CASE("a newer window is added to under --merge alone, and only where it ends later") {
    ReshardClusterBox box;
    const auto reset_at = seconds_from_now(2000);
    box.old.put("core:a", "9", reset_at);
    REQUIRE(box.apply().code == 0);
    box.old.put("core:a", "5", reset_at + 1);
    for (const bool merges : {false, true}) {
        const auto later = box.apply({"-o", "ndjson", merges ? "--merge" : "-q"});
        CHECK(key_rows(later).at(0).at("why_not") == "window-there");
    }
    box.old.put("core:a", "5", reset_at - 1);
    CHECK(key_rows(box.apply({"-o", "ndjson"})).at(0).at("why_not") == "window-there");
    CHECK(key_rows(box.apply({"-o", "ndjson", "--merge", "-n"})).at(0).at("status") == "planned");
    CHECK(box.old.windows().size() == 1);
    CHECK(box.apply({"--merge"}).code == 0);
    CHECK(box.old.windows().empty());
    const auto merged = box.moved().at("{core:a}");
    CHECK(merged.used == "14");
    CHECK(merged.reset_at == std::to_string(reset_at - 1));
}

TEST_CASE("windows find their places in a Redis Cluster whose slots are on their way") {
    ReshardClusterBox box;
    fill_shards(box, few_if_sanitized(400U));
    const auto before = box.old.windows();
    std::atomic<bool> over = false;
    std::string broken;
    std::thread mover([&] {
        try {
            for (int turn = 0; !over; ++turn) {
                for (std::uint64_t i = 0; i < 20; ++i) {
                    const auto key = ReshardClusterBox::new_key(ReshardBox::key(i));
                    const auto home = box.cluster.home(key);
                    const auto away = (home + 1) % 3;
                    const bool there = turn % 2 == 0;
                    box.cluster.move_slot(cluster_slot(key), there ? home : away, there ? away : home);
                }
            }
        } catch (const std::exception& e) {
            broken = e.what();
        }
    });
    int code = -1;
    std::string said;
    for (int run = 0; run < few_if_sanitized(3); ++run) {
        const auto there = box.apply({"--timeout", "10s"});
        code = there.code;
        said += there.err;
        const auto back = box.back({"--timeout", "10s"});
        CHECK((back.code == 0 || back.code == 9));
    }
    over = true;
    mover.join();
    INFO(said);
    CHECK(broken == "");
    CHECK((code == 0 || code == 9));
    const auto last = box.apply();
    CHECK((last.code == 0 || last.code == 1));
    CHECK(box.old.windows().empty());
    CHECK(not_as_before(box, before, 2000) == "");
}

TEST_CASE("a primary of the Redis Cluster that is dead costs only the windows of its slots") {
    ReshardClusterBox box;
    // Whole cover is not asked for, so that the others go on.
    for (std::size_t node = 0; node < 3; ++node)
        box.cluster.node(node).command({"CONFIG", "SET", "cluster-require-full-coverage", "no"});
    fill_shards(box, 120);
    const auto before = box.old.windows();
    box.cluster.kill(1);
    const auto result = box.apply({"-o", "ndjson", "--timeout", "2s"});
    INFO(result.err);
    CHECK((result.code == 4 || result.code == 9));
    for (const auto& row : key_rows(result)) {
        const bool dead = box.cluster.home(row.at("new_key")) == 1;
        if ((row.at("status") == "applied") == dead) {
            CHECK(row.dump() == "");
            break;
        }
    }
    CHECK(box.old.windows().size() > 20);
    box.cluster.node(1).start_again();
    int code = -1;
    for (int i = 0; i < 50 && code != 0; ++i) code = box.apply({"-q"}).code;
    CHECK(code == 0);
    CHECK(box.old.windows().empty());
    CHECK(not_as_before(box, before) == "");
}
