// What doctor says of the servers themselves.
#include <string>

#include "cli/doctor_box.h"
#include "sandbox/folder.h"
#include "support/catch.h"
#include "support/loopback.h"

using namespace ratectl::test;

namespace {

/// The classes that a run found, with their details.
std::map<std::string, std::string> found_by(const RunResult& result) {
    std::map<std::string, std::string> found;
    for (const auto& row : parse_json_lines(result.out)) {
        found[row.at("class").get<std::string>()] = row.at("detail").get<std::string>();
    }
    return found;
}

}  // namespace

TEST_CASE("a server that may evict windows and is nearly full is found") {
    WrittenDeployment box("");
    CHECK(found_by(box.run({"doctor", "-o", "ndjson"})).empty());
    box.server().command({"CONFIG", "SET", "maxmemory-policy", "volatile-lru"});
    CHECK(found_by(box.run({"doctor", "-o", "ndjson"})).empty());  // no limit, nothing is evicted
    box.server().command({"CONFIG", "SET", "maxmemory", "1500000"});
    const auto found = found_by(box.run({"doctor", "-o", "ndjson"}));
    CHECK(contains(found.at("can-evict"), "volatile-lru"));
    box.server().command({"CONFIG", "SET", "maxmemory-policy", "noeviction"});
    box.server().command({"CONFIG", "SET", "maxmemory", "500000"});
    CHECK(found_by(box.run({"doctor", "-o", "ndjson"})).contains("memory-near-limit"));
}

TEST_CASE("rights that a user lacks are named one by one") {
    WrittenDeployment box("username = \"reader\"\npassword_env = \"DOCTOR_PASSWORD\"");
    box.server().command({"ACL", "SETUSER", "reader", "on", ">secret", "~*", "+@all", "-evalsha", "-eval", "-pttl"});
    RunOptions options;
    options.environment["DOCTOR_PASSWORD"] = "secret";
    const auto result = box.run({"doctor", "-o", "ndjson"}, options);
    INFO(result.err);
    const auto found = found_by(result);
    CHECK(contains(found.at("scripts-denied"), "evalsha eval"));
    CHECK(contains(found.at("commands-denied"), "pttl"));
    CHECK(result.code == 1);
}

TEST_CASE("keys that a server counts and does not list are reported as masked") {
    WrittenDeployment box("");
    REQUIRE(box.server().command({"DEBUG", "SET-ACTIVE-EXPIRE", "0"}) == "OK");
    for (int i = 0; i < 30; ++i) box.server().command({"SET", "core:" + std::to_string(i), "1", "PX", "1"});
    box.set_window("core:sound", "7", seconds_from_now(600));
    const auto result = box.run({"doctor", "-o", "ndjson"});
    INFO(result.err);
    CHECK(contains(found_by(result)["masked-keys"], "30 of 32 keys"));
}

TEST_CASE("a dead shard is named and the others are examined all the same") {
    WrittenDeployment box("timeout = \"2s\"", 3);
    box.server(2).kill();
    box.server(0).command({"SET", "core:orphan", "7"});
    const auto result = box.run({"doctor", "-o", "ndjson", "--only", "orphan-counter"});
    CHECK(result.code == 9);
    CHECK(contains(result.err, "gamma"));
    CHECK(DoctorBox::findings(result.out) == DoctorBox::Findings{{"orphan-counter", "core:orphan"}});
}

TEST_CASE("windows that a dead primary leaves unjudged are counted and a replica can judge them") {
    WrittenDeployment box("timeout = \"2s\"", 2);
    RedisServer replica;
    replica.make_replica_of(box.server(0));
    box.add_replica(0, replica.endpoint());
    for (const char* key : {"core:lost-1", "core:lost-2"}) box.server(0).command({"SET", key, "7"});
    replica.await_replication_of(box.server(0));
    box.server(0).kill();
    const auto result = box.run({"doctor", "-o", "ndjson", "--only", "orphan-counter"});
    INFO(result.err << result.out);
    CHECK(result.code == 9);
    CHECK(DoctorBox::findings(result.out).empty());
    CHECK(contains(result.err, "in 2 windows on 2 shards; 2 suspicious windows of shard 'alpha' not judged"));
    CHECK(contains(result.err, "--from replica"));
    const auto by_replica = box.run({"doctor", "-o", "ndjson", "--only", "orphan-counter", "--from", "replica"});
    CHECK(by_replica.code == 9);
    CHECK(DoctorBox::findings(by_replica.out).size() == 2);
    CHECK_FALSE(contains(by_replica.err, "not judged"));
}

TEST_CASE("a shard without any server that answers is named as incomplete") {
    WrittenDeployment box("timeout = \"2s\"", 3);
    box.server(1).kill();
    const auto result = box.run({"doctor"});
    CHECK(result.code == 9);
    CHECK(contains(result.err, "nothing found in 0 windows on 3 shards; shard 'beta' is incomplete"));
}

TEST_CASE("one server under two names is found") {
    WrittenDeployment box("");
    auto twin = box.server().endpoint();
    twin.host = "localhost";
    box.add_replica(0, twin);
    const auto found = found_by(box.run({"doctor", "-o", "ndjson"}));
    CHECK(contains(found.at("same-server"), "localhost:" + std::to_string(twin.port) + ": it is " +
                                                box.server().endpoint().address() + " of shard 'alpha', too"));
    CHECK_FALSE(found.contains("two-primaries"));
}

TEST_CASE("a node of a Redis Cluster in a list of shards is found") {
    WrittenDeployment box("");
    // Its own choice, 10,000 above the other port, may be none.
    const auto bus_port = endpoint_of(listen_on_loopback()).port;
    RedisServer node({"--cluster-enabled", "yes", "--cluster-port", std::to_string(bus_port)});
    box.add_replica(0, node.endpoint());
    const auto result = box.run({"doctor", "-o", "ndjson"});
    INFO(result.err << result.out);
    CHECK(contains(found_by(result).at("cluster-node"), node.endpoint().address() + ": it belongs to a Redis Cluster"));
    CHECK(result.code == 9);
}
