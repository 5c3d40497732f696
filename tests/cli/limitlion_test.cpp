// LimitLion's throttles on a server: by their policy, and by the knobs that stand above it.
#include "cli/limiter_deployment.h"
#include "support/catch.h"
#include "support/json.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

/// 40 tokens come back every 8 seconds, and a bucket holds 80: throttle(name, rps=5, burst=2, window=8).
class ThrottleDeployment : public LimiterDeployment {
public:
    explicit ThrottleDeployment(const std::string& more = "limit = 40\nperiod = \"8s\"\nburst = 80\n")
        : LimiterDeployment(
              "[[deployments.box.policies]]\nname = \"throttles\"\nkey = \"throttle:{client}\"\n"
              "scheme = \"limitlion\"\n" +
              more) {}

    static std::string key(const std::string& client) { return "throttle:" + client; }
    void put(const std::string& client, const std::string& tokens, std::int64_t refreshed) {
        server().command({"HSET", key(client), "tokens", tokens, "refreshed", std::to_string(refreshed)});
        server().command({"EXPIRE", key(client), "32"});
    }
    void tune(const std::string& client, const std::string& rps, const std::string& burst, const std::string& window) {
        server().command({"HSET", key(client) + ":knobs", "rps", rps, "burst", burst, "window", window});
    }
    json row(const std::vector<std::string>& arguments) { return rows(arguments).at(0); }
    std::string tokens(const std::string& client) { return server().command({"HGET", key(client), "tokens"}); }
};

}  // namespace

TEST_CASE("a throttle says how many tokens are left and when the next one comes") {
    ThrottleDeployment box;
    const auto now = seconds_from_now(0);
    box.put("some", "18.5", now + 20);  // nothing has come back since
    box.put("empty", "-10", now + 20);
    box.put("full", "-10", now - 100);
    box.put("odd", "many", now);
    const auto rows =
        box.rows({"check", box.key("some"), box.key("empty"), box.key("full"), box.key("none"), box.key("odd")});
    const char* const states[] = {"open", "exhausted", "closed", "absent", "corrupt"};
    for (std::size_t i = 0; i < 5; ++i) CHECK(rows.at(i).at("state") == states[i]);
    CHECK(rows[0].at("used") == 62);
    CHECK(rows[0].at("limit") == 80);
    CHECK(rows[0].at("limit_source") == "policy:throttles");
    CHECK(rows[0].at("remaining") == 18.5);
    CHECK(rows[0].at("reset_at") == now + 36);
    CHECK(rows[1].at("used") == 90);
    CHECK(rows[1].at("reset_at") == now + 44);
    CHECK(rows[2].at("remaining") == 80);
    CHECK(contains(box.run({"explain", box.key("empty")}).out, "when one request is let through"));
    const auto told =
        box.run({"headers", box.key("empty"), "--dialect", "retry-after", "--now", std::to_string(now)}).out;
    CHECK(contains(told, "Retry-After: 28"));
}

TEST_CASE("a throttle goes by its knobs as soon as they say so many a second") {
    ThrottleDeployment box;
    const auto now = seconds_from_now(0);
    box.put("a", "44", now + 20);
    box.tune("a", "9", "1", "5");
    auto row = box.row({"check", box.key("a")});
    CHECK(row.at("limit") == 45);
    CHECK(row.at("limit_source") == "stored");
    CHECK(row.at("used") == 1);
    CHECK(row.at("reset_at") == now + 25);
    CHECK(contains(box.run({"explain", box.key("a")}).out, "The limit is 45 at once, as is stored with it."));
    box.server().command({"HDEL", box.key("a") + ":knobs", "rps"});  // without it the others are ignored
    CHECK(box.row({"check", box.key("a")}).at("limit") == 80);
    box.tune("a", "1e-05", "2", "5");
    CHECK(box.row({"check", box.key("a")}).at("limit") == 1);

    // Sweeps take the knobs for no throttle.
    box.tune("idle", "9", "1", "5");
    const auto all = box.rows({"scan"});
    CHECK(all.size() == 1);
    CHECK(all.at(0).at("key") == box.key("a"));
    row = box.row({"check", box.key("idle")});
    CHECK(row.at("state") == "absent");
    CHECK(row.at("limit") == 45);
    CHECK(row.at("remaining") == 45);
    CHECK(box.row({"increment", box.key("idle"), "--amount", "50"}).at("after_used") == 50);
    CHECK(box.tokens("idle") == "-5");
    CHECK(box.server().command({"TTL", box.key("idle")}) == "10");
}

// The throttle was shown as an absent window.
TEST_CASE("knobs alone are no window in a dump file either") {
    ThrottleDeployment box;
    box.tune("7", "9", "1", "5");
    const auto dump = box.server().folder() + "/dump.rdb";
    box.server().command({"SAVE"});
    for (const char* depth : {"light", "full"}) {
        const auto alone = box.run({"scan", "--rdb", dump, "-o", "name", "--look", depth});
        INFO(alone.err);
        CHECK(alone.out.empty());
        CHECK(alone.code == 0);
    }
    box.put("8", "9", seconds_from_now(0));
    box.server().command({"SAVE"});
    const auto with_bucket = box.run({"scan", "--rdb", dump, "-o", "name"});
    CHECK(with_bucket.out.empty());
    CHECK(with_bucket.code == 9);
    CHECK(contains(with_bucket.err, "1 window is left out"));
}

TEST_CASE("a throttle is stopped or let run by its knobs") {
    ThrottleDeployment box;
    const auto now = seconds_from_now(0);
    box.put("a", "30", now + 20);
    for (const auto* rps : {"0", "-2"}) {
        box.tune("a", rps, "1", "5");
        const auto row = box.row({"check", box.key("a")});
        CHECK(row.at("state") == "exhausted");
        CHECK(row.at("limit") == 0);
        CHECK(row.at("remaining") == 0);
        CHECK(row.at("reset_at").is_null());
        CHECK(contains(box.run({"explain", box.key("a")}).out, "is limited at all times: its limit is 0"));
        CHECK(box.run({"check", box.key("a"), "--exit-status"}).code == 1);
    }
    CHECK(box.row({"increment", box.key("a")}).at("reason") == "not-counted");
    box.tune("a", "2", "0", "5");  // without a capacity none passes, either
    CHECK(box.row({"check", box.key("a")}).at("limit") == 0);
    box.tune("a", "2", "1", "0");
    CHECK(box.row({"check", box.key("a")}).at("limit") == 0);
    box.tune("a", "-1", "1", "5");
    const auto row = box.row({"check", box.key("a")});
    CHECK(row.at("limit").is_null());
    CHECK(row.at("limit_source") == "stored");
    CHECK(row.at("state") == "closed");
    CHECK(box.run({"check", box.key("a"), "--exit-status"}).code == 0);
    const auto told = box.run({"explain", box.key("a")}).out;
    INFO(told);
    CHECK(contains(told, "Nothing limits it, as is stored beside it."));
    CHECK(box.row({"reset", box.key("a")}).at("status") == "applied");
}

TEST_CASE("knobs by which every call of a throttle fails are told") {
    ThrottleDeployment box;
    box.put("a", "30", seconds_from_now(0));
    box.server().command({"HSET", box.key("a") + ":knobs", "rps", "7"});
    CHECK(box.row({"check", box.key("a")}).at("state") == "corrupt");
    const auto found = box.rows({"doctor"});
    REQUIRE(found.size() == 1);
    CHECK(found[0].at("class") == "corrupt");
    CHECK(contains(found[0].dump(), "the knobs' burst is missing, so every call of the limiter fails"));
    CHECK(box.row({"increment", box.key("a")}).at("reason") == "not-an-integer");
    box.tune("a", "7", "twice", "5");
    CHECK(contains(box.rows({"doctor"}).at(0).dump(), "the knobs' burst is no number"));
    box.tune("a", "7", "2", "5");
    CHECK(box.rows({"doctor"}).empty());
    box.server().command({"PERSIST", box.key("a")});
    CHECK(box.rows({"doctor"}).at(0).at("class") == "leaked");
}

TEST_CASE("tokens of a throttle are taken and given back and a reset leaves the knobs") {
    ThrottleDeployment box;
    const auto now = seconds_from_now(0);
    const auto key = box.key("a");
    box.put("a", "44", now + 20);
    box.tune("a", "9", "1", "5");
    box.server().command({"EXPIRE", key + ":knobs", "604800"});
    auto row = box.row({"increment", key, "--amount", "20", "-n"});
    CHECK(row.at("status") == "planned");
    row = box.row({"increment", key, "--amount", "20"});
    CHECK(row.at("before_used") == 1);
    CHECK(row.at("after_used") == 21);
    CHECK(box.tokens("a") == "24");
    CHECK(box.server().command({"TTL", key}) == "10");
    box.server().command({"EXPIRE", key, "27"});
    row = box.row({"refund", key, "--amount", "5"});
    CHECK(row.at("after_used") == 16);
    CHECK(box.tokens("a") == "29");
    CHECK(std::stol(box.server().command({"TTL", key})) >= 25);
    CHECK(box.row({"refund", key, "--amount", "499"}).at("reason") == "below-zero");
    const auto expires = box.expires(key);
    const auto seen = box.run({"check", key, "-o", "ndjson"}).out;
    CHECK(box.row({"reset", key, "--op-id", "GONE"}).at("status") == "applied");
    CHECK(box.count(key) == "0");
    CHECK(box.count(key + ":knobs") == "1");
    box.server().command({"HSET", key + ":knobs", "burst", "2"});
    CHECK(box.row({"undo", "GONE"}).at("status") == "applied");
    CHECK(box.tokens("a") == "29");
    CHECK(box.expires(key) == expires);
    CHECK(box.server().command({"HGET", key + ":knobs", "burst"}) == "2");
    // The row was that of another limit.
    CHECK(box.rows({"reset", "-", "--input", "ndjson"}, seen).at(0).at("reason") == "window-changed");
    row = box.row({"refund", key, "--amount", "499", "--clamp"});
    CHECK(row.at("status") == "applied");
    CHECK(box.count(key) == "0");
    CHECK(box.count(key + ":knobs") == "1");
}

TEST_CASE("a throttle of which nothing says how it is filled is told and reset and never counted into") {
    ThrottleDeployment box("");
    box.put("a", "30", seconds_from_now(20));
    const auto row = box.row({"check", box.key("a")});
    CHECK(row.at("state") == "open");
    CHECK(row.at("used").is_null());
    CHECK(box.row({"refund", box.key("a"), "--amount", "1"}).at("reason") == "no-rate");
    box.tune("a", "9", "1", "5");
    CHECK(box.row({"refund", box.key("a"), "--amount", "1"}).at("taken") == 1);
    CHECK(box.row({"reset", box.key("a")}).at("status") == "applied");
}

TEST_CASE("a throttle whose knobs are broken shows no packed state as its use") {
    ThrottleDeployment box;
    box.put("a", "3", seconds_from_now(0));
    box.server().command({"HSET", box.key("a") + ":knobs", "rps", "7"});
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"increment", box.key("a"), "-n"}, {"reset", box.key("a"), "-n"}}) {
        const auto told = box.run(words).out;
        INFO(told);
        CHECK_FALSE(contains(told, ":310:"));
        CHECK_FALSE(contains(told, "1:7"));
        CHECK(contains(told, "something"));
    }
}

TEST_CASE("a throttle that its knobs stop says what would change that") {
    ThrottleDeployment box;
    const auto key = box.key("a");
    box.put("a", "3", seconds_from_now(0));
    box.tune("a", "0", "1", "5");
    box.server().command({"PERSIST", key});
    const auto told = box.run({"explain", key}).out;
    INFO(told);
    CHECK_FALSE(contains(told, "half"));
    CHECK_FALSE(contains(told, "policy another limit"));
    CHECK(contains(told, "turn its knobs, which stand above its policy's limit, with `ratectl knobs set a KNOB=N`"));
    CHECK(contains(told, "`ratectl knobs unset a`"));
    CHECK(contains(box.run({"explain", key, "--redact"}).out, "`ratectl knobs set NAME KNOB=N`"));
    CHECK(box.rows({"doctor"}).at(0).at("class") == "leaked");
}

TEST_CASE("headers of a throttle name the window of its knobs") {
    ThrottleDeployment box;
    box.put("a", "3.5", seconds_from_now(0));
    box.tune("a", "1.5", "1.5", "3");
    const auto told = box.run({"headers", box.key("a"), "--dialect", "draft-8"}).out;
    INFO(told);
    CHECK(contains(told, "q=7;w=3"));
}
