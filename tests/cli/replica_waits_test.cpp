// --wait-replicas: what is said of the replicas that have a write, the first time and when it is repeated.
#include <csignal>
#include <functional>
#include <thread>

#include "cli/printed_rows.h"
#include "cli/written_deployment.h"
#include "support/catch.h"
#include "support/json.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

std::string twenty_keys() {
    std::string keys;
    for (int i = 0; i < 20; ++i) keys += "core:" + std::to_string(i) + "\n";
    return keys;
}

/// Sends the signal when a client of the server waits for its replicas.
std::function<void(int)> stop_when_waiting(RedisServer& server, int signal, std::jthread& thread) {
    return [&server, signal, &thread](int pid) {
        thread = std::jthread([&server, signal, pid](const std::stop_token& over) {
            while (!over.stop_requested()) {
                if (contains(server.command({"INFO", "clients"}), "blocked_clients:1")) {
                    ::kill(pid, signal);
                    return;
                }
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            }
        });
    };
}

}  // namespace

TEST_CASE("writes that too few replicas have are told and end as partial") {
    WrittenDeployment box(kFree);
    const auto alone = box.run({"increment", "core:1", "--wait-replicas", "1", "--wait-timeout", "100ms", "--json"});
    INFO(alone.err);
    CHECK(alone.code == 9);
    CHECK(only_row(alone).at("status") == "applied");
    CHECK(only_row(alone).at("acknowledged") == 0);
    CHECK(only_row(alone).at("why_not") == "too-few-replicas");
    CHECK(contains(alone.err, "1 applied, 0 of 1 acknowledged by 1 replica"));
    CHECK(box.stored("core:1") == "1");
    RedisServer replica;
    replica.make_replica_of(box.server());
    const auto heard = box.run({"increment", "core:1", "--wait-replicas", "1", "--wait-timeout", "5s", "--json"});
    INFO(heard.err);
    CHECK(heard.code == 0);
    CHECK(only_row(heard).at("acknowledged") == 1);
    CHECK(only_row(heard).at("why_not").is_null());
}

TEST_CASE("where one shard does not tell which replicas have its writes only those of the others are counted") {
    WrittenDeployment box(kFree, 2);
    box.server(1).command({"ACL", "SETUSER", "default", "-wait"});
    const auto keys = twenty_keys();
    RedisServer replica;
    replica.command({"REPLICAOF", "127.0.0.1", std::to_string(box.server().endpoint().port)});
    replica.await_replication_of(box.server());
    const std::vector<std::string> words{"increment", "-", "--wait-replicas", "1", "-o", "ndjson"};
    const auto some = box.run_with_input(words, keys);
    INFO(some.out << some.err);
    CHECK(some.code == 9);
    std::size_t told = 0;
    for (const auto& row : rows_of(some.out)) {
        CHECK(row.at("status") == "applied");
        CHECK(row.at("acknowledged").is_number() == (row.at("shard") == "alpha"));
        if (row.at("shard") == "alpha") CHECK(row.at("acknowledged") == 1);
        told += row.at("shard") == "alpha" ? 1 : 0;
    }
    REQUIRE(told > 0);
    REQUIRE(told < 20);
    CHECK(contains(some.err, "shard 'beta'"));
    CHECK(contains(some.err, std::to_string(told) + " of 20 acknowledged by 1 replica"));
    CHECK(contains(some.err, "not known whether 1 replica has them: " + std::to_string(20 - told) + " of 20"));
    CHECK_FALSE(contains(some.err, "did not acknowledge"));

    replica.command({"REPLICAOF", "NO", "ONE"});
    auto impatient = words;
    impatient.insert(impatient.end(), {"--wait-timeout", "100ms"});
    const auto none = box.run_with_input(impatient, keys);
    INFO(none.out << none.err);
    CHECK(none.code == 9);
    CHECK(contains(none.err, "did not acknowledge within 100ms: " + std::to_string(told) + " of 20"));
    CHECK(contains(none.err, "not known whether 1 replica has them: " + std::to_string(20 - told) + " of 20"));
}

// It was 0, whatever the replicas had.
TEST_CASE("a repeated change waits for the replicas again, and says how many have it by now") {
    WrittenDeployment box(kFree);
    const std::vector<std::string> words{"increment", "core:1", "--wait-replicas", "1", "--wait-timeout", "200ms",
                                         "--op-id",   "mine",   "--json"};
    const std::vector<std::string> undo{"undo", "mine", "--wait-replicas", "1", "--wait-timeout", "200ms", "--json"};
    REQUIRE(box.run(words).code == 9);
    const auto alone = box.run(words);
    INFO(alone.out << alone.err);
    CHECK(alone.code == 9);
    CHECK(only_row(alone).at("status") == "already-applied");
    CHECK(only_row(alone).at("acknowledged") == 0);
    CHECK(only_row(alone).at("why_not") == "too-few-replicas");
    CHECK(contains(alone.err, "did not acknowledge within 200ms: 1 of 1"));
    RedisServer replica;
    replica.make_replica_of(box.server());
    replica.await_replication_of(box.server());
    const auto heard = box.run(words);
    INFO(heard.out << heard.err);
    CHECK(heard.code == 0);
    CHECK(only_row(heard).at("status") == "already-applied");
    CHECK(only_row(heard).at("acknowledged") == 1);
    CHECK(box.stored("core:1") == "1");
    auto dry = words;
    dry.push_back("--dry-run");
    CHECK(only_row(box.run(dry)).at("acknowledged").is_null());
    REQUIRE(box.run(undo).code == 0);
    CHECK(only_row(box.run(undo)).at("acknowledged") == 1);
}

// The summary told the fewest that any of them had: `0 of 1`.
TEST_CASE("windows of a shard whose replica has them are counted as acknowledged beside those of one without") {
    WrittenDeployment box(kFree, 2);
    RedisServer replica;
    replica.make_replica_of(box.server());
    const auto result = box.run_with_input(
        {"increment", "-", "--wait-replicas", "1", "--wait-timeout", "2s", "-o", "ndjson"}, twenty_keys());
    INFO(result.out << result.err);
    CHECK(result.code == 9);
    std::size_t acknowledged = 0;
    for (const auto& row : rows_of(result.out)) acknowledged += row.at("acknowledged") == 1 ? 1 : 0;
    REQUIRE(acknowledged > 0);
    REQUIRE(acknowledged < 20);
    CHECK(contains(result.err, "20 applied, " + std::to_string(acknowledged) + " of 20 acknowledged by 1 replica"));
    CHECK(contains(result.err, "did not acknowledge within 2s: " + std::to_string(20 - acknowledged) + " of 20"));
}

TEST_CASE("a signal ends the wait for replicas, and what was applied is told all the same") {
    WrittenDeployment box(kFree);
    std::jthread thread;
    for (const int signal : {SIGINT, SIGTERM}) {
        RunOptions options;
        options.timeout = std::chrono::milliseconds(60'000);  // only a hang lasts so long
        options.started = stop_when_waiting(box.server(), signal, thread);
        const std::vector<std::string> words{"increment", "core:1", "--wait-replicas", "1", "--wait-timeout", "10m",
                                             "--op-id",   "mine",   "--json"};
        const auto result = box.run(words, options);
        thread.request_stop();
        INFO(result.out << result.err);
        CHECK_FALSE(result.timed_out);
        CHECK(result.code == 9);
        CHECK(only_row(result).at("status") == (signal == SIGINT ? "applied" : "already-applied"));
        CHECK(only_row(result).at("acknowledged").is_null());
        CHECK(only_row(result).at("why_not") == "replicas-unknown");
        CHECK(contains(result.err, "interrupted"));
        CHECK(contains(result.err, "not known how many replicas have the writes"));
    }
    CHECK(box.stored("core:1") == "1");
}
