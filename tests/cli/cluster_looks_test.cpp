// Named keys of a real Redis Cluster: found on any node, while slots are on their way, and after a failover. One that
// is not whole: slots that no node has or that are stuck half way, and nodes that have failed.
#include <sys/stat.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "cli/cluster_box.h"
#include "cli/written_deployment.h"
#include "sharding/cluster_slots.h"

using namespace ratectl::test;
using ratectl::sharding::cluster_slot;

TEST_CASE("Keys of a Redis Cluster are looked at wherever they are") {
    ClusterBox box;
    const auto end = seconds_from_now(1000);
    std::string keys;
    for (int i = 0; i < 300; ++i) {
        const auto key = "{core:c" + std::to_string(i) + "}";
        if (i % 3 != 2) box.cluster.set_window(key, std::to_string(i), end);
        keys += key + "\n";
    }
    const auto rows = box.rows({"check", "-"}, keys);
    REQUIRE(rows.size() == 300);
    for (int i = 0; i < 300; ++i) {
        const auto& row = rows[static_cast<std::size_t>(i)];
        const std::string key = row.at("key");
        INFO(row.dump());
        CHECK(key == "{core:c" + std::to_string(i) + "}");
        CHECK(row.at("node") == box.cluster.address(box.cluster.home(key)));
        CHECK(row.at("used") == (i % 3 == 2 ? nlohmann::json() : nlohmann::json(i)));
    }

    const auto apart = box.run({"check", "core:plain", "{core:c1}"});
    CHECK(apart.code == 9);
    CHECK(contains(apart.err, "'core:plain' is in slot " + std::to_string(cluster_slot("core:plain"))));
    CHECK(contains(apart.err, "they are no window there"));
    CHECK(contains(apart.out, "{core:c1}"));
    const auto compared = box.rows({"compare", "core:plain"}).at(0);
    CHECK(compared.at("cause") == "bad-key");
    CHECK(compared.at("node").is_null());
    CHECK(contains(compared.at("detail").get<std::string>(), "they are no window there"));
    CHECK(contains(box.run({"explain", "core:plain"}).out, "is limited: 'core:plain' is in slot"));

    CHECK(contains(box.run({"explain", "{core:c1}"}).out, "1 of 100 requests used"));
    const auto place = box.rows({"locate", "--steps", "{core:c1}"}).at(0);
    CHECK(place.at("tag") == "core:c1");
    CHECK(place.at("bucket") == cluster_slot("core:c1"));
    CHECK(place.at("node") == box.cluster.address(box.cluster.home("{core:c1}")));
    CHECK(place.at("slot_state") == "settled");
}

TEST_CASE("A key whose slot is on its way is found before and behind it and waited for in between") {
    ClusterBox box;
    const auto key = key_on(box.cluster, 0);
    const auto other = key_on(box.cluster, 1);
    const auto slot = cluster_slot(key);
    box.cluster.set_window(key, "7", seconds_from_now(1000));
    box.cluster.set_window(other, "8", seconds_from_now(1000));
    const auto used = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"check", key, other, "--timeout", "2s"});
        const auto rows = box.rows(more);
        return rows.size() == 2 ? rows[0].at("used").dump() + " at " + rows[0].at("node").get<std::string>() : "";
    };
    box.cluster.open_slot(slot, 0, 2);
    CHECK(used({}) == "7 at " + box.cluster.address(0));
    CHECK(contains(box.rows({"locate", "--steps", key}).at(0).at("slot_state").get<std::string>(),
                   "migrating from " + box.cluster.address(0) + " to " + box.cluster.address(2)));

    box.cluster.move_key(key + ":exp", 0, 2);
    const auto half = box.run({"check", key, other, "--timeout", "2s"});
    CHECK(half.code == 9);
    CHECK(contains(half.err, "slot is on its way to another node"));
    CHECK(contains(half.out, other));
    CHECK_FALSE(contains(half.out, key));

    box.cluster.move_key(key, 0, 2);
    for (const auto& way : {std::vector<std::string>{}, {"--as-script"}}) {
        CHECK(used(way) == "7 at " + box.cluster.address(2));
    }
    box.cluster.close_slot(slot, 0, 2);
    CHECK(used({}) == "7 at " + box.cluster.address(2));
    box.cluster.move_slot(slot, 2, 0);
    CHECK(used({}) == "7 at " + box.cluster.address(0));
}

TEST_CASE("Replicas are read too, but not believed where keys may have left") {
    ClusterBox box(3, 1);
    const auto key = key_on(box.cluster, 0);
    const auto slot = cluster_slot(key);
    box.cluster.set_window(key, "7", seconds_from_now(1000));
    box.cluster.node(3).await_replication_of(box.cluster.node(0));
    const auto row = [&](const std::string& from) { return box.rows({"check", key, "--from", from}).at(0); };
    CHECK(row("replica").at("node") == box.cluster.address(3));
    CHECK(row("replica").at("used") == 7);
    CHECK(row(box.cluster.address(3)).at("used") == 7);
    CHECK(box.rows({"check", key, "--from", "all"}).size() == 2);
    CHECK(box.rows({"check", key_on(box.cluster, 0, 5), "--from", "replica"}).at(0).at("state") == "absent");

    box.cluster.open_slot(slot, 0, 1);
    box.cluster.move_key(key, 0, 1);
    box.cluster.move_key(key + ":exp", 0, 1);
    box.cluster.node(3).await_replication_of(box.cluster.node(0));
    const auto gone = box.run({"check", key, "--from", "replica"});
    CHECK(gone.code == 4);
    CHECK(contains(gone.err, "a replica does not know which keys have left it"));
    CHECK(row("primary").at("used") == 7);
    box.cluster.close_slot(slot, 0, 1);
    CHECK(row("replica").at("node") == box.cluster.address(4));
}

// One question a key was more than the replica had spared its primary.
TEST_CASE("A primary is asked seldom for the slots of keys that its replica does not have") {
    ClusterBox box(3, 1);
    std::string keys;
    for (int i = 0; i < 900; ++i) keys += "{core:none" + std::to_string(i) + "}\n";
    for (std::size_t i = 0; i < 3; ++i) box.cluster.node(i).command({"CONFIG", "RESETSTAT"});
    const auto rows = box.rows({"check", "-", "--from", "replica"}, keys);
    CHECK(rows.size() == 900);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        CHECK(rows[i].at("key") == "{core:none" + std::to_string(i) + "}");
        CHECK(rows[i].at("state") == "absent");
        CHECK(rows[i].at("role") == "replica");
    }
    long asked = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        const auto stats = box.cluster.node(i).command({"INFO", "commandstats"});
        const std::string nodes = "cmdstat_cluster|nodes:calls=";
        const auto at = stats.find(nodes);
        if (at != std::string::npos) asked += std::stol(stats.substr(at + nodes.size()));
    }
    CHECK(asked > 0);
    CHECK(asked < 200);
}

TEST_CASE("After a failover the new primary is asked, also where the configuration names the dead one") {
    ClusterBox box(3, 1);
    box.write("nodes = [\"" + box.cluster.url(0) + "\", \"" + box.cluster.url(1) + "\"]");
    const auto key = key_on(box.cluster, 0);
    box.cluster.set_window(key, "7", seconds_from_now(1000));
    box.cluster.node(3).await_replication_of(box.cluster.node(0));
    box.cluster.kill(0);
    box.cluster.promote(3, true);
    nlohmann::json found;
    for (int i = 0; i < 100 && (found.empty() || found[0].at("node") != box.cluster.address(3)); ++i) {
        const auto result = box.run({"check", key, "-o", "json"});
        if (result.code == 0) found = parse_json(result.out).at("rows");
    }
    REQUIRE(found.size() == 1);
    CHECK(found[0].at("node") == box.cluster.address(3));
    CHECK(found[0].at("used") == 7);
}

TEST_CASE("What is not done on a Redis Cluster is refused, and nodes out of place are told of") {
    ClusterBox box;
    const auto key = key_on(box.cluster, 0);
    const auto moved = box.run({"reshard", "plan", box.config_file(), box.config_file()});
    CHECK(moved.code == 3);
    CHECK(contains(moved.err, "Redis Cluster"));
    CHECK(box.cluster.node(0).command({"DBSIZE"}) == "0");
    const auto guessed = box.run({"sharding", "guess"});
    CHECK(guessed.code == 2);
    CHECK(contains(guessed.err, "a Redis Cluster places keys by its slots"));

    const auto direct = run_ratectl({"check", key, "-u", box.cluster.url(0)});
    CHECK(direct.code == 11);
    CHECK(contains(direct.err, "kind = \"cluster\""));

    const RedisServer alone;
    box.write("nodes = [\"" + alone.endpoint().url() + "\"]");
    const auto no_cluster = box.run({"check", key});
    CHECK(no_cluster.code == 11);
    CHECK(contains(no_cluster.err, "is no node of a Redis Cluster"));
}

TEST_CASE("A policy whose windows fall apart over slots is told of before anything is asked") {
    const ClusterBox box(1);
    std::ofstream(box.config_file(), std::ios::app)
        << "[[deployments.box.policies]]\nname = \"apart\"\nkey = \"apart:{client}\"\nlimit = 5\n"
           "[[deployments.box.policies]]\nname = \"one\"\nkey = \"one:{client}\"\nscheme = \"counter\"\nlimit = 5\n";
    const auto checked = box.run({"config", "check", "--connect"});
    INFO(checked.out);
    CHECK(checked.code == 1);
    CHECK(contains(checked.out, "policy 'apart': the keys of a window are in different slots"));
    CHECK(contains(checked.out, "key = \"{{apart:{client}}}\""));
    CHECK_FALSE(contains(checked.out, "policy 'core'"));
    CHECK_FALSE(contains(checked.out, "policy 'one'"));
    CHECK(contains(checked.out, "primary " + box.cluster.address(0)));
}

TEST_CASE("Windows of a slot that no node has are never left out silently") {
    ClusterBox box;
    const auto lost = key_on(box.cluster, 1);
    const auto there = key_on(box.cluster, 0);
    for (const auto& key : {lost, there}) box.cluster.set_window(key, "7", seconds_from_now(1000));
    box.cluster.drop_slot(cluster_slot(lost));
    const auto words = "no node of the Redis Cluster has slot " + std::to_string(cluster_slot(lost));
    for (const auto& command :
         std::vector<std::vector<std::string>>{{"scan", "--count"},
                                               {"stats"},
                                               {"doctor"},
                                               {"nodes"},
                                               {"reset", "--policy", "core", "--match", "*", "-n"}}) {
        const auto result = box.run(command);
        INFO(command[0] << " " << result.code << "\n" << result.out << result.err);
        CHECK(result.code == 9);
        CHECK(contains(result.err, words));
    }
    const auto checked = box.run({"config", "check", "--connect"});
    CHECK(checked.code == 1);
    CHECK(contains(checked.out, words));

    // A node that is gone hides none of it.
    box.cluster.kill(2);
    for (const std::string command : {"scan", "stats", "doctor", "nodes"}) {
        const auto result = box.run({command, "--timeout", "2s"});
        INFO(command << "\n" << result.out << result.err);
        CHECK(result.code == 9);
        CHECK(contains(result.err, words));
        CHECK(contains(result.err, box.cluster.address(2)));
    }
}

TEST_CASE("A key whose slot no node has is said to be nowhere, and no node is blamed for it") {
    ClusterBox box;
    const auto lost = key_on(box.cluster, 1);
    const auto there = key_on(box.cluster, 0);
    box.cluster.drop_slot(cluster_slot(lost));
    const auto rows = box.rows({"locate", "--steps", lost, there});
    CHECK(rows.at(0).at("node").is_null());
    CHECK(rows.at(0).at("shard").is_null());
    CHECK(rows.at(0).at("slot_state") == "no node has it");
    CHECK(rows.at(1).at("node") == box.cluster.address(0));
    CHECK(rows.at(1).at("slot_state") == "settled");
    CHECK(box.run({"locate", lost}).code == 4);
    CHECK(box.run({"locate", lost, there}).code == 9);

    const auto checked = box.run({"check", lost, "--timeout", "2s"});
    CHECK(checked.code == 4);
    CHECK(contains(checked.err, "no node of the Redis Cluster has the key's slot"));
    const auto among = box.run({"check", lost, there, "--timeout", "2s", "-o", "json"});
    INFO(among.out << among.err);
    CHECK(among.code == 9);
    CHECK(contains(among.err, "1 of 2 keys could not be looked at, '" + lost + "'"));
    const auto left_out = parse_json(among.out).at("left_out");
    REQUIRE(left_out.size() == 1);
    CHECK(left_out.at(0).at("key") == lost);
    CHECK(contains(left_out.at(0).at("why").get<std::string>(), "no node of the Redis Cluster has the key's slot"));
    const auto watched =
        box.run({"watch", lost, "--every", "100ms", "--rounds", "2", "--timeout", "2s", "-o", "ndjson"});
    INFO(watched.out << watched.err);
    CHECK(watched.code == 4);
    CHECK(contains(watched.err, "no node of the Redis Cluster has the key's slot"));
    const auto event = parse_json(watched.out.substr(0, watched.out.find('\n')));
    CHECK(event.at("event") == "failed");
    CHECK(event.at("key") == lost);
    CHECK(event.at("node").is_null());
    // These ask which slots there are and need not wait; a look would, for its node to take the slot.
    const auto explained = box.run({"explain", lost, "--timeout", "1h"});
    CHECK(explained.code == 4);
    CHECK(contains(explained.out, "no node of the Redis Cluster has its slot"));
    CHECK_FALSE(contains(explained.out, "of shard"));
    box.cluster.set_window(there, "7", seconds_from_now(1000));
    const auto compared = box.run({"compare", lost, there, "--timeout", "1h", "-o", "json"});
    INFO(compared.out << compared.err);
    CHECK(compared.code == 9);
    CHECK(contains(compared.err, "1 window is the same on 1 node; no node answered for 1 window"));
    const auto views = parse_json(compared.out).at("rows");
    REQUIRE(views.size() == 2);
    CHECK(views.at(0).at("key") == lost);
    CHECK(views.at(0).at("node").is_null());
    CHECK(views.at(0).at("shard").is_null());
    CHECK(views.at(0).at("cause") == "ownerless-slot");
    CHECK(views.at(1).at("used") == 7);
    const auto written = box.rows({"increment", lost, "--timeout", "2s"}).at(0);
    INFO(written.dump());
    CHECK(written.at("status") == "failed");
    CHECK(written.at("shard").is_null());
    CHECK(contains(written.at("message").get<std::string>(), "no node of the Redis Cluster has the key's slot"));
}

TEST_CASE("What no node has is said once, however many nodes were asked") {
    ClusterBox box(3, 1);
    const auto lost = key_on(box.cluster, 1);
    box.cluster.drop_slot(cluster_slot(lost));
    const auto explained = box.run({"explain", lost, lost + "b", "--timeout", "2s"});
    INFO(explained.out << explained.err);
    CHECK(explained.code == 4);
    const std::string words = "no node of the Redis Cluster has the key's slot";
    const auto first = explained.err.find(words);
    REQUIRE(first != std::string::npos);
    CHECK(explained.err.find(words, first + 1) == std::string::npos);
}

TEST_CASE("Windows of a slot that is stuck half way are looked at wherever each of them is") {
    ClusterBox box;
    const auto moved = key_on(box.cluster, 0);
    const auto slot = cluster_slot(moved);
    const auto left = moved + "b";
    for (const auto& key : {moved, left}) box.cluster.set_window(key, "7", seconds_from_now(1000));
    box.cluster.open_slot(slot, 0, 1);
    for (const auto& name : {moved, moved + ":exp"}) box.cluster.move_key(name, 0, 1);
    for (const auto& look : {"light", "full"}) {
        const auto rows = box.rows({"check", moved, left, "--look", look});
        REQUIRE(rows.size() == 2);
        CHECK(rows.at(0).at("node") == box.cluster.address(1));
        CHECK(rows.at(1).at("node") == box.cluster.address(0));
        for (const auto& row : rows) CHECK(row.at("used") == 7);
    }
    const auto scanned = box.run({"scan", "--match", "*", "--count"});
    INFO(scanned.err);
    CHECK(scanned.code == 0);
    CHECK(contains(scanned.out, "2"));
}

TEST_CASE("A slot that is stuck half way keeps no change from the other slots of its node") {
    ClusterBox box;
    box.write("nodes = [\"" + box.cluster.url(0) + "\"]\n[[deployments.box.policies]]\nname = \"hot\"\n" +
              "key = \"{{hot}}:{client}\"\nlimit = 100\nperiod = \"1h\"\n");
    const auto home = box.cluster.home("{hot}:0");
    const auto away = (home + 1) % 3;
    std::string keys;
    for (int i = 0; i < 120; ++i) {
        const auto hot = "{hot}:" + std::to_string(i);
        box.cluster.set_window(hot, "5", seconds_from_now(1000));
        keys += hot + "\n" + (i < 60 ? key_on(box.cluster, home, i) + "\n" : "");
    }
    box.cluster.open_slot(cluster_slot("{hot}:0"), home, away);
    for (const std::string name : {"{hot}:3", "{hot}:3:exp"}) box.cluster.move_key(name, home, away);
    const auto result = box.run({"increment", "-", "--yes", "--timeout", "2s", "-o", "json"}, keys);
    INFO(result.err);
    CHECK(result.code == 9);
    CHECK(contains(result.err, "60 applied"));
    std::size_t refused = 0;
    const auto answer = parse_json(result.out);
    for (const auto& row : answer.at("rows")) {
        const bool hot = row.at("key").get<std::string>().starts_with("{hot}");
        INFO(row.dump());
        CHECK((row.at("status") == "applied") != hot);
        if (hot) CHECK(row.at("why_not") == "unavailable");
        if (hot) ++refused;
    }
    CHECK(refused == 120);
}

TEST_CASE("A primary that failed and has a successor is among the nodes, as failed") {
    ClusterBox box(3, 1);
    box.write("nodes = [\"" + box.cluster.url(1) + "\"]");
    box.cluster.node(3).await_replication_of(box.cluster.node(0));
    box.cluster.kill(0);
    box.cluster.promote(3, true);
    RunResult nodes;
    for (int i = 0; i < 100 && !contains(nodes.out, "\"" + box.cluster.address(0) + "\""); ++i)
        nodes = box.run({"nodes", "-o", "json"});
    INFO(nodes.out);
    CHECK(nodes.code == 9);
    CHECK(parse_json(nodes.out).at("rows").size() == 6);
    CHECK(parse_json(nodes.out).at("failures").at(0).at("node") == box.cluster.address(0));
}

namespace {

/// What such a command says, in lines, of a key that it is given before a failover and three times behind it; `back`:
/// and three times behind the one back.
std::string over_a_failover(ClusterBox& box, const std::string& command, bool back = false) {
    const auto key = key_on(box.cluster, 0);
    box.cluster.set_window(key, "4", seconds_from_now(1000));
    box.cluster.node(3).await_replication_of(box.cluster.node(0));
    const auto keys = box.folder() + "/keys";
    REQUIRE(mkfifo(keys.c_str(), 0600) == 0);
    std::thread operations;
    RunOptions options;
    options.environment["RATECTL_CONFIG"] = box.config_file();
    options.environment["XDG_STATE_HOME"] = box.folder() + "/state";
    options.started = [&](int) {
        operations = std::thread([&] {
            std::ofstream into(keys);
            into << key << std::endl;
            std::this_thread::sleep_for(std::chrono::milliseconds(500));
            const auto fail_over = [&](std::size_t from, std::size_t to) {
                box.cluster.promote(to, from != 0);
                // It waits for the next ping of its successor.
                while (!box.cluster.node(from).command({"ROLE"}).starts_with("slave"))
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                for (int i = 0; i < 3; ++i) {
                    into << key << std::endl;
                    std::this_thread::sleep_for(std::chrono::milliseconds(200));
                }
            };
            fail_over(0, 3);
            if (!back) return;
            box.cluster.node(0).await_replication_of(box.cluster.node(3));
            fail_over(3, 0);
        });
    };
    const auto result =
        run_program("/bin/sh", {"-c", "cat '" + keys + "' | " + ratectl_binary() + " " + command}, options);
    operations.join();
    INFO(result.err);
    CHECK(result.code == 0);
    return result.out;
}

}  // namespace

// The node that came back was taken for a shard of its own, which the command had no name of: it crashed.
TEST_CASE("Changes go on over a failover and the one back") {
    ClusterBox box(3, 1);
    const auto shown = over_a_failover(box, "increment - -y -o csv --columns shard,status,after_used", true);
    const auto shard = box.cluster.address(0);
    std::string expected = "shard,status,after_used\n";
    for (int used = 5; used < 12; ++used) expected += shard + ",applied," + std::to_string(used) + "\n";
    CHECK(shown == expected);
}

// For a second the view has the former primary beside its successor, without slots: it was left out, or taken for one
// with keys of slots that it does not have.
TEST_CASE("Commands that go on over a failover know the former primary for a replica") {
    ClusterBox box(3, 1);
    const auto was = box.cluster.address(0);
    const auto is = box.cluster.address(3);
    const std::string rows = was + ",primary\n" + is + ",replica\n";
    const std::string rows_then = is + ",primary\n" + was + ",replica\n";
    SECTION("check") {
        const auto shown = over_a_failover(box, "check - --from all -o csv --columns node,role");
        CHECK(shown == "node,role\n" + rows + rows_then + rows_then + rows_then);
    }
    SECTION("compare") {
        const auto shown = over_a_failover(box, "compare - -o csv --columns node,role");
        CHECK(shown == "node,role\n" + rows + rows_then + rows_then + rows_then);
    }
    SECTION("explain") {
        const auto shown = over_a_failover(box, "explain -");
        CHECK_FALSE(contains(shown, "no client is led"));
        CHECK(contains(shown, "Primary " + is + " of shard '" + was + "' says so, and another server of that shard"));
    }
}

// Its connection to the former primary was asked six times, and then the window was "at another node".
TEST_CASE("watch goes on at the replica that was promoted without a word of failure") {
    ClusterBox box(3, 1);
    const auto key = key_on(box.cluster, 0);
    box.cluster.set_window(key, "4", seconds_from_now(1000));
    box.cluster.node(3).await_replication_of(box.cluster.node(0));
    std::thread operations;
    RunOptions options;
    options.environment["RATECTL_CONFIG"] = box.config_file();
    options.started = [&](int) {
        operations = std::thread([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(500));
            box.cluster.promote(3, false);
            std::this_thread::sleep_for(std::chrono::milliseconds(500));
            box.cluster.node(3).command({"INCR", key});
        });
    };
    const auto watched = run_ratectl({"watch", key, "--every", "20ms", "--until", "changed", "-o", "csv"}, options);
    operations.join();
    INFO(watched.out << watched.err);
    CHECK(watched.code == 0);
    CHECK_FALSE(contains(watched.out, "failed"));
    CHECK(contains(watched.out, "counted"));
}

TEST_CASE("nodes tells of a Redis Cluster that is down, whatever its nodes answer") {
    ClusterBox box;
    box.cluster.set_window(key_on(box.cluster, 1), "4", seconds_from_now(1000));
    box.cluster.drop_slot(7);
    for (const auto& row : box.rows({"nodes"})) CHECK(row.at("state") == "ok");
    for (std::size_t i = 0; i < 3; ++i) {
        box.cluster.node(i).command({"CONFIG", "SET", "cluster-require-full-coverage", "yes"});
        box.cluster.node(i).command({"CLUSTER", "SETSLOT", "8", "STABLE"});  // it looks at all slots once more
    }
    RunResult result;
    for (int i = 0; i < 100 && !contains(result.out, "cluster-down"); ++i) result = box.run({"nodes", "-o", "json"});
    INFO(result.out << result.err);
    CHECK(result.code == 9);
    CHECK(contains(result.out, "\"state\":\"cluster-down\""));
    CHECK(contains(result.err, "the Redis Cluster is down, as 127.0.0.1:"));
    CHECK(contains(result.err,
                   "no node of the Redis Cluster has slot 7: windows there are neither shown nor changed, "
                   "nor is any other one under cluster-require-full-coverage"));
    const auto checked = box.run({"config", "check", "--connect"});
    CHECK(checked.code == 1);
    CHECK(contains(checked.out, "says that its Redis Cluster is down"));
    const auto scanned = box.run({"scan", "--timeout", "1s"});
    CHECK(scanned.code == 9);
    CHECK(contains(scanned.err, "0 windows on 3 shards; shard '" + box.cluster.address(1) + "' is incomplete"));
}
