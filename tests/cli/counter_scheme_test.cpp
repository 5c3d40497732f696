// Every command with limiters whose windows are one counter with a TTL.
#include <fmt/format.h>

#include "cli/limiter_deployment.h"
#include "support/json.h"

using namespace ratectl::test;
using nlohmann::json;

TEST_CASE("a counter's window is judged by what is stored and when it expires") {
    CounterDeployment box;
    const auto end = seconds_from_now(600);
    box.set("core:open", "7", end);
    box.set("core:full", "100", end);
    box.server().command({"SET", "core:endless", "3"});
    box.set("core:odd", "many", end);
    box.server().command({"LPUSH", "core:list", "x"});
    const auto rows =
        box.rows({"check", "core:open", "core:full", "core:endless", "core:odd", "core:list", "core:none"});
    REQUIRE(rows.size() == 6);
    const char* const states[] = {"open", "exhausted", "leaked", "corrupt", "corrupt", "absent"};
    for (std::size_t i = 0; i < 6; ++i) CHECK(rows[i].at("state") == states[i]);
    CHECK(rows[0].at("used") == 7);
    CHECK(rows[0].at("remaining") == 93);
    CHECK(rows[0].at("reset_at") == end);
    CHECK(box.run({"check", "core:full", "--exit-status"}).code == 1);
    CHECK(box.run({"check", "core:open", "--exit-status"}).code == 0);
    CHECK(contains(box.run({"explain", "core:full"}).out, "100"));
}

TEST_CASE("sweeps find a scheme's windows whatever they are asked for") {
    CounterDeployment box;
    const auto end = seconds_from_now(600);
    for (int i = 1; i <= 200; ++i) box.set("core:" + std::to_string(i), std::to_string(i), end);
    box.server().command({"SET", "core:endless", "3"});
    box.set("other:1", "50", end);
    CHECK(box.rows({"scan", "--state", "open,exhausted", "--min-used", "3"}).size() >= 198);
    CHECK(box.rows({"scan", "--min-used", "150"}).size() == 51);
    CHECK(box.rows({"scan", "--state", "exhausted"}).size() == 101);
    CHECK(box.rows({"scan", "--state", "leaked"}).size() == 1);
    CHECK(box.rows({"scan", "core:1*", "--min-used", "100"}).size() == 100);
    CHECK(box.rows({"scan", "*", "--resets-within", "1h"}).size() == 201);
    const auto top = box.rows({"top", "-N", "3"});
    REQUIRE(top.size() == 3);
    CHECK(top[0].at("key") == "core:200");
    const auto stats = parse_json(box.run({"stats", "-o", "json"}).out);
    CHECK(contains(stats.dump(), "\"exhausted\":101"));
    const auto found = box.rows({"doctor"});
    REQUIRE(found.size() == 1);
    CHECK(found[0].at("class") == "endless");
    CHECK(box.run({"doctor", "--fix", "all", "-y"}).code == 1);
    CHECK(box.count("core:endless") == "1");
    CHECK(box.run({"doctor", "--fix", "endless", "-y"}).code == 0);
    CHECK(box.count("core:endless") == "0");
    CHECK(box.run({"scan", "-o", "csv"}).code == 0);
    CHECK(contains(box.run({"scan", "-o", "name"}).out, "core:77\n"));
}

TEST_CASE("counts go into a scheme's open windows and open others") {
    CounterDeployment box;
    const auto end = seconds_from_now(600);
    box.set("core:1", "7", end);
    const auto rows = box.rows({"increment", "core:1", "core:2", "--amount", "5"});
    CHECK(rows[0].at("before_used") == 7);
    CHECK(rows[0].at("after_used") == 12);
    CHECK(rows[0].at("reset_at") == end);
    CHECK(rows[1].at("after_used") == 5);
    CHECK(box.stored("core:1") == "12");
    CHECK(box.stored("core:2") == "5");
    CHECK(box.expires("core:1") == std::to_string(end + 1));
    // A period from now, as its limiter would have it, and so within the second that is said to be the last.
    const auto until = std::stoll(box.server().command({"PEXPIRETIME", "core:2"}));
    CHECK((until - 1) / 1000 == rows[1].at("after_reset_at").get<std::int64_t>());
    CHECK(box.run({"increment", "core:1", "--if-window", std::to_string(end + 5)}).code == 7);
    CHECK(box.stored("core:1") == "12");
    CHECK(box.run({"refund", "core:1", "--amount", "4"}).code == 0);
    CHECK(box.stored("core:1") == "8");
    CHECK(box.expires("core:1") == std::to_string(end + 1));
    CHECK(box.run({"refund", "core:1", "--amount", "40"}).code == 7);
    CHECK(box.run({"refund", "core:1", "--amount", "40", "--clamp"}).code == 0);
    CHECK(box.stored("core:1") == "0");
}

TEST_CASE("what was done to a scheme's windows is told and taken back") {
    CounterDeployment box;
    const auto end = seconds_from_now(600);
    for (const char* key : {"core:1", "core:2", "core:3"}) box.set(key, "60", end);
    CHECK(box.run({"reset", "core:1", "core:2", "--op-id", "RESET"}).code == 0);
    CHECK(box.count("core:1") == "0");
    CHECK(box.run({"increment", "core:3", "--amount", "5", "--op-id", "COUNT"}).code == 0);
    CHECK(box.run({"increment", "core:4", "--amount", "5", "--op-id", "OPEN"}).code == 0);
    CHECK(box.run({"refund", "core:3", "--amount", "2", "--op-id", "GIVE"}).code == 0);
    CHECK(box.rows({"history", "RESET"}).size() == 2);
    CHECK(box.rows({"history", "--on-servers", "RESET"})[0].at("before_used") == 60);
    for (const char* operation : {"GIVE", "OPEN", "COUNT", "RESET"}) {
        const auto undone = box.run({"undo", operation});
        INFO(operation << undone.err);
        CHECK(undone.code == 0);
    }
    CHECK(box.stored("core:1") == "60");
    CHECK(box.expires("core:2") == std::to_string(end + 1));
    CHECK(box.stored("core:3") == "60");
    CHECK(box.count("core:4") == "0");
    CHECK(box.rows({"undo", "RESET"})[0].at("status") == "already-applied");
}

TEST_CASE("rows of a scheme's windows are guards and a selection is pinned to them") {
    CounterDeployment box;
    const auto end = seconds_from_now(600);
    box.set("core:1", "60", end);
    box.server().command({"SET", "core:endless", "3"});
    const auto seen = box.run({"check", "core:1", "core:endless", "-o", "ndjson"});
    box.set("core:1", "1", end + 60);
    box.server().command({"SET", "core:endless", "4"});
    const auto refused = box.run({"reset", "-"}, seen.out);
    INFO(seen.out << refused.err);
    CHECK(refused.code == 7);
    CHECK(box.stored("core:1") == "1");
    CHECK(box.stored("core:endless") == "4");
    const auto plan = box.box().file("plan");
    CHECK(box.run({"increment", "core:1", "--amount", "2", "--plan", plan}).code == 0);
    CHECK(box.run({"apply", plan}).code == 0);
    CHECK(box.stored("core:1") == "3");
}

TEST_CASE("a watch sees a scheme's windows end and begin") {
    CounterDeployment box;
    box.set("core:1", "99", seconds_from_now(600));
    CHECK(box.run({"watch", "core:1", "--until", "below:100", "--every", "100ms", "--deadline", "20s"}).code == 0);
    box.set("core:1", "5", seconds_from_now(1));
    const auto watched = box.run({"watch", "core:1", "--until", "ended", "--every", "100ms", "--deadline", "20s"});
    INFO(watched.out << watched.err);
    CHECK(watched.code == 0);
}

TEST_CASE("a scheme that is not there is named with those that are") {
    WrittenDeployment box("scheme = \"tumbling\"");
    const auto result = box.run({"check", "core:1"});
    CHECK(result.code == 3);
    CHECK(contains(result.err, "ratectl.toml:4: no scheme is called 'tumbling'"));
    CHECK(contains(result.err, "window, github, laravel, memcached, counter"));
}

// It was ignored, and the windows were not those that were meant.
TEST_CASE("a suffix beside a scheme that takes none is refused") {
    for (const char* scheme : {"counter", "redis-docs-2", "github", "laravel"}) {
        WrittenDeployment box("scheme = \"" + std::string(scheme) + "\"\nexpiry_suffix = \":end\"");
        for (const auto& command : std::vector<std::vector<std::string>>{{"check", "core:1"}, {"config", "check"}}) {
            const auto result = box.run(command);
            INFO(result.err);
            CHECK(result.code == 3);
            CHECK(contains(result.err, "ratectl.toml:5: scheme '" + std::string(scheme) + "' takes no expiry suffix"));
        }
        // What a file says of its own scheme is not said of another one.
        CHECK(box.run({"check", "core:1", "--scheme", "window"}).code == 0);
    }
    WrittenDeployment box("expiry_suffix = \":end\"");
    CHECK(box.run({"check", "core:1"}).code == 0);
    CHECK(box.run({"check", "core:1", "--scheme", "counter"}).code == 0);
    const auto both = box.run({"check", "core:1", "--scheme", "counter", "--expiry-suffix", ":end"});
    CHECK(both.code == 2);
    CHECK(contains(both.err, "flag --expiry-suffix: scheme 'counter' takes no expiry suffix"));
}

TEST_CASE("a dump file shows a scheme's windows as its server did") {
    CounterDeployment box;
    const auto end = seconds_from_now(600);
    for (int i = 1; i <= 50; ++i) box.set("core:" + std::to_string(i), std::to_string(i), end);
    box.server().command({"SAVE"});
    const auto file = box.server().folder() + "/dump.rdb";
    CHECK(box.rows({"scan", "--rdb", "alpha=" + file, "--min-used", "41"}).size() == 10);
}

TEST_CASE("what the first request gives a TTL is not brought back to 0") {
    for (const char* scheme : {"redis-docs-2", "close-v1", "limits-fixed", "flask-limiter", "fastify"}) {
        CounterDeployment box(scheme);
        INFO(scheme);
        const auto end = seconds_from_now(600);
        box.set("core:1", "5", end);
        // A share gave as much as may be back, without a word.
        for (const std::string mode : {"-n", "-y"})
            CHECK(box.run({"refund", "core:1", "--amount", "100%", mode}).code == 7);
        for (const bool dry : {true, false}) {
            std::vector<std::string> words{"refund", "core:1", "--amount", "5"};
            if (dry) words.emplace_back("-n");
            const auto refused = box.run(words);
            CHECK(refused.code == 7);
            CHECK(contains(refused.err, "at 0 the limiter would begin the window anew"));
            CHECK(contains(refused.err, "--clamp"));
            words.emplace_back("--clamp");
            const auto row = box.rows(words).at(0);
            CHECK(row.at("status") == (dry ? "planned" : "applied"));
            CHECK(row.at("taken") == 4);
            CHECK(box.stored("core:1") == (dry ? "5" : "1"));
        }
        CHECK(box.expires("core:1") == std::to_string(end + 1));
        // Its own increment: 2, and the window goes on.
        CHECK(box.server().command({"INCR", "core:1"}) == "2");
    }
    for (const char* scheme : {"counter", "express", "rate-limiter-flexible"}) {
        CounterDeployment box(scheme);
        INFO(scheme);
        box.set("core:1", "5", seconds_from_now(600));
        CHECK(box.run({"refund", "core:1", "--amount", "5"}).code == 0);
        CHECK(box.stored("core:1") == "0");
    }
}

// It opened a window at 0, which the next request began anew.
TEST_CASE("no window is opened at 0 where the first request sets the TTL") {
    for (const char* scheme : {"redis-docs-2", "close-v1", "limits-fixed", "flask-limiter", "fastify", "laravel"}) {
        CounterDeployment box(scheme);
        INFO(scheme);
        for (const char* mode : {"-n", "-y"}) {
            const auto refused = box.run({"increment", "core:1", "--amount", "0", mode});
            INFO(refused.out << refused.err);
            CHECK(refused.code == 7);
            CHECK(contains(refused.out, "below-one"));
            CHECK(contains(refused.err, "begin"));
            CHECK(box.count("core:1") == "0");
        }
        const std::string rows = "{\"key\":\"core:1\",\"amount\":0}\n{\"key\":\"core:2\",\"amount\":3}\n";
        CHECK(box.run({"increment", "-"}, rows).code == 9);
        CHECK(box.count("core:1") == "0");
        CHECK(box.stored("core:2") == "3");
        CHECK(box.run({"increment", "core:2", "--amount", "0"}).code == 0);
        CHECK(box.stored("core:2") == "3");
    }
    for (const char* scheme : {"window", "counter", "express"}) {
        CounterDeployment box(scheme);
        INFO(scheme);
        CHECK(box.run({"increment", "core:1", "--amount", "0"}).code == 0);
        CHECK(box.stored("core:1") == "0");
    }
}

// It began the counter anew, and gave the client what it had used.
TEST_CASE("a counter of Laravel's without its timer is counted on in as Laravel does") {
    CounterDeployment box("laravel");
    const auto end = seconds_from_now(600);
    for (const char* mode : {"-n", "-y"}) {
        box.set("core:some", "7", end);
        box.set("core:full", "100", end);
        box.set("core:none", "0", end);
        const auto rows =
            box.rows({"increment", "core:some", "core:full", "core:none", "--amount", "2", mode, "--op-id", "COUNTED"});
        CHECK(rows.at(0).at("after_used") == 9);
        CHECK(rows.at(1).at("after_used") == 2);
        CHECK(rows.at(2).at("after_used") == 2);
        if (mode == std::string("-n")) continue;
        const auto until = rows.at(0).at("after_reset_at").get<std::int64_t>();
        CHECK(until > end);
        for (const char* key : {"core:some", "core:full", "core:none"})
            CHECK(box.stored(key + std::string(":timer")) == std::to_string(until));
        CHECK(box.stored("core:some") == "9");
        CHECK(box.expires("core:some") == std::to_string(end + 1));
        CHECK(box.expires("core:none") == std::to_string(until + 1));
        CHECK(box.expires("core:full") == std::to_string(until + 1));
    }
    // The servers tell how many were counted, to a machine whose journal does not know.
    CHECK(box.run({"undo", "COUNTED", "--journal", box.box().file("another.db")}).code == 0);
    CHECK(box.stored("core:some") == "7");
}

TEST_CASE("explain says of a counter without a TTL that counts as none why it does not") {
    CounterDeployment box("express");
    box.server().command({"SET", "core:some", "7"});
    const auto some = box.run({"explain", "core:some"}).out;
    INFO(some);
    CHECK(contains(some, "'core:some' is allowed: its counter has no TTL, which counts as none."));
}

// They told of a client that has used nothing.
TEST_CASE("explain and headers tell of a counter without its timer what check does") {
    CounterDeployment box("laravel");
    const auto end = seconds_from_now(600);
    box.set("core:some", "7", end);
    box.set("core:full", "100", end);
    const auto rows = box.rows({"check", "core:some", "core:full"});
    CHECK(rows.at(0).at("remaining") == 93);
    CHECK(rows.at(1).at("remaining") == 100);
    const auto some = box.run({"explain", "core:some"}).out;
    INFO(some);
    CHECK(contains(some,
                   "'core:some' is allowed: 7 of 100 requests used, 93 left. No window is open: its counter has "
                   "outlived the last one, and the next request opens one that goes on from there."));
    CHECK(contains(box.run({"explain", "core:full"}).out, "only half of a window is there, which counts as none."));
    const auto told = box.run({"headers", "core:some"}).out;
    INFO(told);
    CHECK(contains(told, "X-RateLimit-Remaining: 93\n"));
    CHECK(contains(told, "X-RateLimit-Used: 7\n"));
    CHECK(contains(box.run({"headers", "core:full"}).out, "X-RateLimit-Remaining: 100\n"));
    const auto verdict_of = [&](const std::string& pasted) {
        return box.rows({"headers", "core:some", "--verify", "-"}, pasted).at(0).at("verdict").get<std::string>();
    };
    CHECK(verdict_of("X-RateLimit-Limit: 100\nX-RateLimit-Remaining: 93\n") == "now");
    CHECK(verdict_of("X-RateLimit-Limit: 100\nX-RateLimit-Remaining: 50\n") == "if-changed");
}

// Nothing told it from a window whose end holds.
TEST_CASE("a counter at 0 is said to begin its time anew where the limiter does that") {
    const std::string next = "The next request begins the counter's time anew";
    for (const char* scheme : {"close-v1", "counter"}) {
        const bool begins = scheme == std::string("close-v1");
        CounterDeployment box(scheme);
        for (const char* used : {"0", "-2", "1"}) box.set(std::string("core:") + used, used, seconds_from_now(600));
        CHECK(contains(box.run({"explain", "core:0"}).out, next) == begins);
        CHECK(contains(box.run({"explain", "core:-2"}).out, "The request that brings the counter to 1 begins") ==
              begins);
        CHECK_FALSE(contains(box.run({"explain", "core:1"}).out, "time anew"));
        CHECK_FALSE(contains(box.run({"explain", "core:none"}).out, "time anew"));
        // Without a TTL that request is what gives it one.
        box.server().command({"SET", "core:endless", "0"});
        const auto endless = box.run({"explain", "core:endless"}).out;
        CHECK(contains(endless, next) == begins);
        CHECK(contains(endless, "is refused until the key goes") == !begins);
    }
}

TEST_CASE("a counter is over its limit when the limiter that keeps it refuses") {
    const auto verdict = [](const char* scheme, const std::string& used, bool endless = false) {
        CounterDeployment box(scheme);
        box.set("core:1", used, seconds_from_now(600));
        if (endless) box.server().command({"PERSIST", "core:1"});
        return box.run({"check", "core:1", "--exit-status"}).code;
    };
    // The limit is 100. The one of Redis' documentation looks before it counts, and lets 101 pass.
    CHECK(verdict("express", "99") == 0);
    CHECK(verdict("express", "100") == 1);
    CHECK(verdict("redis-docs-2", "100") == 0);
    CHECK(verdict("redis-docs-2", "101") == 1);
    // Without a TTL it refuses for good, unless the limiter mends that with the next request.
    CHECK(verdict("fastify", "100", true) == 1);
    CHECK(verdict("express", "100", true) == 0);
}

// They counted by the limit alone, and called a client limited whom that limiter lets through.
TEST_CASE("a replay and figures at other limits count what the limiter lets through") {
    std::string log;
    for (int i = 0; i < 5; ++i) log += fmt::format("ann - - [17/May/2015:10:05:0{} +0000] \"GET /\" 200 5\n", i);
    for (const bool lets_one_more : {false, true}) {
        CounterDeployment box(lets_one_more ? "redis-docs-2" : "close-v1");
        for (const char* dry : {"-n", "-y"}) {
            const auto played = box.run({"replay", "-", "--policy", "core", "--limit", "3", "--time", "now", dry}, log);
            INFO(played.err);
            CHECK(contains(played.err, lets_one_more ? "1 over the limit" : "2 over the limit"));
        }
        box.set("core:ann", "5", seconds_from_now(600));
        const auto stats = parse_json(box.run({"stats", "--at-limit", "4,5,6", "--names", "1", "-o", "json"}).out);
        for (const auto& trial : stats.at("at_limit")) {
            if (trial.at("all_policies") != true) continue;
            const auto limit = trial.at("limit").get<std::string>();
            INFO(limit);
            CHECK(trial.at("limited") == (limit == "4" || (limit == "5" && !lets_one_more) ? 1 : 0));
            CHECK(trial.at("requests_over") == (limit == "4" && !lets_one_more ? 1 : 0));
        }
    }
}

// It went by the policy, whose limit and period are others, or asked for them.
TEST_CASE("a replay goes by the limit and the period that a limiter writes into its keys") {
    std::string log;
    for (int i = 0; i < 5; ++i) log += fmt::format("ann - - [17/May/2015:10:05:0{} +0000] \"GET /\" 200 5\n", i);
    CounterDeployment box("limits-fixed");
    const std::string key = "LIMITER/{client}/api/3/2/minute";
    for (const char* mode : {"-n", "-y"}) {
        const auto played = box.run({"replay", "-", "--key", key, "--time", "now", mode}, log);
        INFO(played.err);
        CHECK(played.code == 0);
        CHECK(contains(played.err, "2 over the limit"));
        const auto flagged = box.run({"replay", "-", "--key", key, "--time", "now", "-n", "--limit", "4"}, log);
        CHECK(contains(flagged.err, "1 over the limit"));
    }
    const auto left = std::stoll(box.expires("LIMITER/ann/api/3/2/minute")) - seconds_from_now(0);
    CHECK(left > 60);
    CHECK(left <= 121);
    const auto unsaid = box.run({"replay", "-", "--key", "LIMITER/{client}/api", "--time", "now", "-n"}, log);
    CHECK(unsaid.code == 3);
}

// It promised to count where the limiter's own counter stands in the way.
TEST_CASE("a replay that writes nothing says that it has not looked at what is there") {
    CounterDeployment box;
    box.server().command({"SET", "core:ann", "3"});
    const std::string log = "ann - - [17/May/2015:10:05:00 +0000] \"GET /\" 200 5\n";
    const auto dry = box.run({"replay", "-", "--policy", "core", "--time", "now", "-n"}, log);
    CHECK(dry.code == 0);
    CHECK(contains(dry.err, "(dry run: nothing was written, and no window was looked at)"));
    const auto played = box.run({"replay", "-", "--policy", "core", "--time", "now", "-y"}, log);
    CHECK(played.code == 7);
    CHECK(contains(played.err, "1 refused"));
}

// Libraries say the second after the last one, and Flask-Limiter one more: that was called impossible.
TEST_CASE("what a limiter's own library says of a window's end is no contradiction") {
    const auto verdict = [](CounterDeployment& box, std::int64_t left, std::int64_t reset) {
        const auto pasted =
            fmt::format("X-RateLimit-Limit: 100\nX-RateLimit-Remaining: {}\nX-RateLimit-Reset: {}\n", left, reset);
        return box.rows({"headers", "core:1", "--verify", "-"}, pasted).at(0).at("verdict").get<std::string>();
    };
    const std::pair<const char*, int> all[] = {{"express", 1}, {"rate-limiter-flexible", 1}, {"flask-limiter", 2}};
    for (const auto& [scheme, late] : all) {
        CounterDeployment box(scheme);
        INFO(scheme);
        const auto end = seconds_from_now(600);
        box.server().command({"SET", "core:1", "3"});
        box.server().command({"PEXPIREAT", "core:1", std::to_string(end * 1000 + 700)});
        for (int i = 0; i <= late; ++i) CHECK(verdict(box, 97, end + i) == "now");
        CHECK(verdict(box, 97, end + late + 1) == "never");
        CHECK(verdict(box, 97, end - 1) != "now");
    }
    CounterDeployment pair("window");
    const auto end = seconds_from_now(600);
    pair.box().set_window("core:1", "3", end);
    CHECK(verdict(pair, 97, end) == "now");
    CHECK(verdict(pair, 97, end + 1) == "never");
}

// None left of 100 was said to need 100 used, and 100 used to leave none.
TEST_CASE("what is left where a limiter lets one more through is no contradiction") {
    CounterDeployment box("redis-docs-2");
    const auto end = seconds_from_now(600);
    const auto verdict = [&](const std::string& left, const std::string& used) {
        const auto pasted = "X-RateLimit-Limit: 100\nX-RateLimit-Remaining: " + left + "\n" +
                            (used.empty() ? "" : "X-RateLimit-Used: " + used + "\n") +
                            "X-RateLimit-Reset: " + std::to_string(end) + "\n";
        return box.rows({"headers", "core:1", "--verify", "-"}, pasted).at(0).at("verdict").get<std::string>();
    };
    for (const char* used : {"1", "60", "100", "101"}) {
        INFO(used);
        box.set("core:1", used, end);
        const auto printed = box.run({"headers", "core:1"}).out;
        CHECK(box.rows({"headers", "core:1", "--verify", "-"}, printed).at(0).at("verdict") == "now");
    }
    box.set("core:1", "60", end);
    for (const char* left : {"40", "41"}) {
        CHECK(verdict(left, "60") == "now");
        CHECK(verdict(left, "") == "now");
    }
    CHECK(verdict("42", "60") == "never");
    CHECK(verdict("39", "60") == "never");
    CHECK(verdict("42", "") == "earlier");
    CHECK(verdict("39", "") == "if-changed");
}

TEST_CASE("a limit that the key says is known without a policy and is above one") {
    CounterDeployment box("limits-fixed");
    const std::string key = "LIMITS:LIMITER/alice/api/5/1/minute";
    box.set(key, "5", seconds_from_now(30));
    const auto row = box.rows({"check", key})[0];
    CHECK(row.at("state") == "exhausted");
    CHECK(row.at("limit") == 5);
    CHECK(row.at("limit_source") == "key");
    CHECK(box.run({"check", key, "--exit-status"}).code == 1);
    CHECK(box.run({"check", key, "--exit-status", "--limit", "6"}).code == 0);
    CHECK(contains(box.run({"explain", key}).out, "The limit is 5 per 1m, as the key says."));
    // A window that is opened lasts as long as the key says.
    const std::string other = "LIMITS:LIMITER/bob/api/5/2/minute";
    const auto opened = box.rows({"increment", other}).at(0);
    const auto left = opened.at("after_reset_at").get<std::int64_t>() - seconds_from_now(0);
    CHECK(left > 60);
    CHECK(left <= 120);
    // In a policy of 100 a key of this kind has its own limit.
    box.set("core:a/7/1/hour", "1", seconds_from_now(30));
    CHECK(box.rows({"check", "core:a/7/1/hour"})[0].at("limit") == 7);
    CHECK(box.rows({"check", "core:a"})[0].at("limit") == 100);
}

TEST_CASE("a scheme is named without a configuration") {
    CounterDeployment box;
    const auto end = seconds_from_now(600);
    box.set("rl:10.0.0.1", "7", end);
    const auto url = box.server().endpoint().url();
    RunOptions options;
    const auto result =
        run_ratectl({"check", "rl:10.0.0.1", "-u", url, "--scheme", "express", "--limit", "10", "-o", "json"}, options);
    INFO(result.err);
    const auto row = parse_json(result.out).at("rows").at(0);
    CHECK(row.at("state") == "open");
    CHECK(row.at("used") == 7);
    CHECK(row.at("remaining") == 3);
    CHECK(row.at("reset_at") == end);
    const auto unknown = run_ratectl({"check", "rl:1", "-u", url, "--scheme", "expres"}, options);
    CHECK(unknown.code == 2);
    CHECK(contains(unknown.err, "--scheme: no scheme is called 'expres'"));
    // Laravel's pair, by its name.
    box.server().command({"SET", "cache:1", "4", "EX", "60"});
    box.server().command({"SET", "cache:1:timer", std::to_string(seconds_from_now(60)), "EX", "60"});
    const auto pair = run_ratectl({"check", "cache:1", "-u", url, "--scheme", "laravel", "-o", "json"}, options);
    CHECK(parse_json(pair.out).at("rows").at(0).at("state") == "open");
}

TEST_CASE("a counter that never ends is told of and removed, and nothing is counted into it") {
    CounterDeployment box("fastify");
    box.server().command({"SET", "core:full", "120"});
    box.server().command({"SET", "core:some", "3"});
    const auto explained = box.run({"explain", "core:full"});
    CHECK(contains(explained.out, "is limited: 120 of 100 requests used, and nothing ends its window"));
    CHECK(contains(explained.out, "reset core:full"));
    CHECK(contains(box.run({"explain", "core:some"}).out, "97 left, and nothing ends its window"));
    CHECK(contains(box.run({"explain", "--client", "full"}).out, "limited by core without an end"));
    for (const char* dry : {"-n", "-y"}) {
        const auto refused = box.run({"increment", "core:some", dry});
        INFO(refused.err);
        CHECK(refused.code == 7);
        CHECK(contains(refused.err, "nothing ever ends"));
        CHECK(box.run({"refund", "core:some", "--amount", "1", dry}).code == 7);
    }
    CHECK(box.stored("core:some") == "3");
    CHECK(box.run({"reset", "core:full"}).code == 0);
    CHECK(box.count("core:full") == "0");
    CHECK(box.run({"top", "-N", "5"}).code == 0);
    CHECK(box.run({"stats"}).code == 0);
    CHECK(box.run({"client", "some"}).code == 0);
    CHECK(box.run({"headers", "core:some"}).code == 0);
    // Where the limiter begins anew, it counts as nothing, and can be cleared away.
    CounterDeployment healing("express");
    healing.server().command({"SET", "core:some", "3"});
    CHECK(healing.rows({"check", "core:some"})[0].at("state") == "orphan-counter");
    CHECK(healing.rows({"increment", "core:some", "-n"})[0].at("after_used") == 1);
    CHECK(healing.rows({"increment", "core:some"})[0].at("after_used") == 1);
    healing.server().command({"SET", "core:some", "3"});
    CHECK(healing.run({"doctor", "--fix", "orphan-counter", "-y"}).code == 0);
    CHECK(healing.count("core:some") == "0");
}

TEST_CASE("what was changed under one layout is not taken back under another") {
    CounterDeployment box;
    box.set("core:1", "5", seconds_from_now(600));
    CHECK(box.run({"reset", "core:1", "--op-id", "HERE"}).code == 0);
    for (const bool elsewhere : {false, true}) {
        std::vector<std::string> words{"undo", "HERE", "--scheme", "window", "--force"};
        if (elsewhere) words.insert(words.end(), {"--journal", box.box().file("another.db")});
        const auto refused = box.run(words);
        INFO(refused.err);
        CHECK(refused.code == 7);
        CHECK(contains(refused.err, "stored as 'counter'"));
        CHECK(contains(refused.err, "--scheme NAME"));
        CHECK(box.count("core:1") == "0");
        CHECK(box.count("core:1:exp") == "0");
    }
    // Another name of the same layout will do.
    CHECK(box.run({"undo", "HERE", "--scheme", "express"}).code == 0);
    CHECK(box.stored("core:1") == "5");
}

TEST_CASE("a counter in a dump file ends with its TTL however lightly it is looked at") {
    CounterDeployment box;
    box.set("core:open", "3", seconds_from_now(600));
    box.set("core:full", "120", seconds_from_now(600));
    box.server().command({"SAVE"});
    const auto file = "alpha=" + box.server().folder() + "/dump.rdb";
    const auto rows = box.rows({"scan", "--rdb", file, "--sort", "used", "--look", "light"});
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].at("state") == "open");
    CHECK(rows[1].at("state") == "exhausted");
    CHECK(contains(box.run({"stats", "--rdb", file, "-o", "json"}).out, "\"exhausted\":1"));
}

TEST_CASE("a refund beyond exact integers is refused by the dry run too") {
    CounterDeployment box;
    for (const char* used : {"9007199254740993", "9223372036854775807"}) {
        box.set("core:1", used, seconds_from_now(600));
        for (const char* amount : {"1", "50%"}) {
            for (const char* mode : {"-n", "-y"}) {
                const auto refused = box.run({"refund", "core:1", "--amount", amount, mode});
                INFO(used << " " << amount << " " << mode << refused.err);
                CHECK(refused.code == 7);
                CHECK(contains(refused.out, "not-an-integer"));
            }
        }
    }
}

TEST_CASE("a watch does not take a counter that never ends for one below its limit") {
    CounterDeployment box;
    box.server().command({"SET", "core:1", "120"});
    CHECK(box.run({"watch", "core:1", "--until", "below:80%", "--every", "100ms", "--deadline", "500ms"}).code == 1);
    CHECK(box.run({"watch", "core:1", "--until", "exhausted", "--every", "100ms", "--deadline", "5s"}).code == 0);
}
