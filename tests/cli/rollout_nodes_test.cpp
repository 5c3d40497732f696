// Features of Flipper on several servers: those that are asked for are looked at, and none that is gone is counted.
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "cli/written_deployment.h"
#include "support/catch.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

json document_of(const RunResult& result, int code) {
    INFO(result.out << result.err);
    REQUIRE(result.code == code);
    return json::parse(result.out);
}

/// Which of two shards has a key.
std::size_t shard_of(const WrittenDeployment& box, const std::string& key) {
    const auto row = document_of(box.run({"locate", key, "-o", "json"}), 0).at("rows").at(0);
    return row.at("shard") == "alpha" ? 0 : 1;
}

void turn(WrittenDeployment& box, const std::string& feature, const std::string& share) {
    box.server(shard_of(box, feature)).command({"HSET", feature, "percentage_of_actors", share});
}

void list(WrittenDeployment& box, const std::string& feature) {
    box.server(shard_of(box, "flipper_features")).command({"SADD", "flipper_features", feature});
}

/// A name whose shard is that of Flipper's list, or the other one. Names that differ in their last digit only hash to
/// near places of the ring.
std::string feature_beside_list(const WrittenDeployment& box, bool beside, const std::string& suffix) {
    std::string names = "flipper_features\n";
    for (int i = 0; i < 100; ++i) names += std::to_string(i) + suffix + "\n";
    const auto located = box.run_with_input({"locate", "-", "-o", "json"}, names);
    const auto rows = document_of(located, 0).at("rows");
    for (const auto& row : rows) {
        if (row.at("key") != "flipper_features" && (row.at("shard") == rows.at(0).at("shard")) == beside)
            return row.at("key");
    }
    throw std::runtime_error("all names are on one shard");
}

}  // namespace

TEST_CASE("features are shown as the nodes of --from have them") {
    WrittenDeployment box(kFree);
    RedisServer replica;
    box.add_replica(0, replica.endpoint());
    turn(box, "search", "25");
    list(box, "search");
    replica.make_replica_of(box.server());
    replica.await_replication_of(box.server());
    replica.command({"CONFIG", "SET", "replica-read-only", "no"});
    replica.command({"HSET", "search", "percentage_of_actors", "10"});
    const auto shown = [&](const std::string& from, const std::string& name) {
        std::vector<std::string> words{"rollout", "show", "--from", from, "-o", "json"};
        if (!name.empty()) words.insert(words.begin() + 2, name);
        return document_of(box.run(words), 0).at("rows");
    };
    for (const std::string name : {"search", ""}) {
        INFO(name);
        CHECK(shown("primary", name).at(0).at("percentage_of_actors") == 25);
        for (const auto& from : {std::string("replica"), replica.endpoint().address()}) {
            const auto rows = shown(from, name);
            REQUIRE(rows.size() == 1);
            CHECK(rows.at(0).at("percentage_of_actors") == 10);
            CHECK(rows.at(0).at("node") == replica.endpoint().address());
            CHECK(rows.at(0).at("role") == "replica");
        }
        const auto both = shown("all", name);
        REQUIRE(both.size() == 2);
        CHECK(both.at(0).at("role") == "primary");
        CHECK(both.at(0).at("percentage_of_actors") == 25);
        CHECK(both.at(1).at("percentage_of_actors") == 10);
    }
    const auto table = box.run({"rollout", "show", "--from", "all"});
    CHECK(contains(table.out, replica.endpoint().address()));
    CHECK(contains(table.err, "1 of 1 features are there"));
    const auto nowhere = box.run({"rollout", "show", "search", "--from", "127.0.0.1:1"});
    INFO(nowhere.err);
    CHECK(nowhere.code == box.run({"check", "core:1", "--from", "127.0.0.1:1"}).code);
    CHECK(contains(nowhere.err, "127.0.0.1:1"));
}

TEST_CASE("a feature of a replica that has lost its primary is shown as stale") {
    WrittenDeployment box(kFree);
    RedisServer replica;
    box.add_replica(0, replica.endpoint());
    turn(box, "search", "25");
    replica.make_replica_of(box.server());
    replica.await_replication_of(box.server());
    replica.command({"REPLICAOF", "127.0.0.1", "1"});
    const auto from = replica.endpoint().address();
    const auto result = box.run({"rollout", "show", "search", "--from", from, "-o", "json"});
    const auto checked = box.run({"check", "core:1", "--from", from, "-o", "json"});
    CHECK(document_of(result, checked.code).at("rows").at(0).at("stale") == true);
    CHECK(contains(box.run({"rollout", "show", "search", "--from", from}).out, "(stale)"));
}

TEST_CASE("subcommands of rollout that look at no other node refuse to be sent to one") {
    WrittenDeployment box(kFree);
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"rollout", "who", "User;1", "--feature", "search", "--at", "5"},
          {"rollout", "compare", "core:1", "--old", "memcached://127.0.0.1:1", "--feature", "search"},
          {"rollout", "set", "search", "5"}}) {
        auto words = command;
        words.insert(words.end(), {"--from", "replica"});
        const auto result = box.run(words);
        INFO(result.err);
        CHECK(result.code == 2);
        CHECK(contains(result.err, "--from has no meaning here"));
    }
}

TEST_CASE("features of a shard that is gone are not counted as there") {
    // It said "2 of 2 features are there".
    WrittenDeployment box(kFree, 2);
    const auto seen = feature_beside_list(box, true, "seen");
    const auto lost = feature_beside_list(box, false, "lost");
    for (const auto& name : {seen, lost}) {
        turn(box, name, "25");
        list(box, name);
    }
    const auto listed_on = shard_of(box, "flipper_features");
    box.server(1 - listed_on).kill();
    for (const std::vector<std::string>& names : {std::vector<std::string>{}, {seen, lost}}) {
        std::vector<std::string> words{"rollout", "show"};
        words.insert(words.end(), names.begin(), names.end());
        const auto result = box.run(words);
        INFO(result.out << result.err);
        CHECK(result.code == 9);
        CHECK(contains(result.err, "1 of 2 features are there; 1 could not be read"));
    }
    const auto alone = box.run({"rollout", "show", lost});
    CHECK(alone.code == 4);
    CHECK(contains(alone.err, "0 of 1 features are there; 1 could not be read"));
}

TEST_CASE("where the list of features is gone it is not said which there are") {
    // It said "0 of 0 features are there", and of a feature without gates, which is off, that there is none.
    WrittenDeployment box(kFree, 2);
    const auto here = feature_beside_list(box, false, "here");
    const auto bare = feature_beside_list(box, false, "bare");
    turn(box, here, "25");
    box.server(shard_of(box, "flipper_features")).kill();
    const auto all = box.run({"rollout", "show"});
    INFO(all.out << all.err);
    CHECK(all.code == 4);
    CHECK(contains(all.err, "the list of all features could not be read"));
    CHECK(!contains(all.err, "features are there"));
    const auto rows = document_of(box.run({"rollout", "show", here, bare, "-o", "json"}), 9).at("rows");
    CHECK(rows.at(0).at("percentage_of_actors") == 25);
    CHECK(rows.at(1).at("state").is_null());
    CHECK(contains(box.run({"rollout", "show", here, bare}).err, "1 of 2 features are there; 1 could not be read"));
    const auto compared =
        box.run({"rollout", "compare", "core:1", "--old", "memcached://127.0.0.1:1", "--feature", bare});
    CHECK(compared.code == 4);
    CHECK(!contains(compared.err, "has no feature"));
}
