// docs/limiters.md says which limiters there are and how they store a window: every row is tried.
#include <algorithm>
#include <fstream>
#include <regex>

#include "cli/written_deployment.h"
#include "support/catch.h"
#include "support/json.h"
#include "support/places.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

/// The rows of one table of the page, which it alone matches.
std::vector<std::smatch> rows_of_page(const std::regex& row) {
    static const std::vector<std::string> lines = [] {
        std::ifstream page(source_dir() + "/docs/limiters.md");
        std::vector<std::string> all;
        for (std::string line; std::getline(page, line);) all.push_back(line);
        return all;
    }();
    std::vector<std::smatch> rows;
    std::smatch found;
    for (const auto& line : lines) {
        if (std::regex_match(line, found, row)) rows.push_back(found);
    }
    return rows;
}

/// Of every table.
std::string names_of_page() {
    static const std::regex row(R"(^\| `([a-z0-9-]+)` \|.*$)");
    std::string names;
    for (const auto& found : rows_of_page(row)) names.append(names.empty() ? "" : ", ").append(found[1]);
    return names;
}

struct PageRow {
    std::string scheme, key, end, floor, endless;
};

std::vector<PageRow> counted_rows() {
    static const std::regex row(
        R"(^\| `([a-z0-9-]+)` \| .* \| `([^`]+)` \| ([^|]+) \| ([01]) \| (never counts|counts for good|is begun anew) \|$)");
    std::vector<PageRow> rows;
    for (const auto& found : rows_of_page(row)) rows.push_back({found[1], found[2], found[3], found[4], found[5]});
    return rows;
}

struct NumberedRow {
    std::string scheme, key, number, floor;
};

std::vector<NumberedRow> numbered_rows() {
    static const std::regex row(
        R"(^\| `([a-z0-9-]+)` \| .* \| `([^`]+)` \| (the period|its first second|its first millisecond) \| ([01]) \|$)");
    std::vector<NumberedRow> rows;
    for (const auto& found : rows_of_page(row)) rows.push_back({found[1], found[2], found[3], found[4]});
    return rows;
}

struct MomentRow {
    std::string scheme, unit, burst, life;
};

std::vector<MomentRow> moment_rows() {
    static const std::regex row(
        R"(^\| `([a-z0-9-]+)` \| .* \| (nanoseconds|seconds) since ([0-9]+) \| (beside the first|all at once), [^|]+ \| (whole seconds|with the moment)[^|]* \|$)");
    std::vector<MomentRow> rows;
    for (const auto& found : rows_of_page(row))
        rows.push_back({found[1], found[2].str() + found[3].str(), found[4], found[5]});
    return rows;
}

struct BucketRow {
    std::string scheme, key, beside;
};

std::vector<BucketRow> bucket_rows() {
    static const std::regex row(
        R"(^\| `([a-z0-9-]+)` \| .* \| `([^`]+)` \| `([^`]+)` \| the (application|server)'s \|$)");
    std::vector<BucketRow> rows;
    for (const auto& found : rows_of_page(row)) rows.push_back({found[1], found[2], found[3]});
    return rows;
}

/// The key of alice as a template.
std::string template_of(const std::string& key) {
    std::string text;
    for (const char c : key) text.append(c == '{' || c == '}' ? 2 : 1, c);
    return text.replace(text.find("alice"), 5, "{client}");
}

struct LogRow {
    std::string scheme, type, unit, stored, periods;
};

std::vector<LogRow> log_rows() {
    static const std::regex row(
        R"(^\| `([a-z0-9-]+)` \| .* \| a (list|sorted set) of (seconds with a fraction|whole seconds|microseconds)[^|]* \| (the limit|all) \| (one period|two periods) after the last request \|$)");
    std::vector<LogRow> rows;
    for (const auto& found : rows_of_page(row)) rows.push_back({found[1], found[2], found[3], found[4], found[5]});
    return rows;
}

std::string state_of(const std::string& url, const PageRow& row) {
    const auto look =
        run_ratectl({"check", row.key, "-u", url, "--scheme", row.scheme, "--look", "full", "-o", "json"});
    INFO(look.err);
    return parse_json(look.out).at("rows").at(0).at("state");
}

}  // namespace

TEST_CASE("the page of limiters has a row for every scheme and each is true") {
    WrittenDeployment box(kFree);
    auto& server = box.server();
    const auto url = server.endpoint().url();
    for (const auto& row : counted_rows()) {
        INFO(row.scheme);
        const bool pair = row.endless == "never counts";
        const auto end = std::to_string(seconds_from_now(60));
        const auto second = row.key + (row.scheme == "laravel" ? ":timer" : ":exp");
        const bool in_list = row.scheme == "redis-docs-list";
        for (int i = 0; in_list && i < 3; ++i) server.command({"RPUSH", row.key, row.key});
        if (in_list) server.command({"EXPIREAT", row.key, std::to_string(seconds_from_now(61))});
        if (!in_list) server.command({"SET", row.key, "3", "EXAT", std::to_string(seconds_from_now(61))});
        if (pair) server.command({"SET", second, end, "EXAT", std::to_string(seconds_from_now(61))});
        CHECK(state_of(url, row) == "open");
        const auto back = run_ratectl({"refund", row.key, "--amount", "9", "--clamp", "-y", "-u", url, "--scheme",
                                       row.scheme, "--confirm", server.endpoint().url().substr(8)});
        INFO(back.err);
        CHECK(back.code == 0);
        CHECK((in_list ? server.command({"LLEN", row.key}) : box.stored(row.key)) == row.floor);
        server.command({"DEL", second});
        server.command({"PERSIST", row.key});
        CHECK(state_of(url, row) == (row.endless == "counts for good" ? "leaked" : "orphan-counter"));
        server.command({"DEL", row.key});
    }
    for (const auto& row : numbered_rows()) {
        INFO(row.scheme);
        constexpr std::int64_t day = 86'400;
        const auto number = seconds_from_now(0) / day;
        const auto first =
            row.number == "the period" ? number : number * day * (row.number == "its first second" ? 1 : 1000);
        auto key = row.key;
        key.replace(key.find("{client}"), 8, "alice");
        key.replace(key.find("{bucket}"), 8, std::to_string(first));
        server.command({"SET", key, "3", "EX", "9"});
        const std::vector<std::string> terms{"--client", "alice", "-u",       url,  "--scheme", row.scheme,
                                             "--key",    row.key, "--period", "1d", "--limit",  "3"};
        auto asked = terms;
        asked.insert(asked.begin(), "check");
        asked.insert(asked.end(), {"-o", "json"});
        const auto look = run_ratectl(asked);
        INFO(look.err);
        const auto found = parse_json(look.out).at("rows").at(0);
        CHECK(found.at("key") == key);
        CHECK(found.at("state") == "exhausted");
        CHECK(found.at("reset_at") == (number + 1) * day - 1);
        asked = terms;
        asked.insert(asked.begin(), "refund");
        asked.insert(asked.end(), {"--amount", "9", "--clamp", "-y", "--confirm", url.substr(8)});
        CHECK(run_ratectl(asked).code == 0);
        CHECK(box.stored(key) == row.floor);
    }
    for (const auto& row : bucket_rows()) {
        INFO(row.scheme);
        server.command({"SET", row.key, "7.5", "EX", "60"});
        server.command({"SET", row.beside, std::to_string(seconds_from_now(30)), "EX", "60"});
        const std::vector<std::string> terms{
            "--client",           "alice",    "-u", url,       "--scheme", row.scheme, "--key",
            template_of(row.key), "--period", "1m", "--limit", "60",       "--burst",  "10"};
        auto asked = terms;
        asked.insert(asked.begin(), "check");
        asked.insert(asked.end(), {"-o", "json"});
        const auto look = run_ratectl(asked);
        INFO(look.err);
        const auto found = parse_json(look.out).at("rows").at(0);
        CHECK(found.at("key") == row.key);
        CHECK(found.at("remaining") == 7.5);
        asked = terms;
        asked.insert(asked.begin(), "refund");
        asked.insert(asked.end(), {"--amount", "2", "-y", "--confirm", url.substr(8)});
        CHECK(run_ratectl(asked).code == 0);
        CHECK(box.stored(row.key) == "9.5");
        asked[0] = "reset";
        asked.erase(std::find(asked.begin(), asked.end(), "--amount"), asked.end() - 3);
        CHECK(run_ratectl(asked).code == 0);
        CHECK(server.command({"EXISTS", row.key, row.beside}) == "0");
    }
    for (const auto& row : moment_rows()) {
        INFO(row.scheme);
        const auto at = seconds_from_now(150);
        const auto stored = row.unit == "nanoseconds1970"
                                ? std::to_string(at) + "000000000"
                                : std::to_string(at - (row.unit == "seconds2017" ? 1'483'228'800 : 0));
        server.command({"SET", "api:1", stored, "EX", "150"});
        const std::vector<std::string> terms{"-u",       url,   "--scheme", row.scheme, "--key",   "api:{client}",
                                             "--period", "10m", "--limit",  "10",       "--burst", "4"};
        auto asked = terms;
        asked.insert(asked.begin(), {"check", "api:1", "-o", "json"});
        const auto look = run_ratectl(asked);
        INFO(look.err);
        const auto found = parse_json(look.out).at("rows").at(0);
        CHECK(found.at("limit") == (row.burst == "all at once" ? 4 : 5));
        CHECK(found.at("used") == 3);
        asked = terms;
        asked.insert(asked.begin(), {"increment", "api:1", "-y", "--confirm", url.substr(8)});
        CHECK(run_ratectl(asked).code == 0);
        const auto lives = std::stoll(server.command({"PTTL", "api:1"}));
        CHECK((lives > 200'000 && lives <= 211'000));
        if (row.life == "with the moment") CHECK(std::stoll(server.command({"PEXPIRETIME", "api:1"})) % 1000 == 0);
        server.command({"DEL", "api:1"});
    }
    for (const auto& row : log_rows()) {
        INFO(row.scheme);
        const bool in_list = row.type == "list";
        const std::string key = row.scheme == "limits-moving" ? "LIMITER/1/2/1/hour" : "api:1";
        const std::vector<std::string> terms{
            "-u",       url,  "--scheme", row.scheme, "--key", key == "api:1" ? "api:{client}" : key,
            "--period", "1h", "--limit",  "2"};
        const auto ask = [&](std::vector<std::string> words) {
            words.insert(words.end(), terms.begin(), terms.end());
            words.insert(words.end(), {"-o", "json"});
            const auto result = run_ratectl(words);
            INFO(result.err);
            return parse_json(result.out).at("rows").at(0);
        };
        ask({"increment", key, "--amount", "5", "-y", "--confirm", url.substr(8)});
        CHECK(ask({"check", key}).at("used") == (row.stored == "all" ? 5 : 2));
        CHECK(server.command({"TYPE", key}) == (in_list ? "list" : "zset"));
        const auto lives = std::stoll(server.command({"PTTL", key}));
        CHECK(std::abs(lives - (row.periods == "two periods" ? 7'200'000 : 3'600'000)) < 10'000);
        const auto newest = in_list ? server.command({"LINDEX", key, "0"})
                                    : server.reply({"ZRANGE", key, "-1", "-1", "WITHSCORES"}).items.at(1).text;
        const double unit = row.unit == "microseconds" ? 1e6 : 1;
        CHECK(std::abs(std::stod(newest) / unit - static_cast<double>(seconds_from_now(0))) < 10);
        if (row.unit == "whole seconds") CHECK_FALSE(contains(newest, "."));
        server.command({"DEL", key});
    }
    const auto unknown = run_ratectl({"check", "k", "-u", url, "--scheme", "none"});
    CHECK(contains(unknown.err, "one of: " + names_of_page() + "\n"));
}
