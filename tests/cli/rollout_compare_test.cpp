// Which of two real deployments serves whom, and what both have of them.
#include <sstream>

#include "cli/rollout_box.h"
#include "support/built_programs.h"
#include "support/catch.h"
#include "support/contains.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

/// The polynomial of zlib, bit by bit.
std::uint32_t bucket_of(const std::string& bytes) {
    std::uint32_t crc = 0xffffffffU;
    for (const char c : bytes) {
        crc ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
    }
    return ~crc % 100'000;
}

RunResult compare(const RolloutBox& box, std::vector<std::string> more, const std::string& input = "") {
    more.insert(more.begin(), {"rollout", "compare", "--old", "legacy", "--feature", "redis_rate_limiter"});
    RunOptions options;
    options.input = input;
    return box.run(std::move(more), options);
}

json row_of(const RolloutBox& box, const std::string& key, const std::string& at, int code) {
    const auto result = compare(box, {key, "--at", at, "-o", "json"});
    INFO(result.out << result.err);
    REQUIRE(result.code == code);
    return parse_json(result.out).at("rows").at(0);
}

}  // namespace

TEST_CASE("ten thousand clients are served by the deployment that the rule names") {
    const RolloutBox box;
    std::string clients;
    for (int i = 0; i < 10'000; ++i) clients += std::to_string(i) + "\n";
    using Shares = std::vector<const char*>;
    for (const char* at : is_binary_sanitized() ? Shares{"25"} : Shares{"0", "1", "25", "50", "99", "100"}) {
        const auto result =
            compare(box, {"--client", "-", "--actor", "User;{client}", "--at", at, "-o", "ndjson"}, clients);
        REQUIRE(result.code == 0);
        int wrong = 0, client = 0;
        for (const auto& row : parse_json_lines(result.out)) {
            if (!row.contains("key")) continue;
            const auto actor = "User;" + std::to_string(client++);
            const bool moved = bucket_of("redis_rate_limiter" + actor) < std::stod(at) * 1000;
            wrong += row.at("moved") != moved || row.at("served_by") != (moved ? "new" : "legacy") ||
                             row.at("actor") != actor
                         ? 1
                         : 0;
        }
        CHECK(client == 10'000);
        CHECK(wrong == 0);
    }
}

TEST_CASE("both windows stand side by side with what the client may make once more") {
    RolloutBox box;
    const auto end = now_s() + 1000;
    CHECK(row_of(box, "core:alice", "100", 0).at("standing") == "none");
    box.old.open("core:alice", 40, end);
    auto row = row_of(box, "core:alice", "100", 1);
    CHECK(row.at("standing") == "old-only");
    CHECK(row.at("given_anew") == 40);
    CHECK(row.at("old_remaining") == 4960);
    CHECK(row.at("new_state") == "absent");
    CHECK(row_of(box, "core:alice", "0", 0).at("served_by") == "legacy");
    box.copied({"--all"});
    row = row_of(box, "core:alice", "100", 0);
    CHECK(row.at("standing") == "carried");
    CHECK(row.at("new_used") == 40);
    CHECK(row.at("new_reset_at") == end);
    box.old.ask("incr core:alice 2");
    row = row_of(box, "core:alice", "100", 1);
    CHECK(row.at("standing") == "behind");
    CHECK(row.at("given_anew") == 2);
    box.redis.command({"SET", "core:alice:exp", std::to_string(end + 500)});
    row = row_of(box, "core:alice", "100", 1);
    CHECK(row.at("standing") == "apart");
    CHECK(row.at("given_anew") == 42);
    box.old.ask("delete core:alice");
    box.old.ask("delete core:alice:reset_at");
    row = row_of(box, "core:alice", "100", 0);
    CHECK(row.at("standing") == "new-only");
    CHECK(row.at("old_used").is_null());
}

TEST_CASE("what was carried over is what a comparison goes by and not what both have used") {
    RolloutBox box;
    const auto end = now_s() + 1000;
    box.old.open("core:alice", 4, end);
    box.copied({"--all"});
    for (int n = 0; n < 5; ++n) box.count_here("core:alice");
    CHECK(row_of(box, "core:alice", "100", 0).at("standing") == "carried");
    box.old.ask("incr core:alice 4");
    auto row = row_of(box, "core:alice", "100", 1);
    CHECK(row.at("standing") == "behind");
    CHECK(row.at("old_used") == 8);
    CHECK(row.at("new_used") == 9);
    CHECK(row.at("given_anew") == 4);
    box.copied({"--all"});
    CHECK(row_of(box, "core:alice", "100", 0).at("given_anew") == 0);

    box.old.open("core:own", 4, end);
    box.redis.command({"SET", "core:own", "6"});
    box.redis.command({"SET", "core:own:exp", std::to_string(end)});
    row = row_of(box, "core:own", "100", 1);
    CHECK(row.at("standing") == "apart");
    CHECK(row.at("given_anew") == 4);
}

TEST_CASE("a window that counts less than was carried into it is short and never carried") {
    RolloutBox box;
    const auto end = now_s() + 1000;
    box.old.open("core:alice", 9, end);
    box.copied({"--all"});
    box.redis.command({"DEL", "core:alice", "core:alice:exp"});
    auto row = row_of(box, "core:alice", "100", 1);
    CHECK(row.at("standing") == "old-only");
    CHECK(row.at("given_anew") == 9);
    box.old.ask("incr core:alice 1");
    box.copied({"--all"}, 1);  // which says that what was there is gone
    row = row_of(box, "core:alice", "100", 1);
    CHECK(row.at("new_used") == 1);
    CHECK(row.at("standing") == "short");
    CHECK(row.at("given_anew") == 9);
}

TEST_CASE("of a counter that has lost its end a comparison counts only what was not carried over before") {
    RolloutBox box;
    const auto end = now_s() + 1000;
    box.old.open("core:alice", 4, end);
    box.copied({"--all"});
    box.old.ask("delete core:alice:reset_at");
    auto row = row_of(box, "core:alice", "100", 0);
    CHECK(row.at("standing") == "orphan");
    CHECK(row.at("given_anew") == 0);
    box.old.ask("incr core:alice 1");
    box.old.set("core:alice:reset_at", std::to_string(end + 300));
    row = row_of(box, "core:alice", "100", 1);
    CHECK(row.at("standing") == "behind");
    CHECK(row.at("given_anew") == 1);
    box.copied({"--all"});
    CHECK(row_of(box, "core:alice", "100", 0).at("standing") == "carried");
    box.old.open("core:alice", 2, end + 400);
    row = row_of(box, "core:alice", "100", 1);
    CHECK(row.at("standing") == "apart");
    CHECK(row.at("given_anew") == 2);
}

TEST_CASE("a counter that has lost its end is lost to the new deployment and a comparison says so") {
    RolloutBox box;
    box.old.set("core:alice", "30");
    const auto row = row_of(box, "core:alice", "100", 1);
    CHECK(row.at("standing") == "orphan");
    CHECK(row.at("given_anew") == 30);
}

TEST_CASE("a dead deployment leaves the other one's windows and says so") {
    RolloutBox box;
    box.redis.command({"SET", "core:alice", "3"});
    box.redis.command({"SET", "core:alice:exp", std::to_string(now_s() + 100)});
    box.old.kill();
    const auto result = compare(box, {"core:alice", "--at", "50", "-o", "json"});
    CHECK(result.code == 9);
    const auto row = parse_json(result.out).at("rows").at(0);
    CHECK(row.at("old_state").is_null());
    CHECK(row.at("standing").is_null());
    CHECK(row.at("new_used") == 3);
    CHECK(result.err.find("cannot connect") != std::string::npos);
}

TEST_CASE("what a comparison cannot take is said") {
    const RolloutBox box;
    CHECK(compare(box, {"core:alice", "--at", "101"}).code == 2);
    for (const char* actor : {"User", "{client}{x}", "{client}{client}", "{{client}}"})
        CHECK(compare(box, {"core:alice", "--at", "5", "--actor", actor}).code == 2);
    CHECK(compare(box, {"--at", "5"}).code == 2);
}

TEST_CASE("what rollout prints in rows is read by who and compare and copy") {
    RolloutBox box;
    for (const std::string client : {"erin", "bob"}) {
        REQUIRE(box.run({"increment", "core:" + client, "--amount", "7", "-d", "legacy"}).code == 0);
    }
    const std::vector<std::string> who{"rollout", "who", "User;erin", "User;bob", "--feature", "redis_rate_limiter",
                                       "--at",    "100", "-o"};
    for (const std::string format : {"json", "ndjson", "csv", "tsv"}) {
        INFO(format);
        auto words = who;
        words.push_back(format);
        const auto actors = box.run(words).out;
        const auto both = compare(box, {"-", "--at", "100", "--actor", "User;{client}", "-o", format}, actors);
        CHECK(both.code == 1);
        CHECK(contains(both.out, "core:erin"));
        // Its own rows say the same once more, and are those of the actors.
        CHECK(compare(box, {"-", "--at", "100", "--actor", "User;{client}", "-o", format}, both.out).out == both.out);
        RunOptions options;
        options.input = both.out;
        CHECK(box.run({"rollout", "who", "-", "--feature", "redis_rate_limiter", "--at", "100", "-o", format}, options)
                  .out == actors);
        options.input = actors;
        const auto planned = box.copy({"-", "-n", "--actor", "User;{client}", "-o", "name"}, options);
        CHECK(planned.out == "core:erin\ncore:bob\n");
        // Of another template: whose window that is, nothing says.
        CHECK(box.copy({"-", "-n", "--actor", "Team;{client}"}, options).code == 10);
        const auto others = box.run({"check", "-"}, options);
        CHECK(others.code == 10);
        CHECK(contains(others.err, "names an actor of a feature"));
    }
    RunOptions options;
    options.input = box.run({"rollout", "who", "erin", "bob", "--feature", "f", "--at", "100", "-o", "ndjson"}).out;
    CHECK(box.copy({"-", "-y"}, options).code == 0);
    CHECK(box.used("core:erin") == "7");
    CHECK(box.used("core:bob") == "7");
}

TEST_CASE("the side of a client goes by its name and not by what its key makes of it") {
    RolloutBox box;
    std::ofstream(box.file(), std::ios::app) << "[[deployments.new.policies]]\nname = \"hashed\"\n"
                                                "key = \"h:{client|sha256:16}\"\nlimit = 50\nperiod = \"1h\"\n"
                                                "[[deployments.new.policies]]\nname = \"low\"\n"
                                                "key = \"l:{client|lower}\"\nlimit = 50\nperiod = \"1h\"\n";
    for (const std::string policy : {"hashed", "low"}) {
        INFO(policy);
        const std::vector<std::string> as_rows{"--policy", policy, "--at", "50", "-o", "ndjson"};
        auto words = as_rows;
        words.insert(words.end(), {"--client", "Carol", "--client", "dave"});
        const auto named = compare(box, words);
        INFO(named.err);
        REQUIRE(named.code == 0);
        std::istringstream lines(named.out);
        std::string line, keys;
        for (const std::string client : {"Carol", "dave"}) {
            REQUIRE(std::getline(lines, line));
            const auto row = parse_json(line);
            const auto bucket = bucket_of("redis_rate_limiter" + client);
            CHECK(row.at("actor") == client);
            CHECK(row.at("bucket") == bucket);
            CHECK(row.at("moved") == (bucket < 50'000));
            keys += row.at("key").get<std::string>() + "\n";
        }
        words = as_rows;
        words.insert(words.end(), "-");
        CHECK(compare(box, words, named.out).out == named.out);
        // A key alone does not tell.
        const auto unnamed = compare(box, words, keys);
        CHECK(unnamed.code == 9);
        CHECK(contains(unnamed.err, "it is not known which deployment serves it"));
        CHECK(contains(unnamed.out, "\"moved\":null"));
        CHECK_FALSE(contains(unnamed.out, "\"moved\":false"));
    }
}

TEST_CASE("what a corrupt window counts is not known to be nothing") {
    RolloutBox box;
    box.redis.command({"SET", "core:alice", "many", "EX", "1000"});
    box.redis.command({"SET", "core:alice:exp", std::to_string(now_s() + 900), "EX", "1000"});
    const auto row = row_of(box, "core:alice", "100", 1);
    CHECK(row.at("new_state") == "corrupt");
    CHECK(row.at("standing") == "corrupt");
    CHECK(row.at("given_anew").is_null());
}

TEST_CASE("policies that write another key in each deployment are told apart") {
    RolloutBox box;
    box.add(RolloutBox::policy("legacy", "other"));
    box.add("[[deployments.new.policies]]\nname = \"other\"\nkey = \"neu:{client}\"\nlimit = 50\nperiod = \"1h\"\n");
    const auto result = compare(box, {"core:alice", "--at", "5"});
    CHECK(result.code == 0);
    CHECK(
        contains(result.err, "keys of policy 'other' are `other:{client}` in deployment 'legacy', and `neu:{client}`"));
}

// It was looked for under the new name in the old deployment, where it is not.
TEST_CASE("a client is compared under the key that each deployment has for it and copied under no other") {
    RolloutBox box;
    box.add(RolloutBox::policy("legacy", "other"));
    box.add(
        "[[deployments.new.policies]]\nname = \"other\"\nkey = \"v2:{client}:other\"\nlimit = 50\nperiod = \"1h\"\n");
    box.old.open("other:alice", 7, now_s() + 1000);
    using Words = std::vector<std::string>;
    for (const auto& named : {Words{"--client", "alice", "--policy", "other"}, Words{"v2:alice:other"}}) {
        auto words = named;
        words.insert(words.end(), {"--at", "100", "-o", "json"});
        const auto result = compare(box, words);
        INFO(result.out << result.err);
        CHECK(result.code == 1);
        const auto row = parse_json(result.out).at("rows").at(0);
        CHECK(row.at("key") == "v2:alice:other");
        CHECK(row.at("standing") == "old-only");
        CHECK(row.at("given_anew") == 7);
    }
    // No limiter would count on in it.
    for (const auto& named : {Words{"--client", "alice", "--policy", "other"}, Words{"--all"}}) {
        auto words = named;
        words.insert(words.end(), {"-o", "json"});
        const auto result = box.copy(words);
        INFO(result.out << result.err);
        CHECK(result.code != 0);
        CHECK(parse_json(result.out).at("rows").at(0).at("why_not") == "other-key");
        CHECK(box.redis.command({"DBSIZE"}) == "0");
    }
}

// `-d legacy scan -o ndjson | ratectl rollout compare -` was refused with the hint "-d legacy", which is refused, too.
TEST_CASE("rows of either deployment name keys of both") {
    RolloutBox box;
    box.old.open("core:alice", 40, now_s() + 1000);
    REQUIRE(box.copy({"core:alice"}).code == 0);
    for (const std::string deployment : {"legacy", "new"}) {
        for (const std::string format : {"ndjson", "csv", "tsv", "json"}) {
            RunOptions options;
            options.input = box.run({"-d", deployment, "check", "core:alice", "-o", format}).out;
            INFO(options.input);
            const auto compared = box.run(
                {"rollout", "compare", "-", "--old", "legacy", "--feature", "f", "--at", "5", "-o", "json"}, options);
            INFO(compared.err);
            REQUIRE(compared.code == 0);
            CHECK(json::parse(compared.out).at("rows").at(0).at("standing") == "carried");
            const auto copied = box.copy({"-", "-y", "-o", "json"}, options);
            INFO(copied.err);
            REQUIRE(json::parse(copied.out).at("rows").size() == 1);
            CHECK(json::parse(copied.out).at("rows").at(0).at("reason") == "already-copied");
        }
    }
    // What a copy could not do is read back as it was printed.
    RunOptions again;
    again.input = box.copy({"core:bob", "-o", "ndjson"}).out;
    CHECK(box.copy({"-", "-y"}, again).code == 1);
    RunOptions other;
    other.input = R"({"key":"core:alice","deployment":"third"})";
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"rollout", "compare", "-", "--old", "legacy", "--feature", "f", "--at", "5"},
          {"rollout", "copy", "-", "--old", "legacy", "-y"}}) {
        const auto result = box.run(command, other);
        INFO(result.err);
        CHECK(result.code == 2);
        CHECK(contains(result.err, "this row is of deployment 'third', and those in use are '"));
        CHECK(!contains(result.err, "-d third"));
    }
}

TEST_CASE("a row whose client only the old deployment hides is refused") {
    RolloutBox box;
    box.add(RolloutBox::policy("legacy", "hush") + "secret = true\n");
    box.old.open("hush:alice", 40, now_s() + 1000);
    RunOptions options;
    options.input = box.run({"-d", "legacy", "check", "hush:alice", "-o", "ndjson"}).out;
    REQUIRE(contains(options.input, "sha256:"));
    const auto result = box.run({"rollout", "compare", "-", "--old", "legacy", "--feature", "f", "--at", "5"}, options);
    INFO(result.out << result.err);
    CHECK(result.code == 10);
    CHECK(contains(result.err, "fingerprint"));
}
