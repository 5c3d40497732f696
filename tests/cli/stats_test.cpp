// stats of real servers: the text as agreed on, dumps against live servers, what promtool says, and a dead shard.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "cli/written_deployment.h"
#include "sandbox/process.h"
#include "support/catch.h"
#include "support/golden.h"
#include "support/json.h"
#include "unit/input/rdb_maker.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

/// The application's clock; no server's clock comes there.
constexpr std::int64_t kNow = 4'102'444'800;

/// 300 windows on alpha, 150 on beta, a third of them ending in the same second.
struct Counted {
    WrittenDeployment box{"writes = \"deny\"", 2};

    Counted() {
        for (int i = 0; i < 450; ++i) {
            const std::int64_t reset = i % 3 == 0 ? kNow + 1800 : kNow - 20 + i * 8;
            const std::string key = "core:client " + std::to_string(i);
            auto& server = box.server(i % 3 == 1 ? 1 : 0);
            server.command({"SET", key, std::to_string(i % 50 == 0 ? 100 + i : i % 90)});
            server.command({"SET", key + ":exp", std::to_string(reset)});
        }
        box.server().command({"SET", "core:broken", "many"});
        box.server().command({"SET", "core:broken:exp", std::to_string(kNow + 60)});
    }
    RunResult stats(std::vector<std::string> arguments, RunOptions options = {}) const {
        arguments.insert(arguments.begin(), {"stats", "--now", std::to_string(kNow)});
        return box.run(arguments, options);
    }
};

/// Columns, not bytes: a continuation byte is none.
std::size_t widest_line(const std::string& text) {
    std::size_t widest = 0;
    std::size_t width = 0;
    for (const char c : text) {
        width = c == '\n' ? 0 : width + ((static_cast<unsigned char>(c) & 0xC0) == 0x80 ? 0 : 1);
        widest = std::max(widest, width);
    }
    return widest;
}

std::string dump_of(RedisServer& server, const std::string& file) {
    REQUIRE(server.command({"SAVE"}) == "OK");
    const std::string folder = server.command({"CONFIG", "GET", "dir"});
    std::filesystem::copy_file(folder.substr(folder.find('\n') + 1) + "/dump.rdb", file);
    return file;
}

}  // namespace

TEST_CASE("stats prints the text that was agreed on within 80 columns") {
    const Counted counted;
    const std::vector<std::string> arguments{"--at-limit", "20,60,50%", "--names", "5"};
    const auto result = counted.stats(arguments);
    INFO(result.err);
    CHECK(result.code == 0);
    CHECK(widest_line(result.out) <= 80);
    check_golden("cli/golden/stats/text.txt", result.out);
    RunOptions c_locale;
    c_locale.environment["LC_ALL"] = "C";
    CHECK(counted.stats(arguments, c_locale).out == result.out);
    CHECK(contains(counted.stats({"--thousands"}).out, "Used: 22,362 requests"));
    CHECK(contains(counted.stats({"--color", "always"}).out, "\x1b[31m"));
}

TEST_CASE("stats of dumps are those of the servers that wrote them") {
    Counted counted;
    const std::string alpha = dump_of(counted.box.server(0), counted.box.file("alpha.rdb"));
    const std::string beta = dump_of(counted.box.server(1), counted.box.file("beta.rdb"));
    for (const char* format : {"table", "csv", "prometheus"}) {
        const auto live = counted.stats({"-o", format, "--at-limit", "30"});
        const auto dumped = counted.stats({"-o", format, "--at-limit", "30", "--rdb", alpha, "--rdb", beta});
        INFO(format << ": " << dumped.err);
        CHECK(dumped.code == 0);
        CHECK(!live.out.empty());
        CHECK(dumped.out == live.out);
    }
    const auto one = parse_json(counted.stats({"-o", "json", "--rdb", beta}).out);
    REQUIRE(one.at("shards").size() == 1);
    CHECK(one.at("shards").at(0).at("shard") == "beta");
    CHECK(one.at("shard_balance") == "one-shard");
    CHECK(counted.stats({"--rdb", beta, "--ops", "5"}).code == 2);
}

TEST_CASE("stats of a dump are of the moment of its picture") {
    const WrittenDeployment box("writes = \"deny\"");
    const std::int64_t then = 1'600'000'000;
    RdbMaker made("REDIS0009");
    made.aux("redis-ver", "6.0.9").aux("ctime", std::to_string(then)).db(0);
    made.window("core:alice", "20", then + 60).window("core:bob", "3", then - 1);
    std::ofstream(box.file("old.rdb"), std::ios::binary) << made.ended();
    const auto result = run_ratectl({"stats", "--rdb", box.file("old.rdb"), "-o", "json", "--limit", "20"});
    INFO(result.err);
    const auto told = parse_json(result.out);
    CHECK(told.at("now") == then);
    CHECK(told.at("live") == 1);
    CHECK(told.at("exhausted") == 1);
    CHECK(told.at("resets_busiest").at(0).at("at") == then + 60);
    CHECK(told.at("resets_later") == 0);
}

TEST_CASE("a dead shard leaves the figures of the others and exit code 9") {
    Counted counted;
    counted.box.server(1).kill();
    for (const char* format : {"table", "json", "prometheus", "html"}) {
        const auto result = counted.stats({"-o", format, "--timeout", "2s"});
        INFO(format << ": " << result.err);
        CHECK(result.code == 9);
        CHECK(contains(result.err, "shard 'beta'"));
        CHECK(contains(result.out, "beta"));
    }
    const auto told = parse_json(counted.stats({"-o", "json"}).out);
    CHECK(told.at("shards").at(0).at("windows") == 301);
    CHECK(told.at("shards").at(1).at("windows") == 0);
}

TEST_CASE("the clients of secret policies are fingerprints in whatever stats prints") {
    Counted counted;
    const std::string config = counted.box.file("secret.toml");
    std::ofstream(config) << "[deployments.box]\nkind = \"shards\"\nwrites = \"deny\"\n"
                             "[[deployments.box.shards]]\nname = \"alpha\"\nprimary = \""
                          << counted.box.server().endpoint().url()
                          << "\"\n[[deployments.box.policies]]\nname = \"core\"\nkey = \"core:{client}\"\n"
                             "limit = 100\nsecret = true\n";
    for (const char* format : {"table", "json", "html", "csv", "prometheus"}) {
        std::vector<std::string> words{
            "-c", config, "stats", "-o", format, "--names", "5", "--now", std::to_string(kNow)};
        const auto masked = run_ratectl(words);
        INFO(format << ": " << masked.err);
        CHECK(masked.code == 0);
        CHECK(!masked.out.empty());
        CHECK(!contains(masked.out, "client 3"));
        if (std::string(format) != "table" && std::string(format) != "json") continue;
        words.push_back("--reveal");
        CHECK(contains(run_ratectl(words).out, "core:client 3"));
    }
}

TEST_CASE("promtool finds nothing wrong with the metrics where it is installed") {
    const auto promtool = ratectl::sandbox::find_program("promtool", "/usr/local/bin:/usr/bin:/bin");
    if (!promtool) {
        WARN("left out: promtool is not installed (package prometheus)");
        return;
    }
    const Counted counted;
    RunOptions options;
    options.input = counted.stats({"-o", "prometheus", "--at-limit", "20"}).out;
    REQUIRE(!options.input.empty());
    const auto checked = run_program(*promtool, {"check", "metrics"}, options);
    CHECK(checked.err == "");
    CHECK(checked.code == 0);
}

// The sum ended at 2^63 - 1 without a word.
TEST_CASE("requests are added up beyond what 64 bits hold") {
    WrittenDeployment box(kFree);
    for (const char* key : {"core:1", "core:2", "core:3"})
        box.set_window(key, "9000000000000000000", seconds_from_now(500));
    const std::string sum = "27000000000000000000";
    CHECK(contains(box.run({"stats"}).out, "Used: " + sum + " requests in 3 live windows"));
    const auto document = box.run({"stats", "-o", "json"}).out;
    CHECK(contains(document, "\"used_sum\":" + sum + ","));
    CHECK(contains(document, "\"requests_over\":26999999999999999700,"));
    CHECK(parse_json(document).at("rows").back().at("kind") == "at-limit");
    CHECK(contains(box.run({"stats", "-o", "prometheus"}).out, "} " + sum + "\n"));
    CHECK(contains(box.run({"stats", "-o", "csv"}).out, "2.7e+19"));
}
