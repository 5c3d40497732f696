// Limiters that keep the times of their requests one by one.
#include "cli/limiter_deployment.h"
#include "support/catch.h"
#include "support/json.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

struct LogScheme {
    const char* scheme;
    const char* key;  // without the client
    const char* behind;
    bool in_list;
    const char* policy;
};
constexpr LogScheme kLogSchemes[] = {
    {"limits-moving", "LIMITS:LIMITER/", "/api/5/1/minute", true, ""},
    {"discourse", "l-rate-limit::", ":post", true, "limit = 5\nperiod = \"1m\"\n"},
    {"koa", "limit:", "", false, "limit = 5\nperiod = \"1m\"\n"},
    {"rolling", "rolling:", "", false, "limit = 5\nperiod = \"1m\"\n"},
};

/// Five a minute.
class LogDeployment : public LimiterDeployment {
public:
    explicit LogDeployment(const LogScheme& kind)
        : LimiterDeployment(std::string("[[deployments.box.policies]]\nname = \"api\"\nkey = \"") + kind.key +
                            "{client}" + kind.behind + "\"\nscheme = \"" + kind.scheme + "\"\n" + kind.policy),
          kind_(kind) {}

    std::string key(const std::string& client) const { return kind_.key + client + kind_.behind; }
    /// A request of so many seconds before `now`, younger than all that are there.
    void put(const std::string& client, std::int64_t age) {
        const auto second = std::to_string(now - age);
        const auto key = this->key(client);
        const bool whole = std::string_view(kind_.scheme) == "discourse";
        const auto at =
            kind_.in_list ? second + (whole ? "" : ".25") : second + "25000" + std::to_string(++members_ % 10);
        if (kind_.in_list) {
            server().command({"LPUSH", key, at});
        } else {
            server().command(
                {"ZADD", key, at, std::string_view(kind_.scheme) == "koa" ? at : "m" + std::to_string(members_)});
        }
        server().command({"EXPIRE", key, whole ? "120" : "60"});
    }
    std::string dump(const std::string& client) {
        return server().command(
            {"EVAL", "return redis.call('DUMP', KEYS[1]) .. redis.call('PEXPIRETIME', KEYS[1])", "1", key(client)});
    }
    std::string elements(const std::string& client) {
        const auto command = kind_.in_list
                                 ? "return table.concat(redis.call('LRANGE', KEYS[1], 0, -1), ' ')"
                                 : "return table.concat(redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES'), ' ')";
        return server().command({"EVAL", command, "1", key(client)});
    }
    std::string size(const std::string& client) {
        return server().command({kind_.in_list ? "LLEN" : "ZCARD", key(client)});
    }
    json row(const std::vector<std::string>& arguments) { return rows(arguments).at(0); }

    const std::int64_t now = seconds_from_now(0);

private:
    const LogScheme& kind_;
    int members_ = 0;
};

}  // namespace

TEST_CASE("a log says how many of its times count and when the next request passes") {
    for (const auto& kind : kLogSchemes) {
        INFO(kind.scheme);
        LogDeployment box(kind);
        const auto now = box.now;
        const auto then = std::to_string(now);
        for (const std::int64_t age : {100, 30, 20}) box.put("some", age);
        for (const std::int64_t age : {50, 40, 30, 20, 10}) box.put("all", age);
        for (const std::int64_t age : {200, 100}) box.put("old", age);
        box.server().command({"SET", box.key("string"), "3"});
        const auto rows = box.rows({"check", box.key("some"), box.key("all"), box.key("old"), box.key("none"),
                                    box.key("string"), "--now", then});
        const char* const states[] = {"open", "exhausted", "closed", "absent", "corrupt"};
        for (std::size_t i = 0; i < 5; ++i) CHECK(rows.at(i).at("state") == states[i]);
        CHECK(rows[0].at("used") == 2);
        CHECK(rows[0].at("limit") == 5);
        CHECK(rows[0].at("remaining") == 3);
        CHECK(rows[0].at("reset_at") == now + 41);
        CHECK(rows[1].at("reset_at") == now + 51);
        CHECK(rows[1].at("remaining") == 0);
        CHECK(rows[3].at("remaining") == 5);
        CHECK(box.run({"check", box.key("all"), "--exit-status", "--now", then}).code == 1);
        const auto told = box.run({"headers", box.key("all"), "--dialect", "retry-after", "--now", then}).out;
        INFO(told);
        CHECK(told == "Retry-After: 11\n");
        const auto explained = box.run({"explain", box.key("all"), "--now", then}).out;
        INFO(explained);
        CHECK(contains(explained, "when one request is let through: 5 of 5 requests used; all of it is free again at"));
        CHECK(box.rows({"scan"}).size() == 4);
        CHECK(box.rows({"scan", "--state", "exhausted", "--now", then}).size() == 1);
        CHECK(box.row({"client", "some", "--now", then}).at("remaining") == 3);
        // As the application sees it half a minute later.
        const auto later = std::to_string(now + 35);
        CHECK(box.row({"check", box.key("all"), "--now", later}).at("used") == 2);
    }
}

TEST_CASE("headers of a log are verified by any moment at which some of its requests are free again") {
    LogDeployment box(kLogSchemes[0]);
    for (const int age : {50, 40, 30, 20, 10}) box.put("al", age);
    const auto verdict = [&box](std::int64_t reset, const std::string& remaining = "0") {
        const auto said = "X-RateLimit-Limit: 5\nX-RateLimit-Remaining: " + remaining +
                          "\nX-RateLimit-Reset: " + std::to_string(seconds_from_now(0) + reset) + "\n";
        const auto result = box.run({"headers", box.key("al"), "--verify", "-", "-o", "ndjson"}, said);
        INFO(result.out << result.err);
        return parse_json(result.out).at("verdict").get<std::string>();
    };
    CHECK(verdict(11) == "now");  // limits tells of the oldest
    CHECK(verdict(30) == "now");
    CHECK(verdict(50) == "now");  // ratectl of the newest
    CHECK(verdict(20, "2") == "earlier");
    CHECK(verdict(58) == "if-changed");
    CHECK(verdict(-30) == "earlier-window");
}

TEST_CASE("a limit that is in the keys themselves is not missed in the policy") {
    LogDeployment box(kLogSchemes[0]);
    const auto checked = box.run({"config", "check"});
    INFO(checked.out << checked.err);
    CHECK(checked.code == 0);
    CHECK_FALSE(contains(checked.out, "has no limit"));
}

TEST_CASE("without its period no log is called fine") {
    const LogScheme kind{"koa", "limit:", "", false, "limit = 3\n"};
    LogDeployment box(kind);
    for (const int age : {40, 30, 20, 10}) box.put("a", age);
    const auto key = box.key("a");
    CHECK(box.run({"check", key, "--exit-status"}).code == 3);
    for (const std::vector<std::string>& filter :
         {std::vector<std::string>{"--state", "exhausted"}, {"--min-used", "1"}, {"--min-used", "50%"}}) {
        std::vector<std::string> words{"scan", "--policy", "api"};
        words.insert(words.end(), filter.begin(), filter.end());
        const auto result = box.run(words);
        INFO(filter.back() << result.out << result.err);
        CHECK(result.code == 3);
        CHECK(contains(result.err, key));
    }
    const auto explained = box.run({"explain", key}).out;
    INFO(explained);
    CHECK(contains(explained, "It is unknown whether"));
    CHECK(contains(explained, "nothing says how many these are"));
    CHECK(box.run({"check", key, "--exit-status", "--period", "1m"}).code == 1);
}

TEST_CASE("requests are added to a log and its newest given back") {
    for (const auto& kind : kLogSchemes) {
        INFO(kind.scheme);
        LogDeployment box(kind);
        const auto key = box.key("a");
        for (const std::int64_t age : {30, 20}) box.put("a", age);
        box.server().command({"EXPIRE", key, "45"});
        auto row = box.row({"refund", key, "--amount", "1"});
        CHECK(row.at("taken") == 1);
        CHECK(row.at("after_used") == 1);
        CHECK(std::stol(box.server().command({"TTL", key})) <= 45);
        CHECK(row.at("after_reset_at") == row.at("before_reset_at").get<std::int64_t>() - 10);
        const auto dry = box.row({"increment", key, "--amount", "2", "-n"});
        row = box.row({"increment", key, "--amount", "2"});
        CHECK(row.at("after_used") == 3);
        CHECK(dry.at("after_used") == 3);
        CHECK(std::abs(dry.at("after_reset_at").get<std::int64_t>() - row.at("after_reset_at").get<std::int64_t>()) <=
              1);
        CHECK(box.size("a") == "3");
        CHECK(std::stol(box.server().command({"TTL", key})) > 50);
        CHECK(box.row({"refund", key, "--amount", "9"}).at("reason") == "below-zero");
        CHECK(box.row({"increment", key, "--amount", "0"}).at("reason") == "nothing-to-count");
        // The oldest give way where the library has no room for them.
        const bool keeps_all = std::string_view(kind.scheme) == "rolling";
        CHECK(box.row({"increment", key, "--amount", "4", "-n"}).at("after_used") == (keeps_all ? 7 : 5));
        CHECK(box.row({"increment", key, "--amount", "4"}).at("after_used") == (keeps_all ? 7 : 5));
        CHECK(box.row({"check", key}).at("state") == "exhausted");
        CHECK(box.row({"refund", key, "--amount", "9", "--clamp"}).at("status") == "applied");
        CHECK(box.count(key) == "0");
        row = box.row({"increment", key, "--amount", "3"});
        CHECK(row.at("after_used") == 3);
        CHECK(box.size("a") == "3");
        CHECK(box.row({"refund", box.key("none"), "--amount", "1"}).at("reason") == "absent");
    }
}

TEST_CASE("what was done to a log is taken back") {
    for (const auto& kind : kLogSchemes) {
        INFO(kind.scheme);
        LogDeployment box(kind);
        const auto key = box.key("a");
        for (const std::int64_t age : {6, 4, 2}) box.put("a", age);
        const auto stored = box.dump("a");
        CHECK(box.row({"reset", key, "--op-id", "RESET"}).at("status") == "applied");
        CHECK(box.count(key) == "0");
        CHECK(box.rows({"history", "RESET"})[0].at("before_used") == 3);
        CHECK(box.row({"undo", "RESET", "-n"}).at("after_used") == 3);
        CHECK(box.row({"undo", "RESET"}).at("status") == "applied");
        CHECK(box.dump("a") == stored);
        const auto end = box.row({"check", key}).at("reset_at").get<std::int64_t>();
        CHECK(box.run({"increment", key, "--amount", "2", "--op-id", "COUNT"}).code == 0);
        CHECK(box.row({"undo", "COUNT"}).at("after_used") == 3);
        CHECK(box.row({"check", key}).at("reset_at") == end);
        // What is given back and taken back counts no longer than it did, and stands where it stood.
        CHECK(box.run({"refund", key, "--amount", "1", "--op-id", "GIVE"}).code == 0);
        CHECK(box.row({"undo", "GIVE"}).at("after_used") == 3);
        CHECK(box.row({"check", key}).at("reset_at") == end);
        const auto all = box.elements("a");
        CHECK(box.run({"refund", key, "--amount", "3", "--op-id", "ALL"}).code == 0);
        CHECK(box.count(key) == "0");
        CHECK(box.row({"undo", "ALL", "-n"}).at("after_reset_at") == end);
        CHECK(box.row({"undo", "ALL"}).at("after_used") == 3);
        CHECK(box.row({"check", key}).at("reset_at") == end);
        CHECK(box.elements("a") == all);
        // Among what came since.
        CHECK(box.run({"refund", key, "--amount", "2", "--op-id", "TWO"}).code == 0);
        CHECK(box.run({"increment", key, "--amount", "1", "--op-id", "SINCE"}).code == 0);
        CHECK(box.row({"undo", "TWO", "-n"}).at("after_used") == 4);
        CHECK(box.row({"undo", "TWO"}).at("after_used") == 4);
        CHECK(box.row({"undo", "SINCE"}).at("after_used") == 3);
        CHECK(box.elements("a") == all);
        // On top of what came since.
        CHECK(box.run({"reset", key, "--op-id", "AWAY"}).code == 0);
        CHECK(box.run({"increment", key, "--amount", "1"}).code == 0);
        CHECK(box.row({"undo", "AWAY"}).at("reason") == "window-there");
        CHECK(box.row({"undo", "AWAY", "--merge", "-n"}).at("after_used") == 4);
        CHECK(box.row({"undo", "AWAY", "--merge"}).at("after_used") == 4);
        // What had to give way does not come back.
        CHECK(box.run({"increment", key, "--amount", "9", "--op-id", "MANY"}).code == 0);
        const bool trims = std::string_view(kind.scheme) != "rolling";
        const auto used = trims ? json() : json(4);
        CHECK(box.row({"undo", "MANY", "-n"}).at("after_used") == used);
        const auto row = box.row({"undo", "MANY"});
        CHECK(row.at("status") == "applied");
        CHECK(row.at("after_used") == used);
        CHECK(box.count(key) == (trims ? "0" : "1"));
    }
}

TEST_CASE("guards and plans of logs hold what was seen") {
    for (const auto& kind : kLogSchemes) {
        INFO(kind.scheme);
        LogDeployment box(kind);
        for (const char* client : {"a", "b"}) {
            for (const std::int64_t age : {30, 25, 20, 15, 10}) box.put(client, age);
        }
        const auto piped = box.run({"scan", "--state", "exhausted", "-o", "ndjson"}).out;
        box.put("b", 5);
        const auto reset = box.rows({"reset", "-", "-y"}, piped);
        REQUIRE(reset.size() == 2);
        for (const auto& row : reset)
            CHECK(row.at("status") == (row.at("key") == box.key("a") ? "applied" : "window-changed"));
        const auto plan = box.box().file("a.plan");
        REQUIRE(box.run({"refund", box.key("b"), "--amount", "2", "--plan", plan}).code == 0);
        CHECK(box.row({"reset", box.key("b"), "--if-used-at-least", "90"}).at("reason") == "used-too-low");
        box.put("b", 1);
        CHECK(box.rows({"apply", plan, "-y"}).at(0).at("status") == "window-changed");
    }
}

TEST_CASE("doctor finds logs that stay and that go too early") {
    for (const auto& kind : kLogSchemes) {
        INFO(kind.scheme);
        LogDeployment box(kind);
        box.put("fine", 5);
        CHECK(box.rows({"doctor"}).empty());
        box.put("stays", 5);
        box.server().command({"PERSIST", box.key("stays")});
        CHECK(box.rows({"doctor"}).at(0).at("class") == "leaked");
        box.server().command({"EXPIRE", box.key("stays"), "20"});
        CHECK(box.rows({"doctor"}).at(0).at("class") == "ttl-short");
        box.server().command({"DEL", box.key("stays")});
        box.put("over", 500);
        box.server().command({"PERSIST", box.key("over")});
        CHECK(box.rows({"doctor"}).at(0).at("class") == "expiry-past");
        CHECK(box.run({"doctor", "--fix", "expiry-past", "-y"}).code != 70);
        CHECK(box.count(box.key("over")) == "0");
        box.server().command({kind.in_list ? "RPUSH" : "HSET", box.key("odd"), "soon", "1"});
        CHECK(box.rows({"doctor"}).at(0).at("class") == "corrupt");
        CHECK(box.row({"refund", box.key("odd"), "--amount", "1"}).at("reason") ==
              (kind.in_list ? "not-an-integer" : "wrong-type"));
    }
}

TEST_CASE("a log without a limit and a period is shown and reset and never counted into") {
    LimiterDeployment box("[[deployments.box.policies]]\nname = \"api\"\nkey = \"limit:{client}\"\nscheme = \"koa\"\n");
    const auto at = std::to_string(seconds_from_now(-5)) + "000000";
    box.server().command({"ZADD", "limit:a", at, at});
    box.server().command({"EXPIRE", "limit:a", "60"});
    const auto row = box.rows({"check", "limit:a"}).at(0);
    CHECK(row.at("state") == "open");
    CHECK(row.at("used").is_null());
    CHECK(row.at("remaining").is_null());
    CHECK(box.rows({"refund", "limit:a", "--amount", "1"}).at(0).at("reason") == "no-rate");
    CHECK(box.rows({"check", "limit:a", "--period", "1m", "--limit", "9"}).at(0).at("remaining") == 8);
    CHECK(box.rows({"reset", "limit:a"}).at(0).at("status") == "applied");
    box.server().command({"EVAL", "for i = 1, 10001 do redis.call('ZADD', 'limit:a', i, i) end", "0"});
    const auto refused = box.run({"reset", "limit:a"});
    INFO(refused.err);
    CHECK(refused.code == 7);
    CHECK(contains(refused.err, "10,000 elements"));
    CHECK(contains(box.run({"explain", "limit:a"}).out, "a sorted set of more than 10,000 elements"));
}

// It was planned, and the replay then refused it.
TEST_CASE("a replay that writes nothing counts no more calls into a list than the replay does") {
    LimiterDeployment box("scheme = \"redis-docs-list\"");
    const std::string line = "ann - - [17/May/2015:10:05:00 +0000] \"GET /\" 200 5\n";
    std::string log;
    for (int i = 0; i < 10'001; ++i) log += line;
    const auto played = [&](const std::string& how, const std::string& lines) {
        return box.run({"replay", "-", "--policy", "core", "--time", "now", how}, lines);
    };
    const auto dry = played("-n", log);
    INFO(dry.err);
    CHECK(dry.code == 9);
    CHECK(contains(dry.err, "10000 counted, 1 refused"));
    box.server().command({"EVAL", "for i = 1, 10000 do redis.call('RPUSH', KEYS[1], 'c') end", "1", "core:ann"});
    box.server().command({"EXPIRE", "core:ann", "1000"});
    CHECK(contains(played("-y", line).err, "10,000 elements"));
}

TEST_CASE("the calls of redis-docs-list are counted like its counter") {
    LimiterDeployment box(
        "[[deployments.box.policies]]\nname = \"ip\"\nkey = \"calls:{client}\"\nscheme = \"redis-docs-list\"\nlimit = "
        "10\n"
        "period = \"1m\"\n");
    for (int i = 0; i < 11; ++i) box.server().command({"RPUSH", "calls:10.0.0.1", "calls:10.0.0.1"});
    box.server().command({"EXPIRE", "calls:10.0.0.1", "60"});
    auto row = box.rows({"check", "calls:10.0.0.1"}).at(0);
    CHECK(row.at("state") == "exhausted");
    CHECK(row.at("used") == 11);
    CHECK(row.at("limit") == 10);
    const auto stored = box.server().command({"DUMP", "calls:10.0.0.1"});
    CHECK(box.rows({"refund", "calls:10.0.0.1", "--amount", "11"}).at(0).at("reason") == "below-one");
    row = box.rows({"refund", "calls:10.0.0.1", "--amount", "11", "--clamp", "--op-id", "GIVE"}).at(0);
    CHECK(row.at("taken") == 10);
    CHECK(box.server().command({"LLEN", "calls:10.0.0.1"}) == "1");
    CHECK(std::stol(box.server().command({"TTL", "calls:10.0.0.1"})) <= 60);
    CHECK(box.rows({"undo", "GIVE"}).at(0).at("after_used") == 11);
    CHECK(box.server().command({"DUMP", "calls:10.0.0.1"}) == stored);
    CHECK(box.rows({"reset", "calls:10.0.0.1", "--op-id", "AWAY"}).at(0).at("before_used") == 11);
    CHECK(box.rows({"undo", "AWAY"}).at(0).at("status") == "applied");
    CHECK(box.server().command({"DUMP", "calls:10.0.0.1"}) == stored);
    row = box.rows({"increment", "calls:10.0.0.2", "--amount", "3"}).at(0);
    CHECK(row.at("after_used") == 3);
    CHECK(box.server().command({"LINDEX", "calls:10.0.0.2", "2"}) == "calls:10.0.0.2");
    CHECK(box.rows({"scan"}).size() == 2);
    box.server().command({"PERSIST", "calls:10.0.0.1"});
    CHECK(box.rows({"check", "calls:10.0.0.1", "--look", "full"}).at(0).at("state") == "leaked");
    CHECK(box.rows({"increment", "calls:10.0.0.1"}).at(0).at("reason") == "no-expiry");
    CHECK(box.rows({"doctor"}).at(0).at("class") == "endless");
}

// The dry run planned what the script then refused.
TEST_CASE("more requests than are stored one by one are refused by a dry run as by the write") {
    const auto outgrow = [](LimiterDeployment& box, const std::string& key, const std::string& first, bool fills) {
        for (const std::vector<std::string>& amounts :
             {std::vector<std::string>{"10001"}, {"9007199254740991"}, {first, "10000"}}) {
            INFO(key << " " << amounts.front());
            for (std::size_t i = 0; i < amounts.size(); ++i) {
                const bool fits = i + 1 < amounts.size() || (amounts.back() == "10000" && !fills);
                const auto dry = box.rows({"increment", key, "--amount", amounts[i], "-n"}).at(0);
                const auto row = box.rows({"increment", key, "--amount", amounts[i]}).at(0);
                CHECK(row.at("status") == (fits ? "applied" : "refused"));
                CHECK(dry.at("status") == (fits ? "planned" : "refused"));
                CHECK(dry.at("reason") == row.at("reason"));
            }
        }
    };
    for (const auto& kind : kLogSchemes) {
        LogDeployment box(kind);
        outgrow(box, box.key("a"), "2", std::string_view(kind.scheme) == "rolling");
        // What does not count any more is cleared away first.
        box.put("b", 90);
        CHECK(box.row({"increment", box.key("b"), "--amount", "10000", "-n"}).at("status") == "planned");
    }
    for (const std::string scheme : {"redis-docs-list", "stripe-concurrent"}) {
        LimiterDeployment box(std::string("[[deployments.box.policies]]\nname = \"ip\"\nkey = \"calls:{client}\"\n") +
                              "scheme = \"" + scheme + "\"\nlimit = 10\nperiod = \"1m\"\n");
        outgrow(box, "calls:a", "2", true);
    }
}
