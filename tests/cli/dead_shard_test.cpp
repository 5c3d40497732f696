// One dead primary: the other shards are shown, its replica is read as stale, the dead node is named, and the exit code
// says partial.
#include <ctime>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <unistd.h>

#include "cli/printed_rows.h"
#include "support/catch.h"
#include "support/json.h"
#include "support/patience.h"
#include "support/redis_server.h"
#include "support/run_ratectl.h"

namespace {

using ratectl::test::kPatience;
using ratectl::test::parse_json;
using ratectl::test::RedisServer;
using ratectl::test::run_ratectl;

/// Three shards of a primary and a replica, on unix sockets that no other process can take, with 60 windows, and the
/// configuration that describes them.
struct ThreeShards {
    std::vector<std::unique_ptr<RedisServer>> primaries;
    std::vector<std::unique_ptr<RedisServer>> replicas;
    ratectl::sandbox::TemporaryFolder folder = ratectl::sandbox::TemporaryFolder::make("/tmp", "ratectl-test").value();
    std::string config;

    ThreeShards() : config(folder.path() + "/ratectl.toml") {
        std::ofstream out(config);
        out << "[deployments.test]\nsharding = \"modulo\"\nwrites = \"allow\"\n";
        for (int i = 0; i < 3; ++i) {
            primaries.push_back(std::make_unique<RedisServer>());
            replicas.push_back(std::make_unique<RedisServer>());
            replicas.back()->make_replica_of(*primaries.back());
            out << "[[deployments.test.shards]]\nname = \"s" << i << "\"\nprimary = \""
                << primaries[i]->unix_endpoint().url() << "\"\nreplicas = [\"" << replicas[i]->unix_endpoint().url()
                << "\"]\n";
        }
        out.close();
        std::string keys;
        for (int i = 0; i < 60; ++i) keys += "core:" + std::to_string(i) + "\n";
        ratectl::test::RunOptions options;
        options.input = keys;
        const auto filled = run({"increment", "-", "--amount", "5", "--period", "1h", "-y"}, options);
        INFO(filled.err);
        REQUIRE(filled.code == 0);
        for (int i = 0; i < 3; ++i) replicas[i]->await_replication_of(*primaries[i]);
    }
    /// Ends a primary for good; returns when its replica has noticed.
    void kill_primary(std::size_t i) {
        primaries[i]->kill();
        while (replicas[i]->command({"ROLE"}).find("connected") != std::string::npos) usleep(10'000);
    }
    ratectl::test::RunResult run(std::vector<std::string> arguments,
                                 const ratectl::test::RunOptions& options = {}) const {
        arguments.insert(arguments.begin(), {"-c", config});
        return run_ratectl(arguments, options);
    }
};

}  // namespace

TEST_CASE("A scan with one dead primary shows everything it can and says what is missing") {
    ThreeShards three;
    const std::string dead = three.primaries[1]->unix_endpoint().address();
    const std::string replica = three.replicas[1]->unix_endpoint().address();
    three.kill_primary(1);
    const auto result = three.run({"scan", "-o", "json"});
    INFO(result.err);
    CHECK(result.code == 9);
    CHECK(result.err.find(dead) != std::string::npos);
    const auto document = parse_json(result.out);
    CHECK(document.at("complete") == false);
    REQUIRE(!document.at("failures").empty());
    CHECK(document.at("failures").at(0).at("node") == dead);
    std::set<std::string> keys;
    std::set<std::string> shards;
    for (const auto& row : document.at("rows")) {
        keys.insert(row.at("key").get<std::string>());
        shards.insert(row.at("shard").get<std::string>());
        const bool on_dead_shard = row.at("shard") == "s1";
        CHECK(row.at("stale") == on_dead_shard);
        if (on_dead_shard) CHECK(row.at("node") == replica);
    }
    CHECK(keys.size() == 60);
    CHECK(shards.size() == 3);
}

TEST_CASE("Stats with one dead primary call its shard stale, and of what was read from its replica nothing missing") {
    ThreeShards three;
    three.kill_primary(1);
    const auto table = three.run({"stats"});
    INFO(table.out << table.err);
    CHECK(table.code == 9);
    CHECK(table.out.find("\nSTALE: nothing is missing") != std::string::npos);
    CHECK(table.out.find("\nStale\n") != std::string::npos);
    CHECK(table.out.find("INCOMPLETE") == std::string::npos);
    const auto told = parse_json(three.run({"stats", "-o", "json"}).out);
    CHECK(told.at("windows") == 60);
    CHECK(told.at("shards").at(1).at("stale") == true);
    CHECK(told.at("shards").at(1).at("complete") == false);
    CHECK(told.at("shards").at(0).at("stale") == false);
}

// It had as windows those that had been seen by then, and as incomplete all shards that were not through.
TEST_CASE("The summary of a scan that --first stops has no numbers that were not counted") {
    ThreeShards three;
    const auto stopped = ratectl::test::summary_of(three.run({"scan", "--first", "2", "--messages", "json"}));
    CHECK(stopped.at("shown") == 2);
    CHECK_FALSE(stopped.contains("windows"));
    CHECK_FALSE(stopped.contains("incomplete_shards"));
    const auto whole = ratectl::test::summary_of(three.run({"scan", "--messages", "json"}));
    CHECK(whole.at("windows") == 60);
    CHECK(whole.at("incomplete_shards") == 0);
}

TEST_CASE("A check of a key on a dead shard ends with 4 within the timeout and others still answer") {
    ThreeShards three;
    std::string on_dead;
    std::string alive;
    for (int i = 0; i < 60 && (on_dead.empty() || alive.empty()); ++i) {
        const std::string key = "core:" + std::to_string(i);
        const auto row = parse_json(three.run({"locate", key, "-o", "ndjson"}).out);
        (row.at("shard") == "s1" ? on_dead : alive) = key;
    }
    three.kill_primary(1);
    const auto one = three.run({"check", on_dead, "--timeout", "1s"});
    INFO(on_dead << ": " << one.out << one.err);
    CHECK(one.code == 4);
    CHECK(one.wall_time < std::chrono::milliseconds(1300) + kPatience);
    CHECK(one.err.find(three.primaries[1]->unix_endpoint().address()) != std::string::npos);
    const auto both = three.run({"check", on_dead, alive, "-o", "ndjson"});
    INFO(alive << ": " << both.out << both.err);
    CHECK(both.code == 9);
    CHECK(parse_json(both.out.substr(0, both.out.find('\n'))).at("key") == alive);
}

TEST_CASE("A paused primary costs a check its timeout and no more") {
    ThreeShards three;
    for (auto& primary : three.primaries) primary->pause();
    const auto result = three.run({"check", "core:1", "--timeout", "2s"});
    for (auto& primary : three.primaries) primary->resume();
    INFO(result.err);
    CHECK(result.code == 4);
    CHECK(result.wall_time < std::chrono::milliseconds(800) + kPatience);
    CHECK(result.err.find("no reply within ") != std::string::npos);
    CHECK(result.err.find("temporarily") == std::string::npos);
}

TEST_CASE("A number that is expected of an incomplete selection is refused before anything is written") {
    ThreeShards three;
    three.primaries[1]->kill();
    three.replicas[1]->kill();
    const auto keys = three.primaries[0]->command({"DBSIZE"});
    const auto result = three.run({"reset", "--match", "core:*", "--expect", "1", "-y", "--timeout", "1s"});
    INFO(result.err);
    CHECK(result.code == 7);
    CHECK(result.err.find("so it is unknown how many the selection has") != std::string::npos);
    CHECK(three.primaries[0]->command({"DBSIZE"}) == keys);
}

TEST_CASE("History of servers that all refuse to answer ends as their failure does") {
    ThreeShards three;
    for (auto& primary : three.primaries) primary->kill();
    const auto result = three.run({"history", "--on-servers"});
    INFO(result.out << result.err);
    CHECK(result.code == 4);
}

TEST_CASE("Compare does not call windows the same that no node answered for") {
    ThreeShards three;
    three.primaries[1]->kill();
    three.replicas[1]->kill();
    std::vector<std::string> words{"compare"};
    for (int i = 0; i < 60; ++i) words.push_back("core:" + std::to_string(i));
    const auto compared = three.run(words);
    INFO(compared.out << compared.err);
    CHECK(compared.code == 9);
    CHECK(compared.err.find("60 windows are the same") == std::string::npos);
    CHECK(compared.err.find(" the same on 4 nodes of 2 shards; 2 gave no answer; no node answered for ") !=
          std::string::npos);
}
