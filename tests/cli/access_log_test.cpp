// The main job on 10,000 real requests: what replay leaves in Redis equals what an independent reading of the log says.
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <unistd.h>

#include "support/catch.h"
#include "support/json.h"
#include "support/places.h"
#include "support/run_ratectl.h"

namespace {

using ratectl::test::parse_json;
using ratectl::test::run_ratectl;
using ratectl::test::RunOptions;

/// The log stands beside the project, not in it: its licence is its own.
std::string log_path() { return ratectl::test::source_dir() + "/../shared/data/access.log"; }

struct Line {
    std::string client;
    std::int64_t time = 0;
    int status = 0;
};

std::int64_t epoch_of(const std::string& stamp) {  // 17/May/2015:10:05:03 +0000
    std::tm parts{};
    const char* rest = strptime(stamp.c_str(), "%d/%b/%Y:%H:%M:%S", &parts);
    REQUIRE(rest != nullptr);
    const int offset = std::stoi(rest);
    return timegm(&parts) - (offset / 100 * 3600 + offset % 100 * 60);
}

/// The status stands after the quoted request; a quote inside it is escaped.
std::vector<Line> read_log() {
    INFO("this test reads " << log_path() << ", which is not part of the project; without it the test fails");
    std::ifstream in(log_path());
    REQUIRE(in.good());
    std::vector<Line> lines;
    for (std::string text; std::getline(in, text);) {
        Line line;
        line.client = text.substr(0, text.find(' '));
        const auto open = text.find('[');
        line.time = epoch_of(text.substr(open + 1, text.find(']') - open - 1));
        auto quote = text.find('"');
        do {
            quote = text.find('"', quote + 1);
        } while (text[quote - 1] == '\\');
        line.status = std::stoi(text.substr(quote + 2));
        lines.push_back(line);
    }
    return lines;
}

struct Found {
    std::int64_t used = 0;
    std::int64_t reset_at = 0;
    std::string shard;
};

/// NDJSON rows by key; a key that comes twice fails the test.
std::map<std::string, Found> found_by_key(const std::string& ndjson) {
    std::map<std::string, Found> rows;
    std::istringstream in(ndjson);
    for (std::string text; std::getline(in, text);) {
        const auto row = parse_json(text);
        const std::string key = row.at("key");
        INFO(key);
        REQUIRE(rows.count(key) == 0);
        rows[key] =
            Found{row.value("used", std::int64_t{-1}), row.value("reset_at", std::int64_t{-1}), row.at("shard")};
    }
    return rows;
}

ratectl::test::RunResult in_sandbox(const std::string& script) {
    RunOptions options;
    options.timeout = std::chrono::seconds(90);
    return run_ratectl({"sandbox", "run", "--", "sh", "-c", script}, options);
}

}  // namespace

TEST_CASE("A replayed log leaves one window a client with its requests less its refunds") {
    const auto lines = read_log();
    std::map<std::string, std::int64_t> expected;
    for (const auto& line : lines) expected["core:" + line.client] += line.status == 304 ? 0 : 1;
    REQUIRE(expected.size() == 1753);

    const std::string keys = std::filesystem::temp_directory_path() / ("ratectl-located-" + std::to_string(getpid()));
    const auto result =
        in_sandbox("ratectl replay '" + log_path() +
                   "' --key 'core:{client}' --limit 60 --period 1h --time now --refund-status 304 -y >/dev/null && "
                   "ratectl scan -o ndjson && ratectl scan -o name 2>/dev/null | ratectl locate - -o ndjson > " +
                   keys);
    INFO(result.err);
    REQUIRE(result.code == 0);
    const auto rows = found_by_key(result.out);
    CHECK(rows.size() == expected.size());
    std::set<std::string> shards;
    for (const auto& [key, used] : expected) {
        INFO(key);
        REQUIRE(rows.count(key) == 1);
        CHECK(rows.at(key).used == used);
        shards.insert(rows.at(key).shard);
    }
    CHECK(shards.size() == 3);

    std::ifstream located_file(keys);
    std::stringstream located_text;
    located_text << located_file.rdbuf();
    std::filesystem::remove(keys);
    const auto located = found_by_key(located_text.str());
    CHECK(located.size() == expected.size());
    for (const auto& [key, row] : located) {
        INFO(key);
        CHECK(row.shard == rows.at(key).shard);
    }
}

TEST_CASE("A log replayed on its own clock equals a simulation request by request") {
    const auto lines = read_log();
    const std::int64_t now = std::time(nullptr) + 5;
    struct Window {
        std::int64_t used = 0;
        std::int64_t reset = 0;
    };
    std::map<std::string, Window> windows;
    std::map<std::string, std::int64_t> over;
    for (const auto& line : lines) {
        const std::int64_t at = line.time + now - lines.front().time;
        auto& window = windows["core:" + line.client];
        if (window.reset == 0 || window.reset < at) window = Window{0, at + 3600};
        if (++window.used > 60) ++over["core:" + line.client];
        if (line.status == 304 && window.used > 0) --window.used;
    }
    const auto result = in_sandbox(
        "ratectl replay '" + log_path() + "' --key 'core:{client}' --limit 60 --period 1h --time log --now " +
        std::to_string(now) + " --refund-status 304 -y -o ndjson && echo && ratectl scan -o ndjson");
    INFO(result.err);
    REQUIRE(result.code == 0);
    const auto gap = result.out.find("\n\n");
    const std::size_t split = gap == std::string::npos ? 0 : gap + 1;
    std::istringstream limited(result.out.substr(0, split));
    std::map<std::string, std::int64_t> over_found;
    for (std::string text; std::getline(limited, text);) {
        if (text.empty()) continue;
        const auto row = parse_json(text);
        over_found[row.at("key")] = row.at("over");
    }
    CHECK(over_found == over);
    const auto rows = found_by_key(result.out.substr(split + 1));
    CHECK(rows.size() == windows.size());
    for (const auto& [key, window] : windows) {
        INFO(key);
        REQUIRE(rows.count(key) == 1);
        CHECK(rows.at(key).used == window.used);
        CHECK(rows.at(key).reset_at == window.reset);
    }
}
