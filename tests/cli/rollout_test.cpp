// Who is in at a percentage of actors: by measured buckets, and as the rule says of ten thousand actors.
#include "support/catch.h"
#include "support/contains.h"
#include "support/json.h"
#include "support/run_ratectl.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

json rolled(std::vector<std::string> arguments, const std::string& input = "") {
    arguments.insert(arguments.begin(), {"rollout", "who"});
    arguments.insert(arguments.end(), {"--feature", "redis_rate_limiter", "-o", "json"});
    RunOptions options;
    options.input = input;
    const auto result = run_ratectl(arguments, options);
    INFO(result.out << result.err);
    REQUIRE(result.code == 0);
    return parse_json(result.out).at("rows");
}

/// The polynomial of zlib, bit by bit.
std::uint32_t crc32_of(const std::string& bytes) {
    std::uint32_t crc = 0xffffffffU;
    for (const char c : bytes) {
        crc ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
    }
    return ~crc;
}

}  // namespace

TEST_CASE("actors are in the buckets that Flipper has them in") {
    const std::vector<std::pair<std::string, int>> measured{
        {"User;1", 86681}, {"User;2", 76771}, {"User;42", 41455}, {"Organization;7", 59605}, {"Bot;1001", 3833}};
    for (const auto& [actor, bucket] : measured) {
        INFO(actor);
        auto row = rolled({actor, "--at", "50"}).at(0);
        CHECK(row.at("bucket") == bucket);
        CHECK(row.at("on") == (bucket < 50'000));
        CHECK(row.at("then").is_null());
        const auto from = std::to_string(bucket / 1000) + "." + std::to_string(1000 + bucket % 1000).substr(1);
        CHECK(rolled({actor, "--at", from}).at(0).at("on") == false);
        const auto next = bucket + 1;
        const auto on = std::to_string(next / 1000) + "." + std::to_string(1000 + next % 1000).substr(1);
        row = rolled({actor, "--at", on, "--then", "0"}).at(0);
        CHECK(row.at("on") == true);
        CHECK(row.at("moves") == "out");
        CHECK(row.at("from") == std::stod(on));
    }
}

TEST_CASE("of ten thousand actors those are in that the rule names and none is dropped on the way up") {
    std::string names;
    std::vector<std::uint32_t> buckets;
    for (int i = 0; i < 10'000; ++i) {
        const auto name = "User;" + std::to_string(i);
        names += name + "\n";
        buckets.push_back(crc32_of("redis_rate_limiter" + name) % 100'000);
    }
    const std::vector<std::string> percentages{"0", "1", "25", "50", "99", "100"};
    for (std::size_t p = 0; p < percentages.size(); ++p) {
        const auto& then = percentages[std::min(p + 1, percentages.size() - 1)];
        const auto rows = rolled({"-", "--at", percentages[p], "--then", then}, names);
        REQUIRE(rows.size() == buckets.size());
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < buckets.size(); ++i) {
            const bool on = buckets[i] < std::stod(percentages[p]) * 1000;
            const bool later = buckets[i] < std::stod(then) * 1000;
            wrong += rows[i].at("on") != on || rows[i].at("then") != later || rows[i].at("moves") == "out" ? 1 : 0;
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("what rollout cannot take is said") {
    const auto run = [](std::vector<std::string> words) {
        words.insert(words.begin(), {"rollout", "who", "User;1"});
        return run_ratectl(words).code;
    };
    CHECK(run({"--feature", "f", "--at", "12.5"}) == 0);
    for (const char* at : {"101", "-1", "100.001", "many", "", "1e1", "25%%"}) {
        INFO(at);
        CHECK(run({"--feature", "f", "--at", at}) == 2);
    }
    CHECK(run({"--feature", "", "--at", "5"}) == 2);
    CHECK(run({"--at", "5"}) == 2);
    CHECK(run({"--feature", "f"}) == 2);
    CHECK(run_ratectl({"rollout"}).code == 2);
}

TEST_CASE("lines of actors may end as Windows ends them and a table of them is refused") {
    const auto rows = rolled({"-", "--at", "80%"}, "User;1\r\nUser;2\r\n\r\n");
    REQUIRE(rows.size() == 2);
    CHECK(rows.at(1).at("actor") == "User;2");
    CHECK(rows.at(1).at("bucket") == 76771);
    for (const std::string first : {"actor,bucket,on", "actor\tbucket", "ACTOR   BUCKET  ON", "feature,state",
                                    "{\"key\":\"core:1\",\"client\":\"User;1\"}"}) {
        INFO(first);
        RunOptions options;
        options.input = first + "\nUser;1\n";
        const auto result = run_ratectl({"rollout", "who", "-", "--feature", "f", "--at", "5"}, options);
        CHECK(result.code == 10);
        CHECK(result.out.find("User;1") == std::string::npos);
    }
}

// It ended with 3, as if a server were to be asked: rows of `rollout compare` name keys.
TEST_CASE("rows with keys are read for their actors where nothing is configured") {
    const auto rows =
        rolled({"-", "--at", "50"},
               "{\"key\":\"core:User;2\",\"actor\":\"User;2\"}\n{\"key\":\"core:x\",\"actor\":\"User;42\"}\n");
    REQUIRE(rows.size() == 2);
    CHECK(rows.at(0).at("bucket") == 76771);
    CHECK(rows.at(1).at("on") == true);
    RunOptions options;
    options.input = "{\"key\":\"core:sha256:0123456789abcdef\",\"actor\":\"sha256:0123456789abcdef\"}\n";
    const auto masked = run_ratectl({"rollout", "who", "-", "--feature", "f", "--at", "50"}, options);
    INFO(masked.err);
    CHECK(masked.code != 0);
    CHECK(contains(masked.err, "standard input, line 1: actor 'sha256:0123456789abcdef' has a fingerprint"));
    CHECK(masked.out.empty());
}

TEST_CASE("who reads what who prints in every format and odd bytes are the same actor") {
    const std::string actors = std::string(
        "User;1\n=1+2\na,\"b\" \\ c\nb\xff\tc\n\xe2\x80\xae"
        "d\n");
    const auto wanted = rolled({"-", "--at", "80"}, actors);
    REQUIRE(wanted.size() == 5);
    for (const std::string format : {"json", "ndjson", "csv", "tsv"}) {
        INFO(format);
        RunOptions options;
        options.input = actors;
        const auto first = run_ratectl({"rollout", "who", "-", "--feature", "f", "--at", "5", "-o", format}, options);
        REQUIRE(first.code == 0);
        CHECK(rolled({"-", "--at", "80"}, first.out) == wanted);
    }
    for (const std::string format : {"escaped", "hex", "base64"}) {
        INFO(format);
        RunOptions options;
        options.input = actors;
        options.input = run_ratectl({"rollout", "who", "-", "--feature", "f", "--at", "5", "-o", "csv"}, options).out;
        const auto names = run_ratectl(
            {"rollout", "who", "-", "--feature", "f", "--at", "5", "-o", "name", "--key-format", format}, options);
        REQUIRE(names.code == 0);
        CHECK(rolled({"-", "--at", "80", "--key-format", format}, names.out) == wanted);
    }
    CHECK(run_ratectl({"rollout", "who", "6", "--key-format", "hex", "--feature", "f", "--at", "5"}).code == 2);
}
