// A feature of Flipper on a real Redis, as Flipper's own program keeps it: shown, turned, taken back.
#include <algorithm>

#include "cli/rollout_box.h"
#include "support/built_programs.h"
#include "support/catch.h"
#include "support/contains.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

constexpr const char* kFeature = "redis_rate_limiter";

json shown(const RolloutBox& box, int code = 0) {
    const auto result = box.run({"rollout", "show", kFeature, "-o", "json"});
    INFO(result.out << result.err);
    REQUIRE(result.code == code);
    return parse_json(result.out).at("rows").at(0);
}

RunResult turned(const RolloutBox& box, const std::string& share, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"rollout", "set", kFeature, share});
    return box.run(std::move(more));
}

std::string stored(RolloutBox& box, const std::string& field) { return box.redis.command({"HGET", kFeature, field}); }

}  // namespace

TEST_CASE("a feature is shown as Flipper has it") {
    RolloutBox box;
    CHECK(shown(box).at("state") == "absent");
    box.redis.command({"HSET", kFeature, "percentage_of_actors", "25"});
    auto row = shown(box);
    CHECK(row.at("state") == "conditional");
    CHECK(row.at("percentage_of_actors") == 25);
    CHECK(row.at("percentage_of_time").is_null());
    box.redis.command({"HSET", kFeature, "percentage_of_actors", "0", "percentage_of_time", "0"});
    CHECK(shown(box).at("state") == "off");
    box.redis.command({"HSET", kFeature, "boolean", "true"});
    CHECK(shown(box).at("state") == "on");
    box.redis.command({"DEL", kFeature});
    box.redis.command({"HSET", kFeature, "actors/User;1", "1"});
    CHECK(shown(box).at("state") == "off");
    box.redis.command({"SET", kFeature, "5"});
    const auto result = box.run({"rollout", "show", kFeature});
    box.redis.command({"DEL", kFeature});
    CHECK(result.code == 7);
    CHECK(result.err.find("is a string, and a feature of Flipper is a hash") != std::string::npos);
}

TEST_CASE("what is stored is shown with all its digits and what is no percentage is told") {
    RolloutBox box;
    box.redis.command({"HSET", kFeature, "percentage_of_actors", "33.3333"});
    CHECK(box.run({"rollout", "show", kFeature}).out.find("33.3333 % of actors") != std::string::npos);
    for (const std::string text : {"nan", "abc", "250"}) {
        box.redis.command({"HSET", kFeature, "percentage_of_actors", text});
        const auto result = box.run({"rollout", "show", kFeature});
        INFO(result.out << result.err);
        CHECK(result.code == 1);
        CHECK(result.out.find(text + " % of actors") != std::string::npos);
        CHECK(result.err.find("percentage_of_actors is stored as '" + text + "', which is no percentage") !=
              std::string::npos);
    }
}

TEST_CASE("a share may be written with its sign and an undo finds out by itself that a feature was turned") {
    RolloutBox box;
    CHECK(turned(box, "25%", {"--op-id", "first"}).code == 0);
    CHECK(stored(box, "percentage_of_actors") == "25");
    CHECK(turned(box, "50", {"--op-id", "second"}).code == 0);
    const auto planned = box.run({"undo", "second", "-n"});
    INFO(planned.out << planned.err);
    CHECK(planned.code == 0);
    CHECK(stored(box, "percentage_of_actors") == "50");
    CHECK(box.run({"undo", "second"}).code == 0);
    CHECK(stored(box, "percentage_of_actors") == "25");
    CHECK(box.run({"undo", "second"}).code == 0);
    // From a machine whose journal has not heard of it, as well.
    CHECK(box.run({"undo", "first", "--journal", box.file() + ".elsewhere"}).code == 0);
    CHECK(stored(box, "percentage_of_actors") == "(nil)");
    CHECK(turned(box, "5", {"--op-id", "third"}).code == 0);
    box.redis.command({"HSET", kFeature, "percentage_of_actors", "7"});
    CHECK(box.run({"undo", "third"}).code == 7);
    CHECK(stored(box, "percentage_of_actors") == "7");
}

TEST_CASE("a share that is no percentage leaves the state of its feature unclear") {
    RolloutBox box;
    const auto state = [&](const std::string& actors, const std::string& time) {
        box.redis.command({"HSET", kFeature, "percentage_of_actors", actors, "percentage_of_time", time});
        const auto result = box.run({"rollout", "show", kFeature, "-o", "json"});
        CHECK(result.code == 1);
        return parse_json(result.out).at("rows").at(0).at("state");
    };
    CHECK(state("abc", "0") == "unclear");
    CHECK(state("120", "0") == "unclear");
    CHECK(state("abc", "5") == "conditional");
}

TEST_CASE("without names all features are shown that Flipper knows of") {
    RolloutBox box;
    const auto all = [&box](int code) {
        const auto result = box.run({"rollout", "show", "-o", "json"});
        INFO(result.out << result.err);
        REQUIRE(result.code == code);
        return parse_json(result.out);
    };
    CHECK(all(0).at("rows").empty());
    for (const std::string name : {"search", "export", "gone"}) box.redis.command({"SADD", "flipper_features", name});
    for (const std::string name : {"search", "export", "unlisted"})
        box.redis.command({"HSET", name, "boolean", "true"});
    const auto shown = all(0);
    REQUIRE(shown.at("rows").size() == 3);
    CHECK(shown.at("rows").at(0).at("feature") == "export");
    CHECK(shown.at("rows").at(1).at("state") == "off");  // added, and no gate of it is set
    CHECK(shown.at("rows").at(2).at("feature") == "search");
    box.redis.command({"DEL", "flipper_features"});
    box.redis.command({"SET", "flipper_features", "5"});
    CHECK(box.run({"rollout", "show"}).code == 7);
    box.redis.command({"DEL", "flipper_features"});
    box.redis.command({"SADD", "flipper_features", "search"});
    box.redis.command({"ACL", "SETUSER", "default", "-scard"});
    CHECK(box.run({"rollout", "show"}).code == 5);
    box.redis.command({"ACL", "SETUSER", "default", "+scard"});
    if (is_binary_sanitized()) return;  // half a minute
    // More than are shown: said, and no longer a success.
    box.redis.command(
        {"EVAL", "for i = 1, 10001 do redis.call('SADD', KEYS[1], 'f' .. i) end", "1", "flipper_features"});
    const auto many = box.run({"rollout", "show", "-q", "-o", "name"});
    CHECK(many.code == 9);
    CHECK(std::ranges::count(many.out, '\n') == 10'000);
}

TEST_CASE("a turn changes the share of actors alone and undo brings back what was there") {
    RolloutBox box;
    box.redis.command({"HSET", kFeature, "actors/User;1", "1", "groups/staff", "1"});
    CHECK(turned(box, "25", {"-n"}).code == 0);
    CHECK(stored(box, "percentage_of_actors") == "(nil)");
    CHECK(turned(box, "25", {"--op-id", "first"}).code == 0);
    CHECK(stored(box, "percentage_of_actors") == "25");
    CHECK(stored(box, "actors/User;1") == "1");
    const auto second = turned(box, "12.5", {"--op-id", "second"});
    CHECK(second.code == 0);
    CHECK(second.out.find("25 % of actors -> 12.5 % of actors") != std::string::npos);
    CHECK(second.err.find("ratectl --scheme flipper ") != std::string::npos);
    CHECK(turned(box, "12.5").code == 1);
    CHECK(box.run({"undo", "second", "--scheme", "flipper"}).code == 0);
    CHECK(stored(box, "percentage_of_actors") == "25");
    CHECK(box.run({"undo", "first", "--scheme", "flipper"}).code == 0);
    CHECK(box.redis.command({"HLEN", kFeature}) == "2");
    CHECK(stored(box, "groups/staff") == "1");
}

TEST_CASE("a feature that was not there is named and taken back without a trace") {
    RolloutBox box;
    const auto result = turned(box, "1", {"--op-id", "new"});
    CHECK(result.code == 0);
    CHECK(result.err.find("there was no feature 'redis_rate_limiter'") != std::string::npos);
    box.redis.command({"HSET", kFeature, "actors/User;1", "1"});  // an application has meanwhile
    CHECK(box.run({"undo", "new", "--scheme", "flipper"}).code == 0);
    CHECK(box.redis.command({"HKEYS", kFeature}).find("percentage") == std::string::npos);
    CHECK(stored(box, "actors/User;1") == "1");
}

TEST_CASE("what was turned by another program meanwhile is not taken back") {
    RolloutBox box;
    CHECK(turned(box, "25", {"--op-id", "first"}).code == 0);
    box.redis.command({"HSET", kFeature, "percentage_of_actors", "50"});
    CHECK(box.run({"undo", "first", "--scheme", "flipper"}).code == 7);
    CHECK(stored(box, "percentage_of_actors") == "50");
}

TEST_CASE("what cannot be turned is refused") {
    RolloutBox box;
    for (const char* share : {"101", "-1", "many", "", "1e1"}) {
        INFO(share);
        CHECK(turned(box, share).code == 2);
    }
    // It was told to be no percentage from 0 to 100.
    const auto precise = turned(box, "33.3333333333333%");
    CHECK(precise.code == 2);
    CHECK(contains(precise.err, "PERCENT takes up to 6 digits behind the point, and not '33.3333333333333%'"));
    CHECK(contains(precise.err, "hint: 33.333333"));
    for (const char* share : {"133.3333333", "33.333333x", "3333333333"})
        CHECK(contains(turned(box, share).err, "takes a percentage from 0 to 100"));
    CHECK(turned(box, "5", {"--read-only"}).code == 7);
    CHECK(turned(box, "5", {"-d", "legacy"}).code == 2);
    box.redis.command({"HSET", kFeature, "boolean", "true"});
    CHECK(turned(box, "5").code == 7);
    box.redis.command({"DEL", kFeature});
    box.redis.command({"RPUSH", kFeature, "1"});
    CHECK(turned(box, "5").code == 7);
    CHECK(box.redis.command({"LLEN", kFeature}) == "1");
}

TEST_CASE("a comparison goes by the share that Flipper has stored") {
    RolloutBox box;
    const auto moved = [&](int code) {
        const auto result =
            box.run({"rollout", "compare", "core:alice", "--old", "legacy", "--feature", kFeature, "-o", "json"});
        INFO(result.out << result.err);
        REQUIRE(result.code == code);
        return code != 0 ? json() : parse_json(result.out).at("rows").at(0).at("moved");
    };
    moved(3);
    CHECK(turned(box, "0").code == 0);
    CHECK(moved(0) == false);
    CHECK(turned(box, "100").code == 0);
    CHECK(moved(0) == true);
    box.redis.command({"HSET", kFeature, "percentage_of_actors", "most"});
    moved(3);
}

TEST_CASE("a feature that is listed and has no gates is off for all") {
    RolloutBox box;
    box.redis.command({"SADD", "flipper_features", kFeature});
    CHECK(shown(box).at("state") == "off");
    const auto all = box.run({"rollout", "show"});
    CHECK(all.err.find("1 of 1 features are there") != std::string::npos);
    const auto result = box.run({"rollout", "compare", "core:alice", "--old", "legacy", "--feature", kFeature});
    INFO(result.err);
    CHECK(result.code == 0);
    CHECK(result.err.find("0 of 1 served by 'new' at 0 %") != std::string::npos);
    CHECK(turned(box, "20").err.find("there was no feature") == std::string::npos);
}

TEST_CASE("a comparison says for whom a feature is on besides its share of actors") {
    RolloutBox box;
    const auto compared = [&](std::vector<std::string> more) {
        std::vector<std::string> words{"rollout", "compare", "core:alice", "--old", "legacy", "--feature", kFeature};
        words.insert(words.end(), more.begin(), more.end());
        return box.run(words);
    };
    box.redis.command({"HSET", kFeature, "percentage_of_actors", "0", "percentage_of_time", "0"});
    CHECK(compared({}).code == 0);
    box.redis.command({"HSET", kFeature, "percentage_of_time", "50"});
    auto result = compared({});
    CHECK(result.code == 1);
    CHECK(result.err.find("is on for 50 % of the time as well") != std::string::npos);
    box.redis.command({"HSET", kFeature, "actors/User;1", "1", "groups/staff", "1"});
    result = compared({});
    CHECK(result.code == 1);
    CHECK(result.err.find("2 by name (actors and groups) and 50 % of the time as well") != std::string::npos);
    CHECK(compared({"--at", "0"}).code == 0);
}
