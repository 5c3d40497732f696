// Keys whose shard cannot be computed: looks ask everywhere, duplicates are told, changes go only where there is no
// doubt.
#include "cli/printed_rows.h"
#include "cli/scattered.h"
#include "support/catch.h"
#include "support/json.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {}  // namespace

TEST_CASE("check in all-shards mode finds a key wherever it is") {
    Scattered scattered;
    const auto reset_at = seconds_from_now(1000);
    for (std::size_t shard = 0; shard < 3; ++shard) {
        scattered.put(shard, "core:" + std::to_string(shard), std::to_string(10 + shard), reset_at);
    }
    const auto result = scattered.run({"check", "core:0", "core:1", "core:2", "core:none", "-o", "ndjson"});
    CHECK(result.code == 0);
    CHECK(result.err.empty());
    const auto rows = key_rows(result);
    REQUIRE(rows.size() == 4);
    const char* names[] = {"alpha", "beta", "gamma"};
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(rows[i].at("shard") == names[i]);
        CHECK(rows[i].at("used") == 10 + i);
    }
    CHECK(rows[3].at("state") == "absent");
    CHECK(rows[3].at("shard").is_null());
    // The rule of the configuration still places keys without the flag.
    CHECK(scattered.box.run({"check", "core:0", "core:1", "core:2", "-o", "ndjson"}).code == 0);
}

TEST_CASE("a key on several shards has a row each and a warning that names the newer and the larger") {
    Scattered scattered;
    const auto now = seconds_from_now(0);
    scattered.put(0, "core:twice", "40", now + 1000);
    scattered.put(2, "core:twice", "3", now + 2000);
    const auto result = scattered.run({"check", "core:twice", "-o", "ndjson"});
    CHECK(result.code == 0);
    const auto rows = key_rows(result);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].at("shard") == "alpha");
    CHECK(rows[1].at("shard") == "gamma");
    CHECK(contains(result.err, "duplicate: key 'core:twice' is on 2 shards: 'alpha' (40 used"));
    CHECK(contains(result.err, "'gamma' has the newer window, 'alpha' has the larger count"));
    CHECK(scattered.run({"check", "core:twice", "--exit-status"}).code == 1);
    scattered.put(0, "core:once", "1", now + 1000);
    CHECK(scattered.run({"check", "core:once", "--exit-status"}).code == 0);
}

TEST_CASE("scan with duplicates prints only the keys that are on several shards") {
    Scattered scattered;
    const auto reset_at = seconds_from_now(1000);
    for (int i = 0; i < 300; ++i) {
        scattered.put(static_cast<std::size_t>(i) % 3, "core:" + std::to_string(i), "1", reset_at);
    }
    CHECK(scattered.run({"scan", "--duplicates", "--exit-status"}).code == 0);
    for (int i = 0; i < 300; i += 30) {
        scattered.put((static_cast<std::size_t>(i) + 1) % 3, "core:" + std::to_string(i), "2", reset_at);
    }
    const auto result = scattered.run({"scan", "--duplicates", "--exit-status", "-o", "ndjson"});
    CHECK(result.code == 1);
    std::map<std::string, int> seen;
    for (const auto& row : key_rows(result)) ++seen[row.at("key")];
    CHECK(seen.size() == 10);
    for (const auto& [key, rows] : seen) CHECK(rows == 2);
    CHECK(contains(result.err, "10 keys are on several of 3 shards"));
    CHECK(contains(result.err, "duplicate: key 'core:30'"));
    // A rule that is known leaves copies behind just the same.
    CHECK(key_rows(scattered.box.run({"scan", "--duplicates", "-o", "ndjson"})).size() == 20);
    CHECK(scattered.run({"scan", "--duplicates", "--shard", "alpha"}).code == 2);
}

TEST_CASE("locate says that no shard can be computed and where to look") {
    Scattered scattered;
    const auto result = scattered.run({"locate", "core:1"});
    CHECK(result.code == 3);
    CHECK(contains(result.err, "cannot be computed"));
    CHECK(contains(result.err, "ratectl check"));
}

TEST_CASE("a dead shard leaves keys in doubt that the others do not have") {
    Scattered scattered;
    scattered.put(0, "core:here", "1", seconds_from_now(1000));
    scattered.box.server(1).kill();
    const auto result = scattered.run({"check", "core:here", "core:gone", "-o", "ndjson"});
    CHECK(result.code == 9);
    const auto rows = key_rows(result);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].at("key") == "core:here");
}
