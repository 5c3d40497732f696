// The forecast of a reshard: shares, clients who would notice, what is no live window, and servers that are missing.
#include <algorithm>
#include <fstream>

#include "cli/reshard_box.h"
#include "support/catch.h"
#include "support/json.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

std::vector<json> rows_of_kind(const RunResult& result, const std::string& kind) {
    std::vector<json> rows;
    for (auto& row : parse_json_lines(result.out)) {
        if (row.contains("row") && row.at("row") == kind) rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace

TEST_CASE("the forecast from three to four shards moves about a quarter and names who would notice") {
    ReshardBox box;
    box.fill(4000, seconds_from_now(2000));
    const auto before = box.windows();
    const auto result = box.plan({"-o", "ndjson"});
    INFO(result.err);
    CHECK(result.code == 0);
    std::int64_t windows = 0;
    std::int64_t moved = 0;
    for (const auto& row : rows_of_kind(result, "shards")) {
        windows += row.at("windows").get<std::int64_t>();
        moved += row.at("moved").get<std::int64_t>();
        CHECK((row.at("to") == "delta") == (row.at("moved") > 0));
        CHECK(row.at("share") > 0);
    }
    CHECK(windows == 4000);
    CHECK(moved > 800);
    CHECK(moved < 1200);
    std::size_t expected = 0;
    for (std::uint64_t i = 0; i < 4000; ++i) {
        const auto key = ReshardBox::key(i);
        expected += i % 120 >= 80 && ReshardBox::home(key, 3) != ReshardBox::home(key, 4) ? 1 : 0;
    }
    const auto noticed = rows_of_kind(result, "window");
    CHECK(noticed.size() == expected);
    for (const auto& row : noticed) {
        CHECK(row.at("percent") >= 80);
        CHECK(row.at("limit") == 100);
        CHECK(row.at("to") == "delta");
    }
    CHECK(rows_of_kind(box.plan({"-o", "ndjson", "--above", "110%"}), "window").size() < expected / 2);
    CHECK(box.windows() == before);
}

TEST_CASE("the forecast is two tables for people and one document for programs") {
    ReshardBox box;
    box.fill(400, seconds_from_now(2000));
    const auto table = box.plan();
    CHECK(table.code == 0);
    CHECK(table.out.find("KEY") < table.out.find("WINDOWS"));
    CHECK(contains(table.out, "SHARE %"));
    CHECK(contains(table.err, "400 windows from deployment 'three' to deployment 'four'"));
    const auto document = parse_json(box.plan({"--json"}).out);
    CHECK(document.at("complete") == true);
    CHECK(document.at("schema") == "ratectl.reshard-plan.v1");
    const auto names = box.plan({"-o", "name"});
    CHECK(std::count(names.out.begin(), names.out.end(), '\n') > 5);
    CHECK(names.out.rfind("core:", 0) == 0);
    const auto by_name =
        box.run({"reshard", "plan", box.file("both") + ":three", "four", "-c", box.file("both"), "-o", "ndjson"});
    INFO(by_name.err);
    CHECK(rows_of_kind(by_name, "shards").size() == rows_of_kind(box.plan({"-o", "ndjson"}), "shards").size());
}

TEST_CASE("one server under two addresses keeps its windows") {
    ReshardBox box;
    box.fill(300, seconds_from_now(2000));
    std::string text = box.text_of("three", 3, "");
    for (auto at = text.find("127.0.0.1"); at != std::string::npos; at = text.find("127.0.0.1"))
        text.replace(at, 9, "localhost");
    std::ofstream(box.file("same")) << text;
    const auto result = box.run({"reshard", "plan", box.file("three"), box.file("same"), "-o", "ndjson"});
    INFO(result.err);
    CHECK(result.code == 0);
    for (const auto& row : rows_of_kind(result, "shards")) CHECK(row.at("moved") == 0);
    const auto before = box.windows();
    const auto applied = box.run({"reshard", "apply", box.file("three"), box.file("same")});
    INFO(applied.err);
    CHECK(applied.code == 1);
    CHECK(contains(applied.err, "nothing has to move"));
    CHECK(box.windows() == before);
}

TEST_CASE("a dead shard leaves the forecast partial and a new one that is not there yet does not") {
    ReshardBox box;
    box.fill(300, seconds_from_now(2000));
    box.server(3).kill();
    const auto early = box.plan({"-o", "ndjson"});
    CHECK(early.code == 0);
    CHECK(contains(early.err, "shard 'delta' of deployment 'four' does not say which server it is"));
    CHECK(rows_of_kind(early, "shards").size() > 3);
    box.server(0).kill();
    const auto partial = box.plan({"--json"});
    CHECK(partial.code == 9);
    CHECK(parse_json(partial.out).at("complete") == false);
    CHECK(parse_json(partial.out).at("failures").size() == 1);
    CHECK(parse_json(partial.out).at("failures")[0].at("shard") == "alpha");
}

TEST_CASE("a reshard refuses what would make it about other servers or other keys") {
    ReshardBox box;
    CHECK(box.plan({"--sharding", "modulo"}).code == 2);
    CHECK(box.plan({"-u", "redis://127.0.0.1:1"}).code == 2);
    CHECK(box.plan({"--all-shards"}).code == 2);
    CHECK(box.plan({"--above", "much"}).code == 2);
    CHECK(box.plan({"--state", "opne"}).code == 2);
    box.write("four", 4, "expiry_suffix = \":ends\"");
    const auto suffix = box.plan();
    CHECK(suffix.code == 3);
    CHECK(contains(suffix.err, "expiry_suffix"));
    auto text = box.text_of("four", 4, "");
    text.erase(text.find("sharding = "), std::string("sharding = \"twemproxy-ketama\"").size());
    std::ofstream(box.file("four")) << text;
    const auto unknown = box.plan();
    CHECK(unknown.code == 3);
    CHECK(contains(unknown.err, "nothing says how keys are shared out over its 4 shards"));
    CHECK(box.run({"reshard", "plan", box.file("three"), "/nowhere/x.toml"}).code == 3);
    CHECK(box.run({"reshard"}).code == 2);
}

// Their keys stood in the journal, and in the servers' records, as the new deployment would have them.
TEST_CASE("windows of secret clients are moved only where their clients stay secret") {
    ReshardBox box;
    box.fill(60, seconds_from_now(2000));
    const auto before = box.windows();
    std::ofstream(box.file("three"), std::ios::app) << "secret = true\n";
    const auto refused = box.apply();
    CHECK(refused.code == 9);
    CHECK(contains(refused.err, "60 windows of deployment 'three' are not moved to deployment 'four'"));
    CHECK(contains(refused.err, "of policy 'core', whose clients no policy of the new deployment keeps secret"));
    CHECK(box.windows() == before);
    std::ofstream(box.file("four"), std::ios::app) << "secret = true\n";
    const auto moved = box.apply();
    INFO(moved.err);
    CHECK(moved.code == 0);
    for (std::size_t i = 0; i < 60; ++i) CHECK_FALSE(contains(moved.out + moved.err, ReshardBox::key(i)));
    CHECK(box.windows() != before);
}
