// Keys whose shard nobody can compute: looks ask everywhere, duplicates are told, changes go only where there is no doubt.
#include <nlohmann/json.hpp>

#include <sstream>

#include "cli/written_deployment.h"
#include "support/catch.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

const char* const kFree = "writes = \"allow\"";

/// Three shards of whose rule this run knows nothing.
struct Scattered {
    Scattered() : box(kFree, 3) {}
    void put(std::size_t shard, const std::string& key, const std::string& used, std::int64_t reset_at) {
        for (const auto& [name, value] : {std::pair{key, used}, std::pair{key + ":exp", std::to_string(reset_at)}}) {
            box.server(shard).command({"SET", name, value});
            box.server(shard).command({"EXPIREAT", name, std::to_string(reset_at + 1)});
        }
    }
    RunResult run(std::vector<std::string> arguments, RunOptions options = {}) const {
        arguments.emplace_back("--all-shards");
        return box.run(arguments, std::move(options));
    }
    std::string stored(std::size_t shard, const std::string& key) { return box.server(shard).command({"GET", key}); }

    WrittenDeployment box;
};

std::vector<json> rows_of(const RunResult& result) {
    std::vector<json> rows;
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);) {
        auto row = json::parse(line);
        if (row.contains("key")) rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace

TEST_CASE("check in all-shards mode finds a key wherever it is") {
    Scattered scattered;
    const auto reset_at = seconds_from_now(1000);
    for (std::size_t shard = 0; shard < 3; ++shard) {
        scattered.put(shard, "core:" + std::to_string(shard), std::to_string(10 + shard), reset_at);
    }
    const auto result = scattered.run({"check", "core:0", "core:1", "core:2", "core:none", "-o", "ndjson"});
    CHECK(result.code == 0);
    CHECK(result.err.empty());
    const auto rows = rows_of(result);
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
    const auto rows = rows_of(result);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].at("shard") == "alpha");
    CHECK(rows[1].at("shard") == "gamma");
    CHECK(holds(result.err, "duplicate: key 'core:twice' is on 2 shards: 'alpha' (40 used"));
    CHECK(holds(result.err, "'gamma' has the newer window, 'alpha' has the larger count"));
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
    for (const auto& row : rows_of(result)) ++seen[row.at("key")];
    CHECK(seen.size() == 10);
    for (const auto& [key, rows] : seen) CHECK(rows == 2);
    CHECK(holds(result.err, "10 keys are on several of 3 shards"));
    CHECK(holds(result.err, "duplicate: key 'core:30'"));
    // A rule that is known leaves copies behind just the same.
    CHECK(rows_of(scattered.box.run({"scan", "--duplicates", "-o", "ndjson"})).size() == 20);
    CHECK(scattered.run({"scan", "--duplicates", "--shard", "alpha"}).code == 2);
}

TEST_CASE("locate says that no shard can be computed and where to look") {
    Scattered scattered;
    const auto result = scattered.run({"locate", "core:1"});
    CHECK(result.code == 3);
    CHECK(holds(result.err, "cannot be computed"));
    CHECK(holds(result.err, "ratectl check"));
}

TEST_CASE("a dead shard leaves keys in doubt that the others do not have") {
    Scattered scattered;
    scattered.put(0, "core:here", "1", seconds_from_now(1000));
    scattered.box.server(1).kill();
    const auto result = scattered.run({"check", "core:here", "core:gone", "-o", "ndjson"});
    CHECK(result.code == 9);
    const auto rows = rows_of(result);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].at("key") == "core:here");
}
