// Changes of keys whose shard cannot be computed: made where the key is, if that is one place, and refused otherwise.

#include "cli/scattered.h"
#include "support/built_programs.h"
#include "support/catch.h"
#include "support/json.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

std::map<std::string, json> rows_by_key(const RunResult& result) {
    std::map<std::string, json> rows;
    for (auto& row : parse_json_lines(result.out)) {
        if (!row.contains("key")) continue;
        const std::string key = row.at("key");
        rows[key] = std::move(row);
    }
    return rows;
}

}  // namespace

TEST_CASE("a key on exactly one shard is changed there whatever a rule would say") {
    Scattered scattered;
    const auto reset_at = seconds_from_now(1000);
    for (std::size_t shard = 0; shard < 3; ++shard) {
        scattered.put(shard, "core:" + std::to_string(shard), "50", reset_at);
    }
    const std::vector<std::string> keys{"core:0", "core:1", "core:2"};
    const auto with = [&](std::vector<std::string> words) {
        words.insert(words.begin() + 1, keys.begin(), keys.end());
        return words;
    };
    CHECK(scattered.run(with({"increment", "--amount", "5"})).code == 0);
    for (std::size_t i = 0; i < 3; ++i) CHECK(scattered.stored(i, keys[i]) == "55");
    CHECK(scattered.run(with({"refund", "--amount", "15"})).code == 0);
    for (std::size_t i = 0; i < 3; ++i) CHECK(scattered.stored(i, keys[i]) == "40");
    CHECK(scattered.run(with({"reset"})).code == 0);
    for (std::size_t i = 0; i < 3; ++i) CHECK(scattered.stored(i, keys[i]) == "(nil)");
}

TEST_CASE("a key on several shards is refused as ambiguous unless the shard is named") {
    Scattered scattered;
    const auto reset_at = seconds_from_now(1000);
    scattered.put(0, "core:twice", "40", reset_at);
    scattered.put(1, "core:twice", "30", reset_at);
    for (const std::string command : {"increment", "refund", "reset"}) {
        std::vector<std::string> words{command, "core:twice", "-o", "ndjson"};
        if (command == "refund") words.insert(words.end(), {"--amount", "1"});
        const auto result = scattered.run(words);
        INFO(command << result.err);
        CHECK(result.code == 7);
        CHECK(contains(result.err, "is on the shards 'alpha' and 'beta'; nothing was written"));
        CHECK(contains(result.err, "--shard"));
        const auto rows = rows_by_key(result);
        CHECK(rows.at("core:twice").at("status") == "refused");
        CHECK(rows.at("core:twice").at("reason") == "ambiguous");
        CHECK(rows.at("core:twice").at("shard").is_null());
    }
    CHECK(scattered.run({"reset", "core:twice", "--shard", "alpha"}).code == 0);
    CHECK(scattered.stored(0, "core:twice") == "(nil)");
    CHECK(scattered.stored(1, "core:twice") == "30");
    CHECK(scattered.run({"reset", "core:twice"}).code == 0);
    CHECK(scattered.stored(1, "core:twice") == "(nil)");
}

TEST_CASE("a key on no shard is absent to removals and has no shard to be opened on") {
    Scattered scattered;
    const auto removed = scattered.run({"reset", "core:none", "-o", "ndjson"});
    CHECK(removed.code == 1);
    CHECK(rows_by_key(removed).at("core:none").at("reason") == "absent");
    const auto counted = scattered.run({"increment", "core:none", "-o", "ndjson"});
    CHECK(counted.code == 7);
    CHECK(rows_by_key(counted).at("core:none").at("reason") == "no-shard");
    for (std::size_t i = 0; i < 3; ++i) CHECK(scattered.box.server(i).command({"DBSIZE"}) == "0");
    CHECK(scattered.run({"increment", "core:none", "--shard", "gamma"}).code == 0);
    CHECK(scattered.stored(2, "core:none") == "1");
}

TEST_CASE("a dead shard may have the key so nothing is written for it") {
    Scattered scattered;
    scattered.put(0, "core:here", "40", seconds_from_now(1000));
    scattered.box.server(1).kill();
    const auto result = scattered.run({"reset", "core:here", "-o", "ndjson"});
    CHECK(result.code == 4);
    CHECK(contains(result.err, "'beta', which does not answer"));
    CHECK(rows_by_key(result).at("core:here").at("status") == "failed");
    CHECK(scattered.stored(0, "core:here") == "40");
    CHECK(scattered.run({"reset", "core:here", "--shard", "alpha"}).code == 0);
    CHECK(scattered.stored(0, "core:here") == "(nil)");
}

TEST_CASE("a sweep in all-shards mode leaves duplicates alone and changes the rest") {
    Scattered scattered;
    const auto reset_at = seconds_from_now(1000);
    for (int i = 0; i < 60; ++i) {
        scattered.put(static_cast<std::size_t>(i) % 3, "core:" + std::to_string(i), "1", reset_at);
    }
    scattered.put(1, "core:0", "2", reset_at);
    const auto result = scattered.run({"reset", "--match", "core:*", "-o", "ndjson"});
    CHECK(result.code == 9);
    CHECK(contains(result.err, "59 applied, 2 refused"));
    CHECK(scattered.stored(0, "core:0") == "1");
    CHECK(scattered.stored(1, "core:0") == "2");
    CHECK(scattered.stored(1, "core:1") == "(nil)");
}

TEST_CASE("what was read ahead for a question keeps its homes") {
    if (is_binary_sanitized()) return;  // more than a minute
    Scattered scattered("writes = \"confirm\"\nmax_keys = 100000");
    const auto reset_at = seconds_from_now(1000);
    scattered.put(0, "core:twice", "40", reset_at);
    scattered.put(1, "core:twice", "30", reset_at);
    scattered.put(2, "core:last", "20", reset_at);
    std::string keys;
    for (int i = 0; i < 50'100; ++i) keys += "core:" + std::to_string(i) + "\n";
    keys += "core:twice\ncore:last\n";
    RunOptions options;
    options.input = keys;
    const auto result = scattered.run({"reset", "-", "-y", "-o", "ndjson", "--expect", "50102"}, options);
    CHECK(result.code == 9);
    const auto rows = rows_by_key(result);
    CHECK(rows.at("core:twice").at("reason") == "ambiguous");
    CHECK(rows.at("core:last").at("status") == "applied");
    CHECK(rows.at("core:last").at("shard") == "gamma");
    CHECK(scattered.stored(0, "core:twice") == "40");
}

TEST_CASE("a rule that is only forgotten is not guessed at") {
    RedisServer first;
    RedisServer second;
    const std::vector<std::string> urls{"-u", first.endpoint().url(), "-u", second.endpoint().url()};
    const auto with = [&](std::vector<std::string> words) {
        words.insert(words.end(), urls.begin(), urls.end());
        return run_ratectl(words);
    };
    second.command({"SET", "core:1", "5", "EX", "1001"});
    second.command({"SET", "core:1:exp", std::to_string(seconds_from_now(1000)), "EX", "1001"});
    const auto refused = with({"reset", "core:1"});
    CHECK(refused.code == 3);
    CHECK(contains(refused.err, "--all-shards"));
    CHECK(with({"check", "core:1"}).code == 0);
    CHECK(with({"reset", "core:1", "--all-shards"}).code == 0);
    CHECK(second.command({"GET", "core:1"}) == "(nil)");
}
