// compare on real servers: what people and scripts read, and how it ends when nodes agree, differ and fall silent.
#include <set>
#include <string>
#include <vector>

#include "cli/printed_rows.h"
#include "cli/written_deployment.h"
#include "support/catch.h"
#include "support/json.h"

using namespace ratectl::test;

namespace {

/// A primary and one replica that has everything.
struct Pair {
    Pair() : box("writes = \"allow\"\ntimeout = \"1s\"") {
        replica.make_replica_of(box.server());
        box.add_replica(0, replica.endpoint());
    }
    void catch_up() { replica.await_replication_of(box.server()); }
    void cut_off() { replica.command({"REPLICAOF", "127.0.0.1", "1"}); }
    std::string primary_address() { return box.server().endpoint().address(); }
    std::string replica_address() { return replica.endpoint().address(); }

    WrittenDeployment box;
    RedisServer replica;
};

}  // namespace

TEST_CASE("compare of nodes that agree has a row for each and ends with zero") {
    Pair pair;
    const auto end = seconds_from_now(600);
    pair.box.set_window("core:alice", "7", end);
    pair.catch_up();
    const auto result = pair.box.run({"compare", "core:alice", "-o", "ndjson"});
    INFO(result.err << result.out);
    CHECK(result.code == 0);
    const auto rows = rows_of(result.out);
    REQUIRE(rows.size() == 2);
    for (const auto& row : rows) {
        CHECK(row.at("key") == "core:alice");
        CHECK(row.at("state") == "open");
        CHECK(row.at("used") == 7);
        CHECK(row.at("limit") == 100);
        CHECK(row.at("remaining") == 93);
        CHECK(row.at("reset_at") == end);
        CHECK(row.at("counter_expires_at_ms") == (end + 1) * 1000);
        CHECK(row.at("expiry_expires_at_ms") == (end + 1) * 1000);
        CHECK(row.at("differs") == false);
        CHECK(row.at("cause").is_null());
        CHECK(row.at("look") == "full");
        CHECK(row.at("clock_doubt_ms").get<int>() >= 0);
    }
    CHECK(rows[0].at("role") == "primary");
    CHECK(rows[0].at("counts") == true);
    CHECK(rows[0].at("link").is_null());
    CHECK(rows[1].at("role") == "replica");
    CHECK(rows[1].at("link") == "up");
    CHECK(rows[1].at("lag_bytes") == 0);
    CHECK(rows[1].at("used_delta") == 0);
    CHECK(contains(result.err, "1 window is the same on 2 nodes"));
}

TEST_CASE("compare tells people which answers there were and why and what to do") {
    Pair pair;
    pair.box.set_window("core:alice", "7", seconds_from_now(600));
    pair.catch_up();
    pair.cut_off();
    pair.box.server().command({"DEL", "core:alice", "core:alice:exp"});
    const auto result = pair.box.run({"compare", "core:alice"});
    INFO(result.err << result.out);
    CHECK(result.code == 1);
    CHECK(contains(result.out, "cut-off"));
    CHECK(result.out.find('\n') <= 100);
    CHECK(contains(result.err, "key 'core:alice': an application would get from " + pair.primary_address() +
                                   " (primary): no window, all 100 left"));
    CHECK(contains(result.err, "key 'core:alice': an application would get from " + pair.replica_address() +
                                   " (replica): 7 of 100 used, 93 left, resets at "));
    CHECK(contains(result.err, "its link to 127.0.0.1:1 has been down for "));
    CHECK(contains(result.err, "hint: repair the link; until then read from the primary"));
    CHECK(contains(result.err, "1 of 1 window differs (1 cut-off) on 2 nodes"));
}

TEST_CASE("compare of all windows shows those that differ even if only one node has them") {
    Pair pair;
    for (const char* key : {"core:same", "core:gone", "core:other"})
        pair.box.set_window(key, "7", seconds_from_now(600));
    pair.catch_up();
    pair.cut_off();
    pair.box.server().command({"DEL", "core:gone", "core:gone:exp"});
    pair.box.server().command({"INCRBY", "core:other", "5"});
    auto result = pair.box.run({"compare", "--match", "core:*", "-o", "ndjson"});
    INFO(result.err << result.out);
    CHECK(result.code == 1);
    std::multiset<std::string> keys;
    for (const auto& row : rows_of(result.out)) keys.insert(row.at("key").get<std::string>());
    CHECK(keys == std::multiset<std::string>{"core:gone", "core:gone", "core:other", "core:other"});
    CHECK(contains(result.err, "2 of 3 windows differ (2 cut-off) on 2 nodes"));

    result = pair.box.run({"compare", "--match", "core:*", "--show-same", "-o", "ndjson"});
    CHECK(rows_of(result.out).size() == 6);
    result = pair.box.run({"compare", "--match", "core:o*", "-o", "name"});
    CHECK(result.out == "core:other\n");
    CHECK(result.code == 1);
    result = pair.box.run({"compare", "--match", "core:s*", "-q"});
    CHECK(result.code == 0);
    CHECK_FALSE(contains(result.out, "core:same"));
}

TEST_CASE(
    "compare takes what was written to a replica itself for unexplained and small differences for none if asked") {
    Pair pair;
    pair.box.set_window("core:alice", "7", seconds_from_now(600));
    pair.catch_up();
    pair.replica.command({"CONFIG", "SET", "replica-read-only", "no"});
    pair.replica.command({"INCRBY", "core:alice", "2"});
    auto result = pair.box.run({"compare", "core:alice", "-o", "ndjson"});
    INFO(result.err << result.out);
    CHECK(result.code == 1);
    auto rows = rows_of(result.out);
    REQUIRE(rows.size() == 2);
    CHECK(rows[1].at("cause") == "unknown");
    CHECK(rows[1].at("used_delta") == 2);
    CHECK(rows[1].at("looks").get<int>() > 1);
    CHECK(contains(rows[1].at("detail"), "9 used where " + pair.primary_address() + " has 7"));

    CHECK(pair.box.run({"compare", "core:alice", "--min-delta", "3"}).code == 0);
    CHECK(pair.box.run({"compare", "core:alice", "--min-delta", "2"}).code == 1);
    result = pair.box.run({"compare", "core:alice", "--min-delta", "0"});
    CHECK(result.code == 2);
    CHECK(contains(result.err, "--min-delta '0' is not a number of requests"));
}

TEST_CASE("compare names a half that lost its TTL on one node only") {
    Pair pair;
    pair.box.set_window("core:alice", "7", seconds_from_now(600));
    pair.catch_up();
    pair.replica.command({"CONFIG", "SET", "replica-read-only", "no"});
    pair.replica.command({"PERSIST", "core:alice"});
    const auto result = pair.box.run({"compare", "core:alice", "-o", "ndjson"});
    INFO(result.err << result.out);
    CHECK(result.code == 1);
    const auto rows = rows_of(result.out);
    REQUIRE(rows.size() == 2);
    CHECK(rows[1].at("state") == "leaked");
    CHECK(rows[1].at("cause") == "missing-ttl");
    CHECK(rows[1].at("counter_expires_at_ms").is_null());
    CHECK(contains(rows[1].at("detail"), "the counter has no TTL here, so it stays"));
}

TEST_CASE("compare never takes a silent node for no difference") {
    Pair pair;
    pair.box.set_window("core:alice", "7", seconds_from_now(600));
    pair.catch_up();
    pair.replica.kill();
    auto result = pair.box.run({"compare", "core:alice", "-o", "ndjson"});
    INFO(result.err << result.out);
    CHECK(result.code == 9);
    const auto rows = rows_of(result.out);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].at("used") == 7);
    CHECK(rows[1].at("cause") == "unreachable");
    CHECK(rows[1].at("state").is_null());
    CHECK(rows[1].at("differs").is_null());
    CHECK(contains(result.err, pair.replica_address()));
    CHECK(contains(result.err, "1 gave no answer"));

    pair.box.server().kill();
    result = pair.box.run({"compare", "core:alice", "-o", "json"});
    INFO(result.err << result.out);
    CHECK(result.code == 4);
    const auto document = parse_json(result.out);
    CHECK(document.at("complete") == false);
    CHECK(document.at("failures").size() == 2);
    CHECK(contains(result.err, "no node answered for 1 window"));
}

TEST_CASE("compare keeps the order of its input and asks for a thousand keys at once") {
    Pair pair;
    std::string input;
    for (int i = 0; i < 1200; ++i) input += "core:client" + std::to_string(i * 7919 % 1200) + "\n";
    pair.box.set_window("core:client7", "3", seconds_from_now(600));
    pair.catch_up();
    const auto result = pair.box.run_with_input({"compare", "-", "-o", "ndjson", "--columns", "key,used"}, input);
    INFO(result.err);
    CHECK(result.code == 0);
    std::string order;
    std::size_t found = 0;
    std::string previous;
    for (const auto& row : rows_of(result.out)) {
        const auto key = row.at("key").get<std::string>();
        if (key != previous) order += key + "\n";
        previous = key;
        if (row.at("used") == 3) ++found;
    }
    CHECK(order == input);
    CHECK(found == 2);
    CHECK(contains(result.err, "1200 windows are the same on 2 nodes"));
}
