// Throttles and their knobs by name: what is seen, turned, removed and taken back.
#include <algorithm>
#include <vector>

#include "cli/knobs_deployment.h"
#include "cli/scenes_box.h"
#include "support/catch.h"
#include "support/json.h"

using namespace ratectl::test;
using nlohmann::json;

TEST_CASE("throttles are listed with a bucket or with knobs alone") {
    KnobsDeployment box;
    box.put("search", "18.5");
    box.put("both", "3");
    box.tune("both", "9");
    box.tune("idle", "2.5");
    box.server().command({"EXPIRE", "throttle:idle:knobs", "604800"});
    box.server().command({"SET", "throttle:odd", "1"});
    auto rows = box.rows({"throttle", "list"}).get<std::vector<json>>();
    REQUIRE(rows.size() == 4);
    CHECK(contains(box.run({"throttle", "list"}).err, "4 windows on"));
    std::ranges::sort(rows, [](const json& a, const json& b) { return a.at("name") < b.at("name"); });
    CHECK(rows[0].at("name") == "both");
    CHECK(rows[0].at("limit") == 45);
    CHECK(rows[0].at("rps") == "9");
    CHECK(rows[0].at("knobs_expires_at_ms").is_null());
    CHECK(rows[1].at("name") == "idle");
    CHECK(rows[1].at("state") == "absent");
    CHECK(rows[1].at("remaining") == 13);
    CHECK(rows[1].at("rps") == "2.5");
    CHECK(rows[1].at("knobs_expires_at_ms").is_number());
    CHECK(rows[2].at("state") == "corrupt");
    CHECK(rows[3].at("used") == 62);
    CHECK(rows[3].at("rps").is_null());
    rows = box.rows({"throttle", "show", "search", "none"});
    CHECK(rows[0].at("remaining") == 18.5);
    CHECK(rows[1].at("state") == "absent");
    CHECK(contains(box.run({"knobs", "get", "both"}).out, "both  9"));
    CHECK(box.rows({"scan"}).size() == 3);  // sweeps take knobs for no throttle
}

// Names of throttles are no keys: check took them for some.
TEST_CASE("what -o name prints of throttles is read back as their keys") {
    KnobsDeployment box;
    box.put("search", "18");
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"throttle", "show", "search"}, {"throttle", "list"}, {"knobs", "get", "search"}}) {
        auto arguments = words;
        arguments.insert(arguments.end(), {"-o", "name"});
        CHECK(box.run(arguments).out == "throttle:search\n");
    }
    CHECK(box.rows({"throttle", "show", "search"}).at(0).at("name") == "search");
}

TEST_CASE("knobs are turned in one step and taken back") {
    KnobsDeployment box;
    auto refused = box.run({"knobs", "set", "a", "rps=4"});
    CHECK(refused.code == 2);
    CHECK(contains(refused.err, "wants all three"));
    CHECK(box.knobs("a").empty());
    auto row = box.row({"knobs", "set", "a", "rps=4", "burst=2", "window=5", "-n"});
    CHECK(row.at("status") == "planned");
    CHECK(row.at("change") == "none -> rps 4, burst 2, window 5");
    CHECK(box.knobs("a").empty());
    row = box.row({"knobs", "set", "a", "rps=4", "burst=2", "window=5", "--op-id", "FIRST"});
    CHECK(row.at("status") == "applied");
    CHECK(box.knobs("a") == "rps 4 burst 2 window 5");
    CHECK(box.row({"knobs", "set", "a", "rps=4", "burst=2", "window=5", "--op-id", "FIRST"}).at("status") ==
          "already-applied");
    box.server().command({"EXPIRE", "throttle:a:knobs", "604800"});
    box.server().command({"HSET", "throttle:a:knobs", "note", "ours"});
    const auto turned = box.run({"knobs", "set", "a", "rps=0.5", "--op-id", "SECOND"});
    CHECK(contains(turned.out, "rps 4, burst 2, window 5 -> rps 0.5, burst 2, window 5"));
    CHECK(contains(turned.err, "a week"));
    CHECK(contains(turned.err, "3 come back with each window of 5 s"));
    CHECK(box.knobs("a") == "rps 0.5 burst 2 window 5 note ours");
    // A week, of which a slow machine has spent a little.
    CHECK(std::stoi(box.server().command({"TTL", "throttle:a:knobs"})) > 604'800 - 60);
    CHECK(box.row({"knobs", "set", "a", "burst=2"}).at("why_not") == "already-so");
    CHECK(box.row({"check", "throttle:a"}).at("limit") == 5);
    CHECK(box.row({"undo", "FIRST"}).at("status") == "window-changed");
    CHECK(box.row({"undo", "FIRST", "-n"}).at("status") == "window-changed");
    CHECK(box.row({"undo", "SECOND", "-n"}).at("change") == "rps 0.5, burst 2, window 5 -> rps 4, burst 2, window 5");
    CHECK(box.row({"undo", "SECOND"}).at("status") == "applied");
    CHECK(box.knobs("a") == "rps 4 burst 2 window 5 note ours");
    CHECK(box.row({"undo", "SECOND"}).at("status") == "already-applied");
    CHECK(box.row({"undo", "FIRST"}).at("status") == "applied");
    CHECK(box.knobs("a") == "note ours");
    CHECK(box.row({"history", "FIRST"}).at("change") == "none -> rps 4, burst 2, window 5");
}

TEST_CASE("what LimitLion refuses or would break by is never turned to") {
    KnobsDeployment box;
    box.tune("a", "9");
    for (const auto* knob : {"rps=-1", "rps=-0.5", "rps=many", "rps=", "rps", "=4", "speed=4", "rps=1e9", "window=inf",
                             "burst=nan", "burst=-2", "rps=4.", "rps=.5", "rps= 4"}) {
        INFO(knob);
        CHECK(box.run({"knobs", "set", "a", knob}).code == 2);
    }
    const auto twice = box.run({"knobs", "set", "a", "rps=1", "burst=2", "rps=2"});
    CHECK(twice.code == 2);
    CHECK(contains(twice.err, "rps is turned twice"));
    for (const std::vector<std::string>& words : {std::vector<std::string>{"stop", "a", "rps=0"},
                                                  {"unset", "a", "burst=1"},
                                                  {"unlimited", "a", "rps=-1"},
                                                  {"set", "a", "rps=4", "--limit", "3"},
                                                  {"set", "a", "rps=4", "--period", "1h"},
                                                  {"set", "a", "rps=4", "--now", "+15m"},
                                                  {"stop", "a", "--burst", "3"}}) {
        auto arguments = words;
        arguments.insert(arguments.begin(), "knobs");
        arguments.push_back("-y");
        CHECK(box.run(arguments).code == 2);
    }
    CHECK(box.knobs("a") == "rps 9 burst 1 window 5");
    // They had no effect, and were taken.
    for (const std::string flag : {"--now", "--period"}) {
        const auto refused = box.run({"knobs", "get", "a", flag, flag == "--now" ? "+15m" : "15m"});
        INFO(refused.err);
        CHECK(refused.code == 2);
        CHECK(contains(refused.err, flag + " has no meaning here: knobs count"));
    }
    // Beside --key they are the policy's.
    CHECK(box.run({"knobs", "get", "a", "--scheme", "limitlion", "--key", "throttle:{client}", "--limit", "40",
                   "--period", "8s"})
              .code == 0);
    for (const auto* knob : {"burst=0", "window=0", "window=0.4"}) {
        INFO(knob);
        const auto result = box.run({"knobs", "set", "a", knob});
        CHECK(result.code == 7);
        CHECK(contains(result.err, "nothing was written"));
    }
    CHECK(box.row({"knobs", "set", "a", "rps=999999999999999", "burst=9"}).at("why_not") == "bad-knobs");
    CHECK(box.knobs("a") == "rps 9 burst 1 window 5");
    box.server().command({"HSET", "throttle:a:knobs", "burst", "twice"});
    CHECK(contains(box.run({"knobs", "set", "a", "rps=4"}).err, "burst is 'twice', which is no number"));
    CHECK(box.row({"knobs", "set", "a", "rps=4", "burst=1"}).at("status") == "applied");
    box.server().command({"HDEL", "throttle:a:knobs", "burst", "window"});
    CHECK(contains(box.run({"knobs", "set", "a", "rps=4"}).err, "burst is missing"));
    CHECK(box.row({"knobs", "set", "a", "burst=1", "window=5", "--op-id", "WHOLE"}).at("status") == "applied");
    CHECK(box.row({"undo", "WHOLE"}).at("status") == "applied");
    CHECK(box.knobs("a") == "rps 4");
    box.server().command({"DEL", "throttle:a:knobs"});
    box.server().command({"SET", "throttle:a:knobs", "9"});
    CHECK(box.row({"knobs", "stop", "a"}).at("why_not") == "wrong-type");
    CHECK(box.stored("throttle:a:knobs") == "9");
}

// Its state is no window, which alone lets every request through.
TEST_CASE("a stopped throttle without a bucket is limited in every field that says so") {
    KnobsDeployment box;
    REQUIRE(box.row({"knobs", "stop", "a"}).at("status") == "applied");
    for (const std::vector<std::string>& look :
         {std::vector<std::string>{"check", "throttle:a"}, {"throttle", "show", "a"}}) {
        const auto row = box.row(look);
        CHECK(row.at("limited") == true);
        CHECK(row.at("remaining") == 0);
    }
}

TEST_CASE("throttles are stopped and let run and go by their own figures again") {
    KnobsDeployment box;
    box.tune("a", "9");
    CHECK(box.rows({"knobs", "stop", "a", "b", "--op-id", "STOP"}).size() == 2);
    CHECK(box.knobs("a") == "rps 0 burst 1 window 5");
    CHECK(box.knobs("b") == "rps 0 burst 1 window 5");
    CHECK(box.run({"check", "throttle:b", "--exit-status"}).code == 1);
    CHECK(box.run({"undo", "STOP"}).code == 0);
    CHECK(box.knobs("a") == "rps 9 burst 1 window 5");
    CHECK(box.count("throttle:b:knobs") == "0");
    CHECK(box.row({"knobs", "unlimited", "a"}).at("status") == "applied");
    CHECK(box.knobs("a") == "rps -1 burst 1 window 5");
    CHECK(box.row({"throttle", "show", "a"}).at("limit").is_null());
    CHECK(box.row({"knobs", "unset", "a", "--op-id", "OWN"}).at("status") == "applied");
    CHECK(box.row({"throttle", "show", "a"}).at("limit") == 80);
    CHECK(box.row({"undo", "OWN"}).at("status") == "applied");
    CHECK(box.knobs("a") == "rps -1 burst 1 window 5");
    box.put("a", "3");
    CHECK(box.row({"throttle", "reset", "a"}).at("status") == "applied");
    CHECK(box.count("throttle:a") == "0");
    CHECK(box.count("throttle:a:knobs") == "1");
    box.put("a", "3");
    CHECK(box.rows({"throttle", "delete", "a", "--op-id", "GONE"}).size() == 2);
    CHECK(box.count("throttle:a") == "0");
    CHECK(box.count("throttle:a:knobs") == "0");
    CHECK(box.run({"undo", "GONE"}).code == 0);
    CHECK(box.count("throttle:a") == "1");
    CHECK(box.knobs("a") == "rps -1 burst 1 window 5");
}

// An undo put back what the limiter reads, and the rest was gone for good.
TEST_CASE("what else stands in the hashes of a throttle comes back whole with an undo") {
    KnobsDeployment box;
    const auto all_of = [&](const std::string& key) {
        return box.server().command({"EVAL",
                                     "local f = redis.call('HGETALL', KEYS[1]) local all = {} "
                                     "for i = 1, #f, 2 do all[#all + 1] = f[i] .. '=' .. f[i + 1] end "
                                     "table.sort(all) return table.concat(all, ' ')",
                                     "1", key});
    };
    box.tune("a", "9");
    box.put("a", "3");
    box.server().command({"HSET", "throttle:a:knobs", "note", "ours", "owner", ""});
    box.server().command({"HSET", "throttle:a", "seen", "7"});
    box.server().command({"EXPIRE", "throttle:a:knobs", "604800"});
    const auto knobs = all_of("throttle:a:knobs");
    const auto bucket = all_of("throttle:a");
    REQUIRE(knobs == "burst=1 note=ours owner= rps=9 window=5");
    for (const std::vector<std::string>& words : {std::vector<std::string>{"knobs", "unset", "a"},
                                                  {"throttle", "delete", "a"},
                                                  {"throttle", "reset", "a"},
                                                  {"reset", "throttle:a"},
                                                  {"knobs", "stop", "a"}}) {
        INFO(words.front() << ' ' << words.at(1));
        auto arguments = words;
        const auto id = words.front() + words.at(1).substr(0, 5);
        arguments.insert(arguments.end(), {"--op-id", id});
        CHECK(box.run(arguments).code == 0);
        CHECK((all_of("throttle:a:knobs") != knobs || all_of("throttle:a") != bucket));
        const auto undone = box.run({"undo", id});
        INFO(undone.out << undone.err);
        CHECK(undone.code == 0);
        CHECK(all_of("throttle:a:knobs") == knobs);
        CHECK(all_of("throttle:a") == bucket);
        CHECK(std::stoi(box.server().command({"TTL", "throttle:a:knobs"})) > 604'800 - 60);
    }

    // More than is put back again is not removed.
    box.server().command({"HSET", "throttle:a:knobs", "note", std::string(70'000, 'x')});
    const auto refused = box.row({"knobs", "unset", "a"});
    CHECK(refused.at("why_not") == "too-large");
    CHECK(box.server().command({"HLEN", "throttle:a:knobs"}) == "5");
}

// They went with the knobs that had been put beside them.
TEST_CASE("an undo of new knobs leaves what has come to stand beside them") {
    KnobsDeployment box;
    REQUIRE(box.row({"knobs", "set", "a", "rps=4", "burst=2", "window=5", "--op-id", "NEW"}).at("status") == "applied");
    box.server().command({"HSET", "throttle:a:knobs", "note", "ours"});
    CHECK(box.row({"undo", "NEW"}).at("status") == "applied");
    CHECK(box.knobs("a") == "note ours");
    // Its limiter finds no knobs there, and goes by its own figures.
    const auto row = box.row({"throttle", "show", "a"});
    CHECK(row.at("state") == "absent");
    CHECK(row.at("limit") == 80);
    CHECK(box.row({"knobs", "unset", "a"}).at("status") == "skipped");
    CHECK(box.row({"knobs", "set", "a", "rps=4", "burst=2", "window=5", "--op-id", "AGAIN"}).at("change") ==
          "none -> rps 4, burst 2, window 5");
    CHECK(box.row({"undo", "AGAIN"}).at("status") == "applied");
    CHECK(box.knobs("a") == "note ours");
    CHECK(box.row({"throttle", "delete", "a"}).at("status") == "skipped");
    CHECK(box.knobs("a") == "note ours");
}

// The knobs were removed first, and the bucket was read by the policy's figures.
TEST_CASE("a throttle that is removed or put back is told as it was by its knobs") {
    KnobsDeployment box;
    box.tune("a", "9");
    box.put("a", "3");
    const auto shown = box.row({"throttle", "show", "a"});
    REQUIRE(shown.at("used") == 42);
    const auto bucket_in = [&](const std::vector<std::string>& words) {
        for (const auto& row : box.rows(words))
            if (row.at("key") == "throttle:a") return row;
        return json();
    };
    CHECK(bucket_in({"throttle", "delete", "a", "-n"}).at("before_used") == 42);
    CHECK(bucket_in({"throttle", "delete", "a", "--op-id", "GONE"}).at("before_used") == 42);
    CHECK(bucket_in({"undo", "GONE"}).at("after_used") == 42);
    CHECK(box.row({"throttle", "show", "a"}).at("used") == 42);
}

// Its knobs were a second window: a question was asked, and --expect 1 refused it.
TEST_CASE("one throttle that is named is deleted at once and counts as one") {
    WrittenDeployment box(
        "writes = \"confirm\"\n[[deployments.box.policies]]\nname = \"throttles\"\nkey = \"throttle:{client}\"\n"
        "scheme = \"limitlion\"\nlimit = 40\nperiod = \"8s\"\n");
    const auto tune = [&](const std::string& name) {
        CHECK(box.run({"knobs", "set", name, "rps=9", "burst=1", "window=5"}).code == 0);
    };
    const auto has_knobs = [&](const std::string& name) {
        return box.server().command({"EXISTS", "throttle:" + name + ":knobs"}) == "1";
    };
    tune("a");
    const auto alone = box.run({"throttle", "delete", "a"});
    INFO(alone.err);
    CHECK(alone.code == 0);
    CHECK_FALSE(has_knobs("a"));
    tune("a");
    CHECK(box.run({"throttle", "delete", "a", "--expect", "1", "--max-keys", "1"}).code == 0);
    CHECK_FALSE(has_knobs("a"));

    tune("a");
    tune("b");
    const auto asked = box.run({"throttle", "delete", "a", "b"});
    CHECK(asked.code == 7);
    CHECK(contains(asked.err, "about to remove 2 throttles of deployment 'box'"));
    const auto refused = box.run({"throttle", "delete", "a", "b", "-y", "--expect", "1"});
    CHECK(refused.code == 7);
    CHECK(contains(refused.err, "the selection has 2 throttles"));
    CHECK(box.run({"throttle", "delete", "a", "b", "-y", "--max-keys", "1"}).code == 7);
    CHECK((has_knobs("a") && has_knobs("b")));
    CHECK(box.run({"throttle", "delete", "a", "b", "-y", "--expect", "2", "--max-keys", "2"}).code == 0);
    CHECK_FALSE((has_knobs("a") || has_knobs("b")));
}

// It asked about 2 windows.
TEST_CASE("one throttle that was deleted is put back at once and counts as one") {
    WrittenDeployment box(
        "writes = \"confirm\"\n[[deployments.box.policies]]\nname = \"throttles\"\nkey = \"throttle:{client}\"\n"
        "scheme = \"limitlion\"\nlimit = 40\nperiod = \"8s\"\n");
    const auto put = [&](const std::string& name) {
        CHECK(box.run({"knobs", "set", name, "rps=9", "burst=1", "window=5"}).code == 0);
        box.server().command({"HSET", "throttle:" + name, "tokens", "3", "refreshed", "4000000000"});
    };
    const auto keys = [&](const std::string& name) {
        return box.server().command({"EXISTS", "throttle:" + name, "throttle:" + name + ":knobs"});
    };
    put("a");
    CHECK(box.run({"throttle", "delete", "a", "none", "-y", "--op-id", "ONE"}).code == 0);
    REQUIRE(keys("a") == "0");
    const auto two = box.run({"undo", "ONE"});  // of two that were named
    INFO(two.err);
    CHECK(two.code == 7);
    CHECK(contains(two.err, "about to put back 1 throttle of deployment 'box'"));
    CHECK(box.run({"undo", "ONE", "-y"}).code == 0);
    CHECK(box.run({"throttle", "delete", "a", "--op-id", "TWO"}).code == 0);
    const auto alone = box.run({"undo", "TWO", "--expect", "1", "--max-keys", "1"});
    INFO(alone.err);
    CHECK(alone.code == 0);
    CHECK(keys("a") == "2");
    put("b");
    CHECK(box.run({"throttle", "delete", "a", "b", "-y", "--op-id", "THREE"}).code == 0);
    CHECK(contains(box.run({"undo", "THREE"}).err, "put back 2 throttles of"));
    CHECK(box.run({"undo", "THREE/1", "THREE/3"}).code == 0);
    CHECK(keys("a") == "2");
    CHECK(keys("b") == "0");
}

TEST_CASE("without a policy of throttles it is said what one would be") {
    CounterDeployment box;
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"throttle", "list"}, {"knobs", "get", "a"}}) {
        const auto result = box.run(words);
        CHECK(result.code == 3);
        CHECK(contains(result.err, "--key 'throttle:{client}'"));
    }
    const auto given = box.run({"throttle", "show", "a", "--scheme", "limitlion", "--key", "throttle:{client}"});
    INFO(given.err);
    CHECK(given.code == 0);
}

TEST_CASE("throttles and knobs are found on whatever shard has them") {
    KnobsDeployment box(3);
    std::vector<std::string> together;
    for (int i = 0; together.size() < 5; ++i) {
        if (box.is_together("t" + std::to_string(i))) together.push_back("t" + std::to_string(i));
    }
    for (const auto& name : together) CHECK(box.row({"knobs", "stop", name}).at("status") == "applied");
    CHECK(box.rows({"throttle", "list"}).size() == 5);
    CHECK(box.rows({"knobs", "get", together.front(), together.back()}).at(1).at("rps") == "0");
}

// They were written where neither their limiter nor `knobs get` looks for them, and said to be applied.
TEST_CASE("knobs that a rule would put on another shard than their throttle are refused and nothing is written") {
    KnobsDeployment box(2);
    int apart = 0;
    for (int i = 0; i < 12; ++i) {
        const std::string name = "t" + std::to_string(i);
        const bool together = box.is_together(name);
        if (!together) ++apart;
        const auto set = box.run({"knobs", "set", name, "rps=4", "burst=1", "window=5", "-y"});
        INFO(name << set.out << set.err);
        CHECK(set.code == (together ? 0 : 3));
        CHECK(box.row({"knobs", "get", name}).at("rps") == (together ? json("4") : json()));
        if (together) continue;
        CHECK(contains(set.err, "throttle '" + name + "' is on shard '"));
        const auto knobs = "throttle:" + name + ":knobs";
        for (const std::size_t shard : {0U, 1U}) CHECK(box.box().server(shard).command({"EXISTS", knobs}) == "0");
        for (const std::size_t shard : {0U, 1U})
            box.box().server(shard).command({"HSET", knobs, "rps", "9", "burst", "1", "window", "5"});
        for (const auto& words :
             {std::vector<std::string>{"throttle", "delete", name},
              {"governor", "step", name, "--load-command", "echo 9", "--set-point", "2", "--max", "200", "--apply"}}) {
            const auto refused = box.run(words);
            INFO(refused.out << refused.err);
            CHECK(refused.code == 3);
            CHECK(contains(refused.err, "does not look for them; nothing was written"));
        }
        for (const std::size_t shard : {0U, 1U}) CHECK(box.box().server(shard).command({"HGET", knobs, "rps"}) == "9");
    }
    CHECK(apart > 0);
    CHECK(apart < 12);
}

// Only its bucket was kept: the knobs were turned and removed.
TEST_CASE("a protected throttle keeps its knobs") {
    LimiterDeployment box(
        "protect = [\"throttle:p\"]\n[[deployments.box.policies]]\nname = \"throttles\"\n"
        "key = \"throttle:{client}\"\nscheme = \"limitlion\"\nlimit = 40\nperiod = \"8s\"\n");
    for (const std::string name : {"p", "free"})
        box.server().command({"HSET", "throttle:" + name + ":knobs", "rps", "9", "burst", "1", "window", "5"});
    for (const auto& words :
         {std::vector<std::string>{"knobs", "stop", "p"},
          {"knobs", "set", "p", "rps=4"},
          {"knobs", "unlimited", "p"},
          {"knobs", "unset", "p"},
          {"throttle", "delete", "p"},
          {"throttle", "reset", "p"},
          {"governor", "step", "p", "--load-command", "echo 9", "--set-point", "2", "--max", "200", "--apply"}}) {
        const auto refused = box.run(words);
        INFO(words[0] << ' ' << words[1] << refused.out << refused.err);
        CHECK(refused.code == 7);
        CHECK(contains(refused.err, "protected"));
    }
    CHECK(box.server().command({"HGET", "throttle:p:knobs", "rps"}) == "9");
    CHECK(box.run({"knobs", "stop", "free"}).code == 0);
    CHECK(box.run({"throttle", "delete", "free"}).code == 0);
}

// --force and no flag hinted at --merge, which said that they cannot be added up.
TEST_CASE("an undo that would take the place of newer knobs hints at what sets knobs") {
    KnobsDeployment box;
    box.tune("a", "9");
    CHECK(box.run({"knobs", "unset", "a", "--op-id", "GONE"}).code == 0);
    box.tune("a", "3");
    for (const auto& words : {std::vector<std::string>{"undo", "GONE", "-n"},
                              {"undo", "GONE", "-n", "--merge"},
                              {"undo", "GONE", "--force"},
                              {"undo", "GONE", "--merge"},
                              {"undo", "GONE"}}) {
        const auto refused = box.run(words);
        INFO(refused.out << refused.err);
        CHECK(refused.code == 7);
        CHECK(contains(refused.out + refused.err, "`ratectl knobs set NAME"));
        CHECK_FALSE(contains(refused.out + refused.err, "merge"));
        CHECK_FALSE(contains(refused.out + refused.err, "added up"));
    }
    CHECK(box.knobs("a") == "rps 3 burst 1 window 5");
}

// The half that came after the refused one was not tried, which made the whole a part.
TEST_CASE("a throttle that an account may not remove ends its removal as its reset ends") {
    KnobsDeployment box;
    box.put("y", "3");
    box.tune("y", "9");
    box.server().command({"ACL", "SETUSER", "default", "-evalsha"});
    for (const std::string verb : {"reset", "delete"}) {
        const auto refused = box.run({"throttle", verb, "y"});
        INFO(refused.out << refused.err);
        CHECK(refused.code == 5);
    }
    CHECK(box.count("throttle:y:knobs") == "1");
}

// The knobs' own key is none of such a policy's, and was left out: the throttle went and its knobs stayed.
TEST_CASE("a throttle whose template ends in a literal text goes with its knobs") {
    LimiterDeployment box(
        "[[deployments.box.policies]]\nname = \"throttles\"\nkey = \"{{throttle:{client}}}\"\n"
        "scheme = \"limitlion\"\nlimit = 40\nperiod = \"8s\"\n");
    CHECK(box.run({"knobs", "set", "a", "rps=9", "burst=1", "window=5"}).code == 0);
    REQUIRE(box.count("{throttle:a}:knobs") == "1");
    const auto gone = box.run({"throttle", "delete", "a"});
    INFO(gone.err << gone.out);
    CHECK(gone.code == 0);
    CHECK(box.count("{throttle:a}:knobs") == "0");
    CHECK(box.run({"throttle", "delete", "a"}).code == 1);
}

// It was a throttle called `-` that was stopped, and those that were meant ran on.
TEST_CASE("throttles are turned and deleted by names from standard input") {
    WrittenDeployment box(
        "writes = \"confirm\"\n[[deployments.box.policies]]\nname = \"throttles\"\nkey = \"throttle:{client}\"\n"
        "scheme = \"limitlion\"\nlimit = 40\nperiod = \"8s\"\n");
    const auto rps = [&](const std::string& name) {
        return box.server().command({"HGET", "throttle:" + name + ":knobs", "rps"});
    };
    const auto keys = [&] { return box.server().command({"EVAL", "return #redis.call('KEYS', 'throttle:*')", "0"}); };
    const auto asked = box.run_with_input({"knobs", "stop", "-"}, "a\nb\n");
    INFO(asked.err);
    CHECK(asked.code == 7);
    CHECK(contains(asked.err, "2 throttles"));
    CHECK(keys() == "0");
    CHECK(box.run_with_input({"knobs", "set", "-", "rps=9", "burst=1", "window=5", "-y"}, "a\nb\n").code == 0);
    CHECK((rps("a") == "9" && rps("b") == "9"));
    CHECK(box.run_with_input({"knobs", "stop", "-", "-y"}, "a\nb\n").code == 0);
    CHECK((rps("a") == "0" && rps("b") == "0"));
    CHECK(box.run_with_input({"knobs", "unlimited", "-"}, "a\n").code == 0);
    CHECK((rps("a") == "-1" && rps("b") == "0"));
    CHECK(box.run_with_input({"knobs", "unset", "-"}, "a\n").code == 0);
    CHECK(keys() == "1");
    box.server().command({"HSET", "throttle:b", "tokens", "3", "refreshed", "4000000000"});
    CHECK(box.run_with_input({"throttle", "delete", "-", "--expect", "1"}, "b\n").code == 0);
    CHECK(keys() == "0");
    // Its own name stands on standard input, too.
    CHECK(box.run_with_input({"knobs", "stop", "-"}, "-\n").code == 0);
    CHECK(rps("-") == "0");
    CHECK(box.run_with_input({"throttle", "delete", "-"}, "-\n").code == 0);
    for (const auto& words : {std::vector<std::string>{"knobs", "stop", "-", "a", "-y"},
                              {"throttle", "delete", "a", "-", "-y"},
                              {"governor", "explain", "-"}}) {
        const auto refused = box.run_with_input(words, "b\n");
        INFO(refused.err);
        CHECK(refused.code == 2);
    }
    CHECK(box.run_with_input({"throttle", "delete", "-", "-y"}, "").code ==
          box.run_with_input({"throttle", "reset", "-", "-y"}, "").code);
    CHECK(keys() == "0");
}

// Their names were read as arguments: `-` as standard input, and a hash was hashed again.
TEST_CASE("throttles with knobs alone are listed by the keys that were found") {
    KnobsDeployment box;
    box.tune("-", "1");
    box.tune("q", "2");
    const auto listed = box.rows({"throttle", "list"}, "x\n");
    REQUIRE(listed.size() == 2);
    CHECK(listed.at(0).at("name") == "-");
    CHECK(listed.at(0).at("rps") == "1");
    CHECK(listed.at(1).at("rps") == "2");
}

TEST_CASE("throttles whose templates change their names are listed with the knobs that they have") {
    const auto policy = [](const std::string& key) {
        return "[[deployments.box.policies]]\nname = \"throttles\"\nkey = \"" + key +
               "\"\nscheme = \"limitlion\"\nlimit = 100\nperiod = \"8s\"\n";
    };
    LimiterDeployment hashed(policy("throttle:{client|sha256:16}"));
    CHECK(hashed.run({"knobs", "set", "alice", "rps=2", "burst=3", "window=5"}).code == 0);
    auto listed = hashed.rows({"throttle", "list"});
    REQUIRE(listed.size() == 1);
    CHECK(listed.at(0).at("key") == "throttle:2bd806c97f0e00af");
    CHECK(listed.at(0).at("rps") == "2");
    hashed.server().command({"HSET", "throttle:2bd806c97f0e00af", "tokens", "3", "refreshed", "4000000000"});
    CHECK(hashed.rows({"throttle", "list"}).size() == 1);
    LimiterDeployment lower(policy("throttle:{client|lower}"));
    lower.server().command({"HSET", "throttle:BOB:knobs", "rps", "2", "burst", "3", "window", "5"});
    listed = lower.rows({"throttle", "list"});
    REQUIRE(listed.size() == 1);
    CHECK(listed.at(0).at("key") == "throttle:BOB");
    CHECK(listed.at(0).at("rps") == "2");
}

TEST_CASE("tables of throttles say which node each row is of and which is stale") {
    SceneBox box;
    box.server().command({"HSET", "throttle:q:knobs", "rps", "2", "burst", "3", "window", "5"});
    box.server().command({"HSET", "throttle:q", "tokens", "3", "refreshed", "4000000000"});
    box.server().command({"HSET", "throttle:idle:knobs", "rps", "2", "burst", "3", "window", "5"});
    box.catch_up();
    ratectl::domain::Endpoint nowhere;
    nowhere.host = "127.0.0.1";
    nowhere.port = 1;
    box.follow(nowhere);
    const std::vector<std::string> policy{"--scheme", "limitlion", "--key",    "throttle:{client}",
                                          "--limit",  "40",        "--period", "8s"};
    for (const auto& words :
         {std::vector<std::string>{"throttle", "show", "q"}, {"throttle", "list"}, {"knobs", "get", "q"}}) {
        auto arguments = words;
        arguments.insert(arguments.end(), policy.begin(), policy.end());
        CHECK_FALSE(contains(box.run(arguments).out, " NODE"));
        arguments.insert(arguments.end(), {"--from", "all"});
        const auto told = box.run(arguments);
        INFO(told.out << told.err);
        CHECK(contains(told.out.substr(0, told.out.find('\n')), " NODE"));
        CHECK(contains(told.out, box.address(box.replica())));
        CHECK(contains(told.out, " (stale)"));
        arguments.insert(arguments.end(), {"-o", "json"});
        CHECK_FALSE(contains(box.run(arguments).out, "(stale)"));
    }
}
