// Limiters that keep a bucket of tokens for each client.
#include "cli/limiter_deployment.h"
#include "support/catch.h"
#include "support/json.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

/// One token a second comes back, and the bucket holds 500.
class BucketDeployment : public LimiterDeployment {
public:
    explicit BucketDeployment(const char* scheme)
        : LimiterDeployment(std::string("[[deployments.box.policies]]\nname = \"api\"\n") +
                            "key = \"request_rate_limiter.{client}.tokens\"\nscheme = \"" + scheme +
                            "\"\nlimit = 60\nperiod = \"1m\"\nburst = 500\n") {}

    static std::string key(const std::string& client) { return "request_rate_limiter." + client + ".tokens"; }
    static std::string timestamp(const std::string& client) { return "request_rate_limiter." + client + ".timestamp"; }
    /// As the limiter stores it.
    void put(const std::string& client, const std::string& tokens, std::int64_t at) {
        server().command({"SET", key(client), tokens, "EX", "1000"});
        server().command({"SET", timestamp(client), std::to_string(at), "EX", "1000"});
    }
    json row(const std::vector<std::string>& arguments) { return rows(arguments).at(0); }
};

}  // namespace

TEST_CASE("a bucket says how many tokens are left and when the next request passes") {
    for (const auto* scheme : {"stripe", "spring-gateway"}) {
        INFO(scheme);
        BucketDeployment box(scheme);
        const auto now = seconds_from_now(0);
        box.put("some", "450.5", now + 10);  // a clock ahead: nothing has come back since
        box.put("empty", "-5", now + 10);
        box.put("full", "100", now - 400);
        box.server().command({"SET", box.key("alone"), "3", "EX", "1000"});
        box.put("odd", "many", now);
        const auto rows = box.rows({"check", box.key("some"), box.key("empty"), box.key("full"), box.key("alone"),
                                    box.key("none"), box.key("odd")});
        const char* const states[] = {"open", "exhausted", "closed", "closed", "absent", "corrupt"};
        for (std::size_t i = 0; i < 6; ++i) CHECK(rows.at(i).at("state") == states[i]);
        CHECK(rows[0].at("used") == 50);
        CHECK(rows[0].at("limit") == 500);
        CHECK(rows[0].at("remaining") == 450.5);
        CHECK(rows[0].at("reset_at") == now + 60);
        CHECK(rows[1].at("used") == 505);
        CHECK(rows[1].at("remaining") == 0);
        CHECK(rows[2].at("remaining") == 500);
        CHECK(rows[4].at("remaining") == 500);
        CHECK(box.run({"check", box.key("empty"), "--exit-status"}).code == 1);
        const auto told =
            box.run({"headers", box.key("empty"), "--dialect", "retry-after", "--now", std::to_string(now)}).out;
        CHECK(contains(told, "Retry-After: 16"));
        CHECK(contains(box.run({"explain", box.key("empty")}).out, "when one request is let through"));
        CHECK(box.rows({"scan"}).size() == 5);
        CHECK(box.row({"client", "some"}).at("remaining") == 450.5);
    }
}

TEST_CASE("tokens are taken and given back and a bucket is taken away and put back") {
    for (const auto* scheme : {"stripe", "spring-gateway"}) {
        INFO(scheme);
        BucketDeployment box(scheme);
        const auto now = seconds_from_now(0);
        const auto key = box.key("a");
        box.put("a", "100", now + 100);
        auto row = box.row({"refund", key, "--amount", "50"});
        CHECK(row.at("before_used") == 400);
        CHECK(row.at("after_used") == 350);
        CHECK(box.stored(key) == "150");
        CHECK(box.stored(box.timestamp("a")) == std::to_string(now + 100));
        CHECK(std::stol(box.server().command({"TTL", key})) <= 1000);
        row = box.row({"increment", key, "--amount", "20"});
        CHECK(row.at("after_used") == 370);
        CHECK(box.stored(key) == "130");
        CHECK(std::stol(box.stored(box.timestamp("a"))) - now < 5);
        CHECK(box.row({"refund", key, "--amount", "499"}).at("reason") == "below-zero");
        const auto state = box.stored(key) + box.stored(box.timestamp("a")) + box.expires(key);
        row = box.row({"reset", key, "--op-id", "GONE"});
        CHECK(row.at("status") == "applied");
        CHECK(box.count(key) == "0");
        CHECK(box.count(box.timestamp("a")) == "0");
        CHECK(box.row({"undo", "GONE"}).at("status") == "applied");
        CHECK(box.stored(key) + box.stored(box.timestamp("a")) + box.expires(key) == state);
        row = box.row({"refund", key, "--amount", "499", "--clamp"});
        CHECK(row.at("status") == "applied");
        CHECK(box.count(key) == "0");
        row = box.row({"increment", key, "--amount", "7"});
        CHECK(row.at("after_used") == 7);
        CHECK(box.stored(key) == "493");
        CHECK(box.server().command({"TTL", box.timestamp("a")}) == "1000");
    }
}

TEST_CASE("a bucket without a limit is told and reset and never counted into") {
    LimiterDeployment box(
        "[[deployments.box.policies]]\nname = \"api\"\nkey = \"{client}.tokens\"\nscheme = \"stripe\"\n");
    box.server().command({"SET", "b.tokens", "3", "EX", "100"});
    box.server().command({"SET", "b.timestamp", std::to_string(seconds_from_now(0)), "EX", "100"});
    auto row = box.rows({"check", "b.tokens"}).at(0);
    CHECK(row.at("state") == "open");
    CHECK(row.at("used").is_null());
    CHECK(box.rows({"refund", "b.tokens", "--amount", "1"}).at(0).at("reason") == "no-rate");
    CHECK(box.rows({"refund", "b.tokens", "--amount", "1", "--limit", "10", "--period", "1m", "--burst", "20"})
              .at(0)
              .at("taken") == 1);
    CHECK(box.rows({"reset", "b.tokens"}).at(0).at("status") == "applied");
    CHECK(box.count("b.timestamp") == "0");
}

TEST_CASE("a dump file does not show buckets and says so") {
    BucketDeployment box("stripe");
    box.put("a", "100", seconds_from_now(0));
    box.set("core:1", "7", seconds_from_now(60));
    box.server().command({"SET", "core:1:exp", std::to_string(seconds_from_now(60)), "EX", "61"});
    REQUIRE(box.server().command({"SAVE"}) == "OK");
    const auto result = box.run({"scan", "--rdb", box.server().folder() + "/dump.rdb", "-o", "json"});
    INFO(result.out << result.err);
    CHECK(result.code == 9);
    CHECK(contains(result.err, "1 window is left out"));
    CHECK(parse_json(result.out).at("rows").size() == 1);
}

TEST_CASE("identify prints the policy of buckets") {
    BucketDeployment box("stripe");
    box.put("a", "100", seconds_from_now(0));
    auto told = box.run({"identify", box.key("a"), "-o", "json"});
    INFO(told.out);
    CHECK(contains(told.out, "request_rate_limiter.{client}.tokens"));
    box.server().command({"SET", "request_rate_limiter.{orders.al}.tokens", "3", "EX", "9"});
    box.server().command(
        {"SET", "request_rate_limiter.{orders.al}.timestamp", std::to_string(seconds_from_now(0)), "EX", "9"});
    told = box.run({"identify", "request_rate_limiter.{orders.al}.tokens", "-o", "json"});
    CHECK(contains(told.out, "request_rate_limiter.{{orders.{client}}}.tokens"));
}

TEST_CASE("a watch of a bucket goes by what the bucket holds") {
    BucketDeployment box("stripe");
    const auto ahead = seconds_from_now(10);
    const auto exhausts_in = [&](const char* tokens) {
        box.put("a", tokens, ahead);
        const auto line = box.run({"watch", box.key("a"), "--rounds", "1", "-o", "ndjson"}).out;
        INFO(line);
        return parse_json(line.substr(0, line.find('\n'))).at("exhausts_in_ms");
    };
    CHECK(exhausts_in("400").is_null());  // 100 used, and 60 a minute
    CHECK(exhausts_in("0") == 0);
}
