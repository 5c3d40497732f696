// Deployments whose policies name schemes of their own: windows of three limiters side by side on the same servers.
#include <map>

#include "cli/limiter_deployment.h"
#include "support/catch.h"
#include "support/json.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

std::string policy(const std::string& name, const std::string& key, const std::string& scheme) {
    return "[[deployments.box.policies]]\nname = \"" + name + "\"\nkey = \"" + key +
           "\"\nlimit = 10\nperiod = \"1m\"\n" + (scheme.empty() ? "" : "scheme = \"" + scheme + "\"\n");
}

/// Beside the policy `core`, whose windows are pairs: `ip` of express, `hits` of the documentation's counter.
class MixedDeployment : public LimiterDeployment {
public:
    explicit MixedDeployment(std::size_t shards = 1, const std::string& ip = "express")
        : LimiterDeployment(policy("ip", "rl:{client}", ip) + policy("hits", "hits:{client}", "redis-docs-2"), shards) {
    }

    std::map<std::string, json> by_key(const std::vector<std::string>& arguments, const std::string& input = "") {
        std::map<std::string, json> found;
        for (auto& row : rows(arguments, input)) {
            const std::string key = row.at("key");
            INFO(key);
            CHECK(found.emplace(key, row).second);
        }
        return found;
    }
};

}  // namespace

TEST_CASE("windows of several limiters are looked at together and each as its own limiter has it") {
    MixedDeployment box;
    const auto end = seconds_from_now(50);
    box.box().set_window("core:a", "100", end);
    box.set("rl:1.2.3.4", "10", end);
    box.set("hits:b", "10", end);
    box.server().command({"SET", "rl:endless", "3"});
    box.server().command({"SET", "hits:endless", "3"});
    box.server().command({"SET", "core:endless", "3"});
    const std::vector<std::string> keys{"hits:b", "core:a", "rl:1.2.3.4", "core:endless", "rl:endless", "hits:endless"};
    const char* const states[] = {"open", "exhausted", "exhausted", "orphan-counter", "orphan-counter", "leaked"};
    for (const auto& how :
         std::vector<std::vector<std::string>>{{"--look", "light"}, {"--look", "full"}, {"--as-script"}}) {
        auto asked = keys;
        asked.insert(asked.begin(), "check");
        asked.insert(asked.end(), how.begin(), how.end());
        INFO(how.back());
        const auto rows = box.rows(asked);
        REQUIRE(rows.size() == keys.size());
        for (std::size_t i = 0; i < keys.size(); ++i) {
            CHECK(rows[i].at("key") == keys[i]);
            CHECK(rows[i].at("state") == states[i]);
        }
        // The documentation's counter lets one more through.
        CHECK(rows[0].at("remaining") == 1);
        for (const auto i : {0, 1, 2}) CHECK(rows[i].at("reset_at") == end);
    }
    CHECK(contains(box.run({"explain", "core:a"}).out, "100"));
    CHECK(contains(box.run({"explain", "hits:endless"}).out, "nothing ends"));
}

TEST_CASE("a sweep gives every window once under its policy whatever limiter keeps it") {
    MixedDeployment box;
    const auto end = seconds_from_now(600);
    for (int i = 0; i < 150; ++i) {
        box.box().set_window("core:" + std::to_string(i), std::to_string(i), end);
        box.set("rl:" + std::to_string(i), "3", end);
        box.set("hits:" + std::to_string(i), "11", end);
    }
    // A client of express may be called so; what stands beside it is another client.
    box.set("rl:7:exp", "5", end);
    box.server().command({"SET", "core:orphan", "5"});
    for (const char* depth : {"light", "full"}) {
        INFO(depth);
        CHECK(box.by_key({"scan", "--look", depth}).size() == 451);
        const auto of_ip = box.by_key({"scan", "--policy", "ip", "--look", depth});
        CHECK(of_ip.size() == 151);
        REQUIRE(of_ip.contains("rl:7:exp"));
        CHECK(of_ip.at("rl:7:exp").at("used") == 5);
        CHECK(box.by_key({"scan", "--policy", "core", "--look", depth}).size() == 150);
        CHECK(box.by_key({"scan", "--policy", "core", "--orphans", "--look", depth}).size() == 151);
        CHECK(box.by_key({"scan", "--min-used", "100", "--look", depth}).size() == 50);
        CHECK(box.by_key({"scan", "--state", "exhausted", "--look", depth}).size() == 50 + 150);
        CHECK(box.by_key({"scan", "hits:1*", "--look", depth}).size() == 61);
    }
    CHECK(box.rows({"top", "-N", "3"}).size() == 3);
    const auto stats = box.run({"stats", "-o", "json"});
    CHECK(contains(stats.out, "\"windows\":451"));
    box.server().command({"SAVE"});
    const auto dump = "alpha=" + box.server().folder() + "/dump.rdb";
    CHECK(box.by_key({"scan", "--rdb", dump}).size() == 451);
    CHECK(box.by_key({"scan", "--rdb", dump, "--policy", "core", "--orphans"}).size() == 151);
    CHECK(box.by_key({"scan", "--rdb", dump, "--state", "exhausted"}).size() == 200);
}

TEST_CASE("one change of windows of several limiters is one operation and is taken back as one") {
    MixedDeployment box;
    const auto end = seconds_from_now(50);
    std::string input;
    for (int i = 0; i < 120; ++i) {
        const auto n = std::to_string(i);
        input.append("core:").append(n).append("\nrl:").append(n).append("\nhits:").append(n).append("\n");
    }
    box.set("hits:3", "4", end);
    const auto counted = box.run({"increment", "-", "--amount", "2", "--op-id", "MIXED"}, input);
    INFO(counted.err);
    REQUIRE(counted.code == 0);
    CHECK(box.box().halves() == std::to_string(120 * 4));
    CHECK(box.count("core:5:exp") == "1");
    CHECK(box.count("rl:5:exp") == "0");
    CHECK(box.server().command({"PTTL", "rl:5"}) != "-1");
    CHECK(box.box().stored("hits:3") == "6");
    CHECK(box.rows({"history", "MIXED"}).size() == 360);
    CHECK(box.rows({"history", "--on-servers", "MIXED"}).size() == 360);
    // From another machine, whose journal knows nothing.
    const auto undone = box.run({"undo", "MIXED", "--journal", box.box().file("another.db")});
    INFO(undone.out << undone.err);
    CHECK(undone.code == 0);
    CHECK(box.box().stored("hits:3") == "4");
    CHECK(box.box().halves() == "1");
    const auto again = box.run({"undo", "MIXED"});
    CHECK(again.code == 0);
    CHECK(contains(again.out, "already-undone"));
    CHECK(box.box().stored("hits:3") == "4");
}

TEST_CASE("refunds stop where each limiter wants them to and resets take all keys of a window") {
    MixedDeployment box;
    const auto end = seconds_from_now(50);
    box.box().set_window("core:a", "5", end);
    box.set("rl:a", "5", end);
    box.set("hits:a", "5", end);
    CHECK(box.run({"refund", "core:a", "rl:a", "hits:a", "--amount", "9", "--clamp"}).code == 0);
    CHECK(box.box().stored("core:a") == "0");
    CHECK(box.box().stored("rl:a") == "0");
    CHECK(box.box().stored("hits:a") == "1");
    CHECK(box.run({"reset", "--policy", "core", "--policy", "hits", "--op-id", "GONE"}).code == 0);
    CHECK(box.box().halves() == "1");
    CHECK(box.run({"undo", "GONE"}).code == 0);
    CHECK(box.box().halves() == "4");
    CHECK(box.box().stored("core:a:exp") == std::to_string(end));
}

TEST_CASE("the doctor finds of each limiter what can be wrong with it") {
    MixedDeployment box;
    for (const char* key : {"core:1", "rl:1", "hits:1"}) box.server().command({"SET", key, "3"});
    std::map<std::string, std::string> found;
    for (const auto& row : box.rows({"doctor"})) {
        if (row.contains("key") && row.at("key").is_string()) found[row.at("key")] = row.at("class");
    }
    CHECK(found == std::map<std::string, std::string>{
                       {"core:1", "orphan-counter"}, {"rl:1", "orphan-counter"}, {"hits:1", "endless"}});
    const auto rules = box.run({"acl", "operator", "-o", "tsv", "--columns", "rule"});
    INFO(rules.out);
    CHECK(contains(rules.out, "~core:*\n"));
    CHECK(contains(rules.out, "~rl:*\n"));
    CHECK_FALSE(contains(rules.out, "rl:*:exp"));
}

TEST_CASE("a scheme on the command line stands above those of policies") {
    MixedDeployment box;
    box.set("core:a", "5", seconds_from_now(50));
    CHECK(box.rows({"check", "core:a"})[0].at("state") == "orphan-counter");
    CHECK(box.rows({"check", "core:a", "--scheme", "counter"})[0].at("state") == "open");
    box.set("rl:a", "5", seconds_from_now(50));
    CHECK(box.rows({"check", "rl:a", "--scheme", "window"})[0].at("state") == "orphan-counter");
    // Another way to write keys changes nothing of what they are.
    const auto typed = box.rows({"check", "rl:a", "--key", "{client}", "--limit", "5"});
    CHECK(typed[0].at("state") == "exhausted");
    const auto shown = box.run({"config", "show"});
    CHECK(contains(shown.out, "policies.ip.scheme"));
    MixedDeployment misspelled(1, "expres");
    const auto refused = misspelled.run({"check", "rl:a"});
    CHECK(refused.code == 3);
    CHECK(contains(refused.err, "ratectl.toml:"));
    CHECK(contains(refused.err, "no scheme is called 'expres'"));
}

TEST_CASE("what was changed under a policy's scheme is not taken back under another") {
    MixedDeployment box;
    box.box().set_window("core:a", "5", seconds_from_now(50));
    box.set("rl:a", "5", seconds_from_now(50));
    CHECK(box.run({"reset", "core:a", "rl:a", "--op-id", "BOTH"}).code == 0);
    for (const char* journal : {"", "another.db"}) {
        std::vector<std::string> words{"undo", "BOTH", "--scheme", "window", "--force"};
        if (*journal != '\0') words.insert(words.end(), {"--journal", box.box().file(journal)});
        const auto refused = box.run(words);
        INFO(refused.err);
        CHECK(refused.code == 7);
        CHECK(contains(refused.err, "'rl:a' where it is stored as 'counter'"));
        CHECK(box.box().halves() == "0");
    }
    CHECK(box.run({"undo", "BOTH"}).code == 0);
    CHECK(box.box().halves() == "3");
}

// A plan removed the counter and left the second key, which was a window's other half when the plan was made.
TEST_CASE("a plan is not applied to windows that are stored otherwise by now") {
    MixedDeployment box;
    const auto end = seconds_from_now(1000);
    for (const char* key : {"core:a", "core:b"}) box.box().set_window(key, "5", end);
    const auto plan = box.box().file("a.plan");
    REQUIRE(box.run({"reset", "core:a", "core:b", "--plan", plan}).code == 0);
    for (const char* mode : {"-n", "-y"}) {
        const auto refused = box.run({"apply", plan, "--scheme", "counter", mode, "-o", "ndjson"});
        INFO(refused.out << refused.err);
        CHECK(refused.code == 7);
        CHECK(contains(refused.out, "\"why_not\":\"other-layout\""));
        CHECK(contains(refused.err,
                       "'core:a' was looked at where it is stored as 'window:exp', and its scheme here "
                       "stores it as 'counter': something else would be changed; nothing was written"));
        CHECK(box.box().halves() == "4");
    }
    CHECK(box.run({"apply", plan}).code == 0);
    CHECK(box.box().halves() == "0");
}

TEST_CASE("a plan whose calls would be others since a policy has another scheme is refused with the reason") {
    MixedDeployment box;
    const auto end = seconds_from_now(1000);
    box.box().set_window("core:a", "5", end);
    box.set("rl:a", "5", end);
    const auto plan = box.box().file("a.plan");
    REQUIRE(box.run({"reset", "core:a", "rl:a", "--plan", plan}).code == 0);
    const auto refused = box.run({"apply", plan, "--scheme", "express"});
    INFO(refused.err);
    CHECK(refused.code == 7);
    CHECK(contains(refused.err, "stored as 'window:exp', and its scheme here stores it as 'counter'"));
    CHECK(box.box().halves() == "3");
}

TEST_CASE("rows in a pipe are refused where windows are stored otherwise than when they were printed") {
    MixedDeployment box;
    const auto end = seconds_from_now(1000);
    box.box().set_window("core:a", "5", end);
    box.set("rl:a", "5", end);
    for (const auto& look : std::vector<std::vector<std::string>>{
             {"scan"}, {"check", "core:a", "rl:a"}, {"headers", "core:a", "rl:a"}, {"explain", "core:a", "rl:a"}}) {
        for (const char* format : {"json", "ndjson", "csv", "tsv"}) {
            auto words = look;
            words.insert(words.end(), {"-o", format});
            const auto rows = box.run(words);
            INFO(look.front() << " " << format << "\n" << rows.out << rows.err);
            REQUIRE(rows.code == 0);
            // Of express' counters the layout is the same; only the pair is another one.
            const auto partly = box.run({"reset", "-", "--scheme", "express", "-n"}, rows.out);
            INFO(partly.err);
            CHECK(partly.code == 9);
            CHECK(contains(partly.err, "'core:a' was looked at where it is stored as 'window:exp'"));
            CHECK(contains(partly.out, "planned"));
            CHECK(box.run({"reset", "-", "-n"}, rows.out).code == 0);
        }
    }
    const auto rows = box.run({"check", "rl:a", "-o", "csv"});
    CHECK(box.run({"increment", "-", "--scheme", "window", "-y"}, rows.out).code == 7);
    CHECK(box.box().halves() == "3");
    // A row that does not tell, as older ones and those of other programs, is taken as before.
    const auto plain = "{\"key\":\"core:a\",\"reset_at\":" + std::to_string(end) + "}\n";
    CHECK(box.run({"reset", "-", "-n", "--scheme", "express"}, plain).code == 0);
    // What a change prints is a guard, too.
    const auto changed = box.run({"increment", "core:a", "-o", "ndjson"});
    CHECK(box.run({"refund", "-", "--amount", "1", "--scheme", "counter"}, changed.out).code == 7);
    CHECK(box.run({"refund", "-", "--amount", "1"}, changed.out).code == 0);
    CHECK(box.box().stored("core:a") == "5");
}

TEST_CASE("rows of counters have their own expiries however lightly they were looked at") {
    MixedDeployment box;
    const auto end = seconds_from_now(3000);
    box.box().set_window("core:a", "1", end);
    for (int i = 1; i <= 4; ++i) box.set("rl:" + std::to_string(i), "1", seconds_from_now(i * 1000));
    box.set("rl:same", "1", end);
    box.server().command({"SET", "rl:forever", "1"});
    for (const char* depth : {"light", "full"}) {
        const auto rows =
            box.by_key({"check", "core:a", "rl:same", "rl:1", "rl:2", "rl:3", "rl:4", "rl:forever", "--look", depth});
        INFO(depth);
        for (int i = 1; i <= 4; ++i) {
            const auto& ttl = rows.at("rl:" + std::to_string(i)).at("counter_ttl_ms");
            INFO(ttl.dump());
            if (ttl.is_number()) CHECK(std::abs(ttl.get<std::int64_t>() - i * 1'000'000) < 20'000);
        }
        CHECK(rows.at("rl:forever").at("counter_ttl_ms").is_null());
        CHECK(rows.at("rl:same").at("stored_reset_at").is_null());
        CHECK(rows.at("core:a").at("stored_reset_at") == std::to_string(end));
    }
}

TEST_CASE("a key that a policy calls a window is no half of another one") {
    LimiterDeployment box(policy("odd", "a:{client}:exp", "express"));
    box.server().command({"SET", "a:x:exp", "5", "EX", "1000"});
    const auto looked = box.run({"check", "a:x:exp", "-o", "json"});
    CHECK(parse_json(looked.out).at("rows").at(0).at("policy") == "odd");
    CHECK(box.run({"increment", "a:x:exp"}).code == 0);
    CHECK(box.stored("a:x:exp") == "6");
    const auto found = box.run({"scan", "-o", "name"});
    CHECK(found.out == "a:x:exp\n");
}

// Of two policies that have a key the first one counts, also for the keys beside its windows.
TEST_CASE("a later policy that has every key takes no half from a window of an earlier one") {
    LimiterDeployment box(policy("team", "team:{client}:core", "window") + policy("rest", "{client}", "express"));
    const auto end = seconds_from_now(1000);
    box.box().set_window("team:a:core", "5", end);
    box.set("team:a", "3", end);
    box.set("team:b:core:exp", "4", end);  // the half of a window that has no counter
    for (const char* depth : {"light", "full"}) {
        INFO(depth);
        CHECK(box.rows({"scan", "--policy", "team", "--look", depth}).size() == 2);
        CHECK(box.run({"scan", "-o", "name", "--policy", "rest", "--look", depth}).out == "team:a\n");
        CHECK(box.rows({"scan", "--orphans", "--look", depth}).size() == 3);
    }
    const auto half = box.run({"check", "team:a:core:exp"});
    INFO(half.out << half.err);
    CHECK(contains(half.err, "looks like the expiry half of"));
    box.run({"reset", "--policy", "team", "-y"});
    CHECK(box.count("team:a:core:exp") == "0");
    CHECK(box.stored("team:a") == "3");
}

// It was shown as a window of the later policy, whose reset removed it.
TEST_CASE("a later policy that has every key takes no timestamp from a bucket of an earlier one") {
    for (const char* scheme : {"stripe", "spring-gateway"}) {
        LimiterDeployment box(policy("api", "api.{client}.tokens", scheme) + "burst = 500\n" +
                              policy("rest", "{client}", "express"));
        const auto end = seconds_from_now(1000);
        box.set("api.a.tokens", "450", end);
        box.set("api.a.timestamp", std::to_string(seconds_from_now(10)), end);
        box.set("b", "3", end);
        box.set("other.timestamp", "4", end);  // beside it there would be no bucket
        INFO(scheme);
        for (const char* depth : {"light", "full"}) {
            INFO(depth);
            CHECK(box.rows({"scan", "--look", depth}).size() == 3);
            CHECK(box.rows({"scan", "--policy", "rest", "--look", depth}).size() == 2);
        }
        CHECK(contains(box.run({"stats", "-o", "json"}).out, "\"windows\":3"));
        CHECK_FALSE(contains(box.run({"doctor", "-o", "json"}).out, "api.a.timestamp"));
        const auto looked = box.run({"check", "api.a.timestamp", "--exit-status"});
        INFO(looked.err);
        CHECK(looked.code == 7);
        CHECK(contains(looked.err, "'api.a.timestamp' looks like the timestamp of 'api.a.tokens'"));
        const auto refused = box.run({"reset", "api.a.timestamp", "-y"});
        CHECK(refused.code == 7);
        CHECK(contains(refused.err, "name the bucket's key: 'api.a.tokens'"));
        box.server().command({"SAVE"});
        const auto dumped =
            box.run({"scan", "--rdb", box.server().folder() + "/dump.rdb", "--sort", "key", "-o", "name"});
        CHECK(dumped.out == "b\nother.timestamp\n");
        CHECK(contains(dumped.err, "1 window is left out"));
        CHECK(box.run({"reset", "--policy", "rest", "-y"}).code == 0);
        CHECK(box.count("api.a.timestamp") == "1");
        CHECK(box.count("b") == "0");
    }
}

// The limit was that of the bucket, and the policy the later one.
TEST_CASE("a timestamp of a bucket is told under the policy of the bucket") {
    LimiterDeployment box(policy("api", "b.{client}.tokens", "stripe") + "burst = 500\n" +
                          policy("rest", "{client}", "express"));
    const auto end = seconds_from_now(1000);
    box.set("b.eve.tokens", "450", end);
    box.set("b.eve.timestamp", std::to_string(seconds_from_now(10)), end);
    for (const auto& command : std::vector<std::vector<std::string>>{{"check"}, {"explain"}, {"locate"}}) {
        auto asked = command;
        asked.emplace_back("b.eve.timestamp");
        const auto row = box.rows(asked).at(0);
        INFO(row.dump());
        CHECK(row.at("policy") == "api");
        CHECK(row.at("client") == "eve");
        if (row.contains("limit_source")) CHECK(row.at("limit_source") == "policy:api");
    }
    const auto headers = box.run({"headers", "b.eve.timestamp"}).out;
    CHECK(contains(headers, "X-RateLimit-Resource: api"));
    CHECK(box.run({"check", "b.eve.timestamp", "--policy", "rest", "-o", "name"}).out.empty());
    // What the later policy would call the window of such a client is none.
    const auto trace = box.run({"limit", "trace", "b.eve.timestamp", "-o", "json"});
    INFO(trace.out << trace.err);
    CHECK(trace.code == 9);
    const auto document = parse_json(trace.out);
    for (const auto& row : document.at("rows")) CHECK(row.at("key") != "b.eve.timestamp");
    CHECK(contains(document.at("left_out").dump(), "b.eve.timestamp"));
}

// Its client was in the column of the later policy's clients.
TEST_CASE("a timestamp of a bucket tells no client of a secret policy") {
    LimiterDeployment box(policy("api", "b.{client}.tokens", "stripe") + "burst = 500\nsecret = true\n" +
                          policy("rest", "{client}", "express"));
    const auto end = seconds_from_now(1000);
    box.set("b.eve.tokens", "450", end);
    box.set("b.eve.timestamp", std::to_string(seconds_from_now(10)), end);
    for (const char* command : {"check", "explain", "locate"}) {
        for (const char* format : {"json", "wide"}) {
            const auto told = box.run({command, "b.eve.timestamp", "-o", format});
            INFO(told.out << told.err);
            CHECK_FALSE(contains(told.out + told.err, "eve"));
        }
    }
}

TEST_CASE("half a window of a limiter is told under its policy and not under a later one of another limiter") {
    LimiterDeployment box(policy("team", "team:{client}:core", "window") + policy("rest", "{client}", "express"));
    box.box().set_window("team:a:core", "5", seconds_from_now(1000));
    const auto row = box.rows({"check", "team:a:core:exp"}).at(0);
    CHECK(row.at("policy") == "team");
    CHECK(row.at("client") == "a");
}

// Half a window was removed: what was a counter there is no window here.
TEST_CASE("rows that tell neither a layout nor an end change no half of a window") {
    CounterDeployment counters;
    const auto end = seconds_from_now(1000);
    const auto whole = [&] {
        counters.server().command({"SET", "core:endless", "9"});
        counters.set("core:a", "5", end);
        counters.box().set_window("core:w", "5", end);
    };
    whole();
    for (const char* columns :
         {"key,used", "key,remaining", "key,used,reset_at", "key,state,stored_used,stored_reset_at",
          "key,state,stored_used,stored_reset_at,used"}) {
        for (const char* format : {"ndjson", "json", "csv", "tsv"}) {
            const auto rows = counters.run({"check", "core:a", "core:endless", "-o", format, "--columns", columns}).out;
            for (const std::vector<std::string>& change : {std::vector<std::string>{"reset"}, {"increment"}}) {
                for (const char* mode : {"-n", "-y"}) {
                    auto words = change;
                    words.insert(words.end(), {"-", mode, "--scheme", "window"});
                    const auto refused = counters.run(words, rows);
                    INFO(columns << " " << format << " " << change.front() << refused.out << refused.err);
                    CHECK(refused.code == 7);
                    CHECK(counters.stored("core:a") == "5");
                    CHECK(counters.stored("core:endless") == "9");
                    CHECK(counters.count("core:a:exp") == "0");
                }
            }
            // Where they come from they are what they were.
            const bool without_end = contains(columns, "stored_used");
            CHECK(counters.run({"reset", "-", "-y"}, rows).code == (without_end ? 9 : 0));
            CHECK(counters.count("core:a") == (without_end ? "1" : "0"));
            CHECK(counters.count("core:endless") == "0");
            whole();
        }
    }
    // A whole one is removed as it was found, and one that is only named is changed as it is.
    CHECK(counters.run({"reset", "-", "--scheme", "window"}, "key,used\ncore:w,5\n").code == 0);
    CHECK(counters.count("core:w:exp") == "0");
    CHECK(counters.run({"reset", "-", "--scheme", "window"}, "core:a\n").code == 0);
    CHECK(counters.count("core:a") == "0");
    CHECK(counters.run({"reset", "-", "--scheme", "window"}, "key,amount\ncore:endless,\n").code == 0);
    CHECK(counters.count("core:endless") == "0");
    // Requests are counted one by one, whatever columns stand beside their keys.
    CHECK(counters.run({"increment", "-"}, "key,used\ncore:n,\ncore:n,\n").code == 0);
    CHECK(counters.stored("core:n") == "2");
    CHECK(counters.run({"increment", "-", "--scheme", "window"}, "key,used\ncore:m,\ncore:m,\n").code == 0);
    CHECK(counters.stored("core:m") == "2");
    // Of a half the rows say so.
    counters.box().server().command({"SET", "core:b", "9"});
    const auto half = counters
                          .run({"check", "core:b", "--scheme", "window", "-o", "csv", "--columns",
                                "key,state,stored_used,stored_reset_at"})
                          .out;
    CHECK(counters.run({"reset", "-", "--scheme", "window"}, half).code == 0);
    CHECK(counters.count("core:b") == "0");
}

// Each made every answer about a client unknown: 3, whatever its windows held.
TEST_CASE("a policy that keeps settings limits no client and says nothing of one unless it is named") {
    LimiterDeployment box(policy("knobs", "lion:{client}:knobs", "limitlion-knobs") +
                          policy("feature", "feature:{client}", "flipper"));
    box.server().command({"HSET", "lion:alice:knobs", "rps", "9", "burst", "1", "window", "5"});
    box.box().set_window("core:alice", "5", seconds_from_now(600));
    const std::vector<std::vector<std::string>> questions{{"client", "alice", "--exit-status"},
                                                          {"client", "alice", "--sweep", "--exit-status"},
                                                          {"check", "--client", "alice", "--exit-status"},
                                                          {"explain", "--client", "alice", "--exit-status"},
                                                          {"limit", "trace", "alice", "--exit-status"}};
    for (const auto& question : questions) {
        const auto open = box.run(question);
        INFO(question.front() << open.out << open.err);
        CHECK(open.code == 0);
        CHECK(!contains(open.out, "lion"));
    }
    box.box().set_window("core:alice", "100", seconds_from_now(600));
    for (const auto& question : questions) {
        const auto limited = box.run(question);
        INFO(question.front() << limited.out << limited.err);
        CHECK(limited.code == 1);
    }
    for (const bool sweep : {false, true}) {
        std::vector<std::string> words{"client", "alice", "--policy", "knobs"};
        if (sweep) words.emplace_back("--sweep");
        const auto named = box.rows(words);
        REQUIRE(named.size() == 1);
        CHECK(named[0].at("key") == "lion:alice:knobs");
    }
    // Nor do they limit in a sweep, or named by their key.
    for (const std::vector<std::string>& question :
         std::vector<std::vector<std::string>>{{"scan", "--state", "exhausted", "-o", "name"},
                                               {"check", "--all", "--state", "exhausted", "-o", "name"}}) {
        const auto swept = box.run(question);
        INFO(question.front() << swept.out << swept.err);
        CHECK(swept.code == 0);
        CHECK(swept.out == "core:alice\n");
    }
    box.box().set_window("core:alice", "5", seconds_from_now(600));
    for (const std::vector<std::string>& question :
         std::vector<std::vector<std::string>>{{"check", "--all", "--exit-status"},
                                               {"stats", "--exit-status"},
                                               {"check", "lion:alice:knobs", "--exit-status"},
                                               {"explain", "lion:alice:knobs", "--exit-status"}}) {
        const auto swept = box.run(question);
        INFO(question.front() << swept.out << swept.err);
        CHECK(swept.code == 0);
        CHECK(!contains(swept.out, "1970"));
    }
}
