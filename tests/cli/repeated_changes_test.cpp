// What a change that is repeated under its operation id says of what it did then.
#include "cli/limiter_deployment.h"
#include "cli/memcached_box.h"
#include "cli/recorded_box.h"
#include "cli/rollout_box.h"
#include "support/json.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

/// By the journal of the machine that made the change, and by that of another one.
std::vector<RunOptions> machines(const WrittenDeployment& box) {
    RunOptions elsewhere;
    elsewhere.environment["XDG_STATE_HOME"] = box.file("elsewhere");
    return {{}, elsewhere};
}

json first_row(const RunResult& result) {
    INFO(result.out << result.err);
    return parse_json(result.out).at("rows").at(0);
}

}  // namespace

// The journal of the machine that repeated it knew of no undo, and it ended with 0.
TEST_CASE("an operation that was taken back on another machine is not said to stand") {
    RecordedBox box;
    box.set_window("core:1", "10", seconds_from_now(1000));
    const std::vector<std::string> reset{"reset", "core:1", "core:2", "-y", "--op-id", "mine"};
    REQUIRE(box.run(reset).code == 0);
    CHECK_FALSE(contains(box.run(reset).err, "taken back"));
    REQUIRE(box.rows({"undo", "mine"}, 0, box.elsewhere()).at(0).at("status") == "applied");
    RunOptions third = box.elsewhere();
    third.environment["XDG_STATE_HOME"] = box.file("third");
    for (const auto& options : {RunOptions{}, third}) {
        const auto again = box.run(reset, options);
        INFO(again.out << again.err);
        CHECK(again.code == 1);
        CHECK(contains(again.err, "operation 'mine' was carried out before and taken back by "));
        CHECK(contains(again.err, "and is not done again"));
        CHECK(contains(again.err, "another --op-id does it anew"));
    }
    CHECK(box.used("core:1") == "10");
}

// All that was done was said to have been taken back.
TEST_CASE("an operation of which a part was taken back says how much that was") {
    RecordedBox box;
    const auto count = [&](const RunOptions& options) { return box.count_by_rows("core:1", 3, "thrice", options); };
    REQUIRE(count({}).code == 0);
    REQUIRE(box.run({"undo", "thrice/2"}).code == 0);
    for (const auto& options : machines(box)) {
        const auto again = count(options);
        INFO(again.out << again.err);
        CHECK(again.code == 1);
        CHECK(contains(again.err, "'thrice' was carried out before, 1 of its 3 changes was taken back, by "));
        CHECK(contains(again.err, "to take it back"));
    }
    REQUIRE(box.run({"undo", "thrice"}).code == 0);
    CHECK(contains(count({}).err, "was carried out before and taken back by 'thrice-undo'"));
}

TEST_CASE("where an operation was taken back whose id a plan has, another plan does it anew") {
    RecordedBox box;
    box.set_window("core:1", "10", seconds_from_now(1000));
    const auto plan = box.file("reset.plan");
    REQUIRE(box.run({"reset", "core:1", "--plan", plan, "--op-id", "mine"}).code == 0);
    REQUIRE(box.run({"apply", plan}).code == 0);
    REQUIRE(box.run({"undo", "mine"}).code == 0);
    const auto again = box.run({"apply", plan});
    INFO(again.out << again.err);
    CHECK(again.code == 1);
    CHECK(contains(again.err, "taken back by 'mine-undo', and is not done again"));
    CHECK(!contains(again.err, "to take it back"));
    CHECK(contains(again.err, "a new plan does it anew"));
    CHECK_FALSE(contains(again.err, "--op-id"));
}

TEST_CASE("a repeated change tells the reason that was given when it was carried out") {
    RecordedBox box;
    const auto because = [&](std::vector<std::string> words, const std::string& reason, const RunOptions& options) {
        words.insert(words.end(), {"--reason", reason, "-o", "json"});
        return first_row(box.run(words, options)).at("because");
    };
    const std::vector<std::string> change{"increment", "core:1", "--op-id", "mine"};
    CHECK(because(change, "first", {}) == "first");
    for (const auto& options : machines(box)) CHECK(because(change, "second", options) == "first");
    CHECK(because({"undo", "mine"}, "third", {}) == "third");
    for (const auto& options : machines(box)) CHECK(because({"undo", "mine"}, "fourth", options) == "third");
}

// They said `something -> something`, and on the servers `put`.
TEST_CASE("a repeated turn of knobs and a removal of throttles tell what they changed, from whatever machine") {
    LimiterDeployment box(
        "[[deployments.box.policies]]\nname = \"throttles\"\nkey = \"throttle:{client}\"\n"
        "scheme = \"limitlion\"\nlimit = 40\nperiod = \"8s\"\nburst = 80\n");
    box.server().command({"HSET", "throttle:a:knobs", "rps", "2", "burst", "1", "window", "5"});
    box.server().command({"HSET", "throttle:a", "tokens", "3", "refreshed", std::to_string(seconds_from_now(20))});
    const auto check_twice = [&](std::vector<std::string> words) {
        words.insert(words.end(), {"-y", "-o", "csv", "--columns", "key,change"});
        const auto once = box.box().run(words);
        INFO(once.out << once.err);
        REQUIRE(once.code == 0);
        REQUIRE_FALSE(contains(once.out, "something"));
        for (const auto& options : machines(box.box())) CHECK(box.box().run(words, options).out == once.out);
    };
    check_twice({"knobs", "set", "a", "rps=9", "--op-id", "turn"});
    check_twice({"throttle", "delete", "a", "--op-id", "removal"});
    const auto found = box.rows({"history", "--on-servers"});
    REQUIRE(found.size() == 3);
    CHECK(found[0].at("command") == "knobs");
    CHECK(found[1].at("command") == "throttle delete");
    CHECK(box.rows({"history", "removal"}).at(0).at("command") == "throttle delete");
}

TEST_CASE("a repeated turn of a feature tells what it changed, and the servers what it was") {
    RolloutBox box;
    const std::vector<std::string> set{"rollout", "set",       "feature",    "25",      "-o",
                                       "csv",     "--columns", "key,change", "--op-id", "turn"};
    const auto once = box.run(set);
    INFO(once.out << once.err);
    REQUIRE(once.code == 0);
    auto elsewhere = set;
    elsewhere.insert(elsewhere.end(), {"--journal", box.file() + ".elsewhere"});
    CHECK(box.run(set).out == once.out);
    CHECK(box.run(elsewhere).out == once.out);
    // It was said to be another operation.
    auto written_otherwise = set;
    written_otherwise[3] = "25.0";
    CHECK(box.run(written_otherwise).out == once.out);
    CHECK(contains(box.run({"history", "--on-servers", "-o", "csv", "--columns", "command"}).out, "rollout set"));
}

// They said `already-applied`, and 0: the journal was asked for amounts, and what is put has none.
TEST_CASE("another turn under the same id is refused where the journal alone knows what was put") {
    LimiterDeployment knobs(
        "[[deployments.box.policies]]\nname = \"throttles\"\nkey = \"throttle:{client}\"\nscheme = \"limitlion\"\n");
    RolloutBox features;
    const auto run = [&](std::vector<std::string> words) {
        words.insert(words.end(), {"--op-id", "turn", "--no-op-key", "-o", "json"});
        return words.front() == "knobs" ? knobs.box().run(words) : features.run(words);
    };
    const std::vector<std::vector<std::string>> turns[] = {
        {{"rollout", "set", "feature", "25"}, {"rollout", "set", "feature", "50"}},
        {{"knobs", "set", "a", "rps=9", "burst=1", "window=5"},
         {"knobs", "set", "a", "rps=8", "burst=1", "window=5"},
         {"knobs", "stop", "a"}}};
    for (const auto& words : turns) {
        REQUIRE(first_row(run(words.front())).at("status") == "applied");
        CHECK(first_row(run(words.front())).at("status") == "already-applied");
        for (std::size_t i = 1; i < words.size(); ++i) {
            const auto other = run(words[i]);
            INFO(other.out << other.err);
            CHECK(other.code == 7);
            CHECK(contains(other.err,
                           "operation id 'turn' belongs to another operation, in the journal: its row 1 was "
                           "asked for on other terms"));
            CHECK(contains(other.err, "nothing was written"));
        }
    }
}

// Without operation keys they were `already-applied`, and further keys were changed as well.
TEST_CASE("one id is one operation whatever keeps a record of it") {
    const std::vector<std::string> refund{"refund", "core:1", "--amount", "50%", "--op-id", "mine", "-y"};
    const auto with = [&refund](const std::vector<std::string>& more) {
        auto words = refund;
        words.insert(words.end(), more.begin(), more.end());
        return words;
    };
    auto other_share = refund;
    other_share[3] = "20%";
    const std::vector<std::vector<std::string>> others{other_share, with({"--clamp"}),
                                                       with({"--if-used-at-least", "1"}), with({"core:2"})};
    const auto check = [&](const auto& run, const auto& stored) {
        const auto first = run(refund);
        INFO(first.out << first.err);
        REQUIRE(first.code == 0);
        CHECK(run(refund).code == 0);
        for (const auto& words : others) {
            const auto refused = run(words);
            INFO(refused.out << refused.err);
            CHECK(refused.code == 7);
            CHECK(contains(refused.err, "operation id 'mine' belongs to another operation"));
            CHECK(contains(refused.err, "nothing was written"));
        }
        CHECK(stored("core:1") == "25");
        CHECK(stored("core:2") == "50");
    };
    for (const bool op_keys : {true, false}) {
        INFO(op_keys);
        WrittenDeployment box(kFree);
        for (const std::string key : {"core:1", "core:2"}) box.set_window(key, "50", seconds_from_now(1000));
        const auto run = [&](std::vector<std::string> words) {
            if (!op_keys) words.emplace_back("--no-op-key");
            return box.run(words);
        };
        check(run, [&box](const std::string& key) { return box.stored(key); });
    }
    MemcachedBox box;
    for (const std::string key : {"core:1", "core:2"}) box.server.open(key, 50, now_s() + 1000);
    check([&box](const std::vector<std::string>& words) { return box.run(words); },
          [&box](const std::string& key) { return std::to_string(std::stol(box.server.get(key))); });
}

// Windows in calls of their own were changed, since the first call was the same.
TEST_CASE("further windows on other shards are refused under a used id, too") {
    for (const bool op_keys : {true, false}) {
        INFO(op_keys);
        WrittenDeployment box(kFree, 2);
        std::vector<std::string> words{"increment", "core:1", "-y", "--op-id", "mine"};
        if (!op_keys) words.emplace_back("--no-op-key");
        REQUIRE(box.run(words).code == 0);
        CHECK(box.run(words).code == 0);
        const auto halves = box.halves(0) + box.halves(1);
        for (int i = 2; i < 10; ++i) words.push_back("core:" + std::to_string(i));
        const auto refused = box.run(words);
        INFO(refused.out << refused.err);
        CHECK(refused.code == 7);
        CHECK(contains(refused.err, "operation id 'mine' belongs to another operation"));
        CHECK(box.halves(0) + box.halves(1) == halves);
    }
}

// The bucket was `already-applied`, and the knobs went.
TEST_CASE("a throttle is not deleted under the id that it was reset under") {
    for (const bool op_keys : {true, false}) {
        INFO(op_keys);
        LimiterDeployment box(
            "[[deployments.box.policies]]\nname = \"throttles\"\nkey = \"throttle:{client}\"\n"
            "scheme = \"limitlion\"\nlimit = 40\nperiod = \"8s\"\nburst = 80\n");
        box.server().command({"HSET", "throttle:a:knobs", "rps", "2", "burst", "1", "window", "5"});
        box.server().command({"HSET", "throttle:a", "tokens", "3", "refreshed", std::to_string(seconds_from_now(20))});
        const auto run = [&](const std::string& word) {
            std::vector<std::string> words{"throttle", word, "a", "-y", "--op-id", "mine"};
            if (!op_keys) words.emplace_back("--no-op-key");
            return box.run(words);
        };
        REQUIRE(run("reset").code == 0);
        const auto refused = run("delete");
        INFO(refused.out << refused.err);
        CHECK(refused.code == 7);
        CHECK(contains(refused.err, "operation id 'mine' belongs to another operation"));
        CHECK(box.count("throttle:a:knobs") == "1");
        CHECK(run("reset").code == 0);
    }
}
