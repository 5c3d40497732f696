// Limiters that keep a lease for each request that runs, and a bucket that fills in steps.
#include <filesystem>

#include "cli/clock_ahead.h"
#include "cli/limiter_deployment.h"
#include "support/catch.h"
#include "support/json.h"
#include "support/wall_now.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

/// Four at a time, of a client's requests.
class LeaseDeployment : public LimiterDeployment {
public:
    LeaseDeployment()
        : LimiterDeployment(
              "[[deployments.box.policies]]\nname = \"api\"\nkey = \"concurrent_requests_limiter.{client}"
              "\"\nscheme = \"stripe-concurrent\"\nlimit = 4\n") {}

    static std::string key(const std::string& client) { return "concurrent_requests_limiter." + client; }
    /// One that began so many seconds before `now`.
    void put(const std::string& client, std::int64_t age, const std::string& member) {
        server().command({"ZADD", key(client), std::to_string(now - age), member});
    }
    std::string dump(const std::string& client) {
        return server().command(
            {"EVAL", "return redis.call('DUMP', KEYS[1]) .. redis.call('PEXPIRETIME', KEYS[1])", "1", key(client)});
    }
    json row(const std::vector<std::string>& arguments) { return rows(arguments).at(0); }

    const std::int64_t now = seconds_from_now(0);
};

/// 10 tokens come back a minute, and the bucket holds 20.
class StepsDeployment : public LimiterDeployment {
public:
    StepsDeployment()
        : LimiterDeployment(
              "[[deployments.box.policies]]\nname = \"api\"\nkey = \"@upstash/ratelimit:{client}\"\nscheme = "
              "\"upstash-token\"\nlimit = 10\nperiod = \"1m\"\nburst = 20\n") {}

    static std::string key(const std::string& client) { return "@upstash/ratelimit:" + client; }
    void put(const std::string& client, const std::string& tokens, std::int64_t age) {
        server().command(
            {"HSET", key(client), "refilledAt", std::to_string((seconds_from_now(0) - age) * 1000), "tokens", tokens});
        server().command({"EXPIRE", key(client), "120"});
    }
    json row(const std::vector<std::string>& arguments) { return rows(arguments).at(0); }
};

}  // namespace

TEST_CASE("leases say how many run and when the next one is over") {
    LeaseDeployment box;
    const auto now = std::to_string(box.now);
    box.put("some", 10, "aaaa");
    box.put("some", 80, "lost");
    for (const std::int64_t age : {50, 40, 30, 20}) box.put("all", age, "m" + std::to_string(age));
    box.put("idle", 100, "lost");
    box.server().command({"SET", box.key("odd"), "3"});
    const auto rows = box.rows(
        {"check", box.key("some"), box.key("all"), box.key("idle"), box.key("odd"), box.key("none"), "--now", now});
    const char* const states[] = {"open", "exhausted", "closed", "corrupt", "absent"};
    for (std::size_t i = 0; i < 5; ++i) CHECK(rows.at(i).at("state") == states[i]);
    CHECK(rows[0].at("used") == 1);
    CHECK(rows[0].at("limit") == 4);
    CHECK(rows[0].at("remaining") == 3);
    CHECK(rows[0].at("reset_at") == box.now + 50);
    CHECK(rows[0].at("reset_kind") == "computed");
    CHECK(rows[1].at("limited") == true);
    CHECK(rows[4].at("remaining") == 4);
    CHECK(box.rows({"scan"}).size() == 4);
    CHECK(box.row({"client", "all", "--now", now}).at("used") == 4);
    const auto told = box.run({"explain", box.key("all"), "--now", now}).out;
    INFO(told);
    CHECK(contains(told, "The limit is 4 at a time, of policy 'api'"));
    CHECK_FALSE(contains(told, "missing-ttl"));
    CHECK_FALSE(contains(told, "doctor"));
    CHECK(contains(told, "when one request is let through"));
    const auto after = box.run({"headers", box.key("all"), "--dialect", "retry-after", "--now", now}).out;
    CHECK(contains(after, "Retry-After: 10"));
}

TEST_CASE("leases are taken and given back and a set is taken away and put back") {
    LeaseDeployment box;
    box.put("a", 30, "aaaa");
    box.put("a", 20, "bbbb");
    box.put("a", 90, "lost");
    auto row = box.row({"increment", box.key("a"), "--amount", "2", "--op-id", "TAKE"});
    CHECK(row.at("before_used") == 2);
    CHECK(row.at("after_used") == 4);
    CHECK(box.row({"increment", box.key("a"), "--amount", "2", "--op-id", "TAKE"}).at("status") == "already-applied");
    CHECK(box.server().command({"ZCARD", box.key("a")}) == "4");
    CHECK(box.row({"refund", box.key("a"), "--amount", "2"}).at("after_used") == 2);
    CHECK(box.server().command({"ZSCORE", box.key("a"), "aaaa"}) != "");
    CHECK(box.row({"refund", box.key("a"), "--amount", "3"}).at("reason") == "below-zero");
    const auto stored = box.dump("a");
    CHECK(box.row({"reset", box.key("a"), "--op-id", "GONE"}).at("status") == "applied");
    CHECK(box.count(box.key("a")) == "0");
    CHECK(box.row({"undo", "GONE"}).at("status") == "applied");
    CHECK(box.dump("a") == stored);
    row = box.row({"refund", box.key("a"), "--amount", "1"});
    CHECK(row.at("taken") == 1);
    CHECK(box.server().reply({"ZRANGE", box.key("a"), "0", "-1"}).items.at(0).text == "bbbb");
    CHECK(box.row({"refund", box.key("a"), "--amount", "9", "--clamp"}).at("taken") == 1);
    CHECK(box.count(box.key("a")) == "0");
}

TEST_CASE("an undo brings back the very leases that a refund took") {
    LeaseDeployment box;
    for (const std::int64_t age : {50, 40, 30}) box.put("a", age, "m" + std::to_string(age));
    const auto stored = box.dump("a");
    CHECK(box.run({"refund", box.key("a"), "--amount", "1", "--op-id", "ONE"}).code == 0);
    CHECK(box.row({"undo", "ONE"}).at("after_used") == 3);
    CHECK(box.dump("a") == stored);
    CHECK(box.run({"refund", box.key("a"), "--amount", "3", "--op-id", "ALL"}).code == 0);
    box.put("a", 1, "since");
    CHECK(box.row({"undo", "ALL", "-n"}).at("after_used") == 4);
    CHECK(box.row({"undo", "ALL"}).at("after_used") == 4);
    box.server().command({"ZREM", box.key("a"), "since"});
    CHECK(box.dump("a") == stored);
}

TEST_CASE("dry runs, rows and plans of leases hold what was seen") {
    LeaseDeployment box;
    box.put("a", 30, "aaaa");
    box.put("b", 30, "aaaa");
    for (const auto& change : {std::vector<std::string>{"increment", box.key("a"), "--amount", "2"},
                               {"refund", box.key("a"), "--amount", "1"}}) {
        auto dry = change;
        dry.emplace_back("-n");
        const auto said = box.row(dry);
        CHECK(said.at("status") == "planned");
        const auto done = box.row(change);
        CHECK(done.at("after_used") == said.at("after_used"));
        const auto difference = done.at("after_reset_at").is_null() ? 0
                                                                    : done.at("after_reset_at").get<std::int64_t>() -
                                                                          said.at("after_reset_at").get<std::int64_t>();
        CHECK(std::abs(difference) <= 1);
    }
    const auto piped = box.run({"scan", "-o", "ndjson"}).out;
    box.put("b", 5, "newer");
    for (const auto& row : box.rows({"reset", "-", "-y"}, piped))
        CHECK(row.at("status") == (row.at("key") == box.key("a") ? "applied" : "window-changed"));
    const auto plan = box.box().file("b.plan");
    REQUIRE(box.run({"refund", box.key("b"), "--amount", "1", "--plan", plan}).code == 0);
    box.put("b", 4, "newest");
    CHECK(box.rows({"apply", plan, "-y"}).at(0).at("status") == "window-changed");
}

TEST_CASE("doctor leaves leases without a TTL alone and removes those that are all over") {
    LeaseDeployment box;
    box.put("runs", 5, "aaaa");
    CHECK(box.rows({"doctor"}).empty());
    box.put("idle", 500, "lost");
    CHECK(box.rows({"doctor"}).at(0).at("class") == "expiry-past");
    box.run({"doctor", "--fix", "expiry-past", "-y"});
    CHECK(box.count(box.key("idle")) == "0");
    CHECK(box.count(box.key("runs")) == "1");
    box.server().command({"RPUSH", box.key("odd"), "a"});
    box.server().command({"EXPIRE", box.key("odd"), "100"});
    CHECK(box.rows({"doctor"}).at(0).at("class") == "corrupt");
    CHECK(box.row({"refund", box.key("odd"), "--amount", "1"}).at("reason") == "wrong-type");
}

TEST_CASE("a bucket that fills in steps says what is left and when it is full") {
    StepsDeployment box;
    const auto now = seconds_from_now(0);
    box.put("some", "5", 10);
    box.put("stepped", "5", 70);
    box.put("empty", "0", 10);
    box.put("full", "5", 200);
    box.put("odd", "many", 0);
    const auto rows =
        box.rows({"check", box.key("some"), box.key("stepped"), box.key("empty"), box.key("full"), box.key("odd")});
    const char* const states[] = {"open", "open", "exhausted", "closed", "corrupt"};
    for (std::size_t i = 0; i < 5; ++i) CHECK(rows.at(i).at("state") == states[i]);
    CHECK(rows[0].at("used") == 15);
    CHECK(rows[0].at("remaining") == 5);
    CHECK(rows[0].at("reset_at") == now - 10 + 120);
    CHECK(rows[1].at("used") == 5);
    CHECK(rows[2].at("limited") == true);
    const auto told = box.run({"explain", box.key("empty")}).out;
    INFO(told);
    CHECK(contains(told, "when one request is let through"));
    CHECK(contains(told, "The limit is 10 per 1m, 20 at once"));
}

// What is beyond the second would decide: it was taken from the server's clock.
TEST_CASE("a bucket that fills in steps goes by the milliseconds of the application's clock") {
    StepsDeployment box;
    const auto key = box.key("a");
    const auto second = seconds_from_now(0);
    const auto ms = [](std::int64_t at) { return std::to_string(at * 1000); };
    box.server().command({"HSET", key, "refilledAt", ms(second - 60), "tokens", "0"});
    for (const std::int64_t by : {-2, -1, 0, 1, 2})
        CHECK(box.row({"check", key, "--now", std::to_string(second + by)}).at("remaining") == (by < 0 ? 0 : 10));
    CHECK(box.row({"increment", box.key("b"), "--now", std::to_string(second)}).at("status") == "applied");
    CHECK(box.server().command({"HGET", box.key("b"), "refilledAt"}) == ms(second));

    constexpr std::chrono::milliseconds ahead{1300};
    const auto before = wall_now() + ahead;
    CHECK(box.box().run({"increment", box.key("c")}, with_clock_ahead(ahead)).code == 0);
    const auto after = wall_now() + ahead;
    const auto at = std::stoll(box.server().command({"HGET", box.key("c"), "refilledAt"}));
    CHECK(at >= before.time_since_epoch().count());
    CHECK(at <= after.time_since_epoch().count());
}

// Its end is rounded up to a second that is not over. A dry run refused what the server's clock has passed.
TEST_CASE("a bucket that is full again within this second is counted into by a plan as by the change itself") {
    StepsDeployment box;
    const auto key = box.key("a");
    const auto file = box.box().file("plan");
    for (const std::int64_t ago : {0, 100, 100'000}) {
        const auto second = seconds_from_now(-ago);
        const auto now = std::to_string(second);
        box.server().command({"HSET", key, "refilledAt", std::to_string((second - 60) * 1000 - 500), "tokens", "10"});
        CHECK(box.row({"check", key, "--now", now}).at("state") == "closed");
        CHECK(box.row({"increment", key, "--now", now, "-n"}).at("after_used") == 1);
        CHECK(box.run({"increment", key, "--now", now, "--plan", file}).code == 0);
        const auto applied = box.row({"apply", file, "--now", now});
        CHECK(applied.at("status") == "applied");
        CHECK(applied.at("after_used") == 1);
        std::filesystem::remove(file);
    }
}

TEST_CASE("tokens of steps are taken and given back and a bucket is taken away and put back") {
    StepsDeployment box;
    box.put("a", "5", 10);
    const auto key = box.key("a");
    auto said = box.row({"increment", key, "--amount", "3", "-n"});
    auto row = box.row({"increment", key, "--amount", "3", "--op-id", "TAKE"});
    CHECK(row.at("after_used") == 18);
    CHECK(said.at("after_used") == 18);
    CHECK(said.at("after_reset_at") == row.at("after_reset_at"));
    CHECK(box.server().command({"HGET", key, "tokens"}) == "2");
    CHECK(box.row({"undo", "TAKE"}).at("after_used") == 15);
    said = box.row({"refund", key, "--amount", "8", "-n"});
    row = box.row({"refund", key, "--amount", "8"});
    CHECK(row.at("after_used") == 7);
    CHECK(said.at("after_reset_at") == row.at("after_reset_at"));
    CHECK(box.server().command({"HGET", key, "tokens"}) == "13");
    const auto stored = [&] { return box.server().command({"DUMP", key}) + box.expires(key); };
    const auto before = stored();
    CHECK(box.row({"reset", key, "--op-id", "GONE"}).at("status") == "applied");
    CHECK(box.row({"undo", "GONE"}).at("status") == "applied");
    CHECK(stored() == before);
    CHECK(box.row({"refund", key, "--amount", "99", "--clamp"}).at("taken") == 7);
    CHECK(box.count(key) == "0");
    CHECK(box.row({"increment", key, "--amount", "4"}).at("after_used") == 4);
    CHECK(box.server().command({"HGET", key, "tokens"}) == "16");
    box.server().command({"SET", box.key("b"), "3"});
    CHECK(box.row({"increment", box.key("b")}).at("reason") == "wrong-type");
    LimiterDeployment bare(
        "[[deployments.box.policies]]\nname = \"api\"\nkey = \"up:{client}\"\nscheme = \"upstash-token\"\n");
    CHECK(bare.rows({"increment", "up:1"}).at(0).at("reason") == "no-rate");
}
