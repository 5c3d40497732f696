// Limiters whose windows are read, removed and put back, and never counted into.
#include "cli/limiter_deployment.h"
#include "support/catch.h"
#include "support/json.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

std::string big_endian(std::int64_t number, int size) {
    std::string bytes;
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) bytes += static_cast<char>((number >> shift) & 0xff);
    return bytes;
}

/// One bandwidth: so many tokens, and one comes back every second.
std::string bucket4j_state(int format, std::int64_t capacity, std::int64_t tokens, std::int64_t filled_s) {
    constexpr std::int64_t unset = INT64_MIN;
    return big_endian(format, 4) + big_endian(1, 4) + big_endian(1, 4) + big_endian(1, 4) + big_endian(capacity, 8) +
           big_endian(capacity, 8) + big_endian(1'000'000'000, 8) + big_endian(1, 8) + big_endian(0, 1) +
           big_endian(unset, 8) + big_endian(0, 2) + big_endian(3, 4) + big_endian(1, 4) + big_endian(3, 4) +
           big_endian(filled_s * 1'000'000'000, 8) + big_endian(tokens, 8) + big_endian(0, 8) + big_endian(1, 4) +
           big_endian(7, 8) + (format == 2 ? std::string(1, '\0') : std::string());
}

LimiterDeployment read_only(const std::string& scheme) {
    return LimiterDeployment("[[deployments.box.policies]]\nname = \"api\"\nkey = \"api:{client}\"\nscheme = \"" +
                             scheme + "\"\nlimit = 3\nperiod = \"1m\"\n");
}

void check_it_is_not_written(LimiterDeployment& box) {
    const std::string key = "api:a";
    const auto bytes = [&] { return box.server().command({"EVAL", "return redis.call('DUMP', KEYS[1])", "1", key}); };
    const auto before = bytes();
    const auto expires = box.server().command({"PEXPIRETIME", key});
    CHECK(box.rows({"increment", key}).at(0).at("reason") == "read-only");
    const auto refund = box.rows({"refund", key, "--amount", "1"}).at(0).at("reason");
    CHECK((refund == "read-only" || (refund == "no-expiry" && expires == "-1")));
    CHECK(contains(box.run({"increment", key}).err, "`ratectl reset` removes the window"));
    CHECK(bytes() == before);
    const auto rows = box.run({"scan", "-o", "ndjson"}).out;
    const auto planned = box.rows({"reset", key, "-n"}).at(0);
    const auto reset = box.rows({"reset", "-", "--input", "ndjson", "--op-id", "GONE"}, rows).at(0);
    CHECK(reset.at("status") == "applied");
    CHECK(reset.at("before_used").is_number());
    CHECK(reset.at("change") == planned.at("change"));
    CHECK(box.count(key) == "0");
    CHECK(box.rows({"increment", key}).at(0).at("reason") == "read-only");
    CHECK(box.rows({"undo", "GONE"}).at(0).at("status") == "applied");
    CHECK(bytes() == before);
    CHECK(box.server().command({"PEXPIRETIME", key}) == expires);
}

}  // namespace

TEST_CASE("a counter of django-ratelimit is read and its window ends five seconds before the key") {
    auto box = read_only("django-ratelimit");
    const auto now = seconds_from_now(0);
    box.server().command({"SET", "api:a", "3", "EXAT", std::to_string(now + 65)});
    box.server().command({"SET", "api:over", "3", "EXAT", std::to_string(now + 4)});
    box.server().command({"SET", "api:odd", "many", "EX", "65"});
    const auto rows = box.rows({"check", "api:a", "api:over", "api:odd", "api:none"});
    CHECK(rows[0].at("state") == "exhausted");
    CHECK(rows[0].at("used") == 3);
    CHECK(rows[0].at("reset_at") == now + 60);
    CHECK(rows[1].at("state") == "closed");
    CHECK(rows[2].at("state") == "corrupt");
    CHECK(rows[3].at("state") == "absent");
    box.server().command({"DEL", "api:over", "api:odd"});
    check_it_is_not_written(box);
}

TEST_CASE("a span of Laravel's throttle counts from its start to its end") {
    auto box = read_only("laravel-throttle");
    const auto now = seconds_from_now(0);
    const auto put = [&box](const std::string& key, std::int64_t start, std::int64_t end, const std::string& count) {
        box.server().command({"HSET", key, "start", std::to_string(start), "end", std::to_string(end), "count", count});
        box.server().command({"EXPIRE", key, "120"});
    };
    put("api:a", now - 1, now + 60, "2");
    put("api:over", now - 61, now - 1, "2");
    put("api:odd", now - 1, now + 60, "many");
    const auto rows = box.rows({"check", "api:a", "api:over", "api:odd"});
    CHECK(rows[0].at("state") == "open");
    CHECK(rows[0].at("used") == 2);
    CHECK(rows[0].at("remaining") == 1);
    CHECK(rows[0].at("reset_at") == now + 61);
    CHECK(rows[1].at("state") == "closed");
    CHECK(rows[2].at("state") == "corrupt");
    box.server().command({"DEL", "api:over", "api:odd"});
    check_it_is_not_written(box);
}

TEST_CASE("a place of Laravel's funnel is taken as long as its key is there") {
    auto box = read_only("laravel-funnel");
    const auto now = seconds_from_now(0);
    box.server().command({"SET", "api:a", "DbEm0JPaiLqXx0ZMDJRa", "EXAT", std::to_string(now + 60)});
    const auto row = box.rows({"check", "api:a"}).at(0);
    CHECK(row.at("state") == "exhausted");
    CHECK(row.at("used") == 1);
    CHECK(row.at("limit") == 1);
    CHECK(row.at("limit_source") == "stored");
    CHECK(row.at("reset_at") == now + 60);
    check_it_is_not_written(box);
}

TEST_CASE("a key of another's limiter that never expires is said to be endless") {
    for (const auto& [scheme, value] : {std::pair{"laravel-funnel", "x"}, std::pair{"django-ratelimit", "3"}}) {
        INFO(scheme);
        auto box = read_only(scheme);
        box.server().command({"SET", "api:a", value});
        const auto row = box.rows({"check", "api:a"}).at(0);
        CHECK(row.at("state") == "leaked");
        CHECK(row.at("reset_at").is_null());
        CHECK(row.at("limited") == true);
        CHECK(contains(box.run({"explain", "api:a"}).out, "nothing ends its window"));
        CHECK(box.run({"headers", "api:a", "--dialect", "retry-after"}).out.empty());
        CHECK(box.rows({"doctor"}).at(0).at("class") == "endless");
        check_it_is_not_written(box);
    }
}

TEST_CASE("a window that is only read lets the next request through as soon as it is over") {
    auto box = read_only("django-ratelimit");
    const auto now = seconds_from_now(0);
    box.server().command({"SET", "api:a", "3", "EXAT", std::to_string(now + 65)});
    const auto told = box.rows({"explain", "api:a"}).at(0);
    CHECK(told.at("allowed_from") == now + 60);
    CHECK(contains(told.at("text").get<std::string>(), "when all of it is free again"));
}

TEST_CASE("a state of bucket4j says its capacity and what has come back since") {
    auto box = read_only("bucket4j");
    const auto now = seconds_from_now(0);
    for (const int format : {1, 2}) {
        INFO(format);
        const auto put = [&](const std::string& key, std::int64_t tokens, std::int64_t filled) {
            box.server().command({"SET", key, bucket4j_state(format, 50, tokens, filled), "EX", "1000"});
        };
        put("api:a", 20, now + 20);  // a clock ahead: nothing has come back since
        put("api:empty", -5, now + 20);
        put("api:full", 0, now - 60);
        box.server().command({"SET", "api:odd", bucket4j_state(3, 50, 20, now), "EX", "1000"});
        box.server().command({"SET", "api:cut", bucket4j_state(format, 50, 20, now).substr(0, 80), "EX", "1000"});
        const auto rows = box.rows({"check", "api:a", "api:empty", "api:full", "api:odd", "api:cut"});
        CHECK(rows[0].at("state") == "open");
        CHECK(rows[0].at("used") == 30);
        CHECK(rows[0].at("limit") == 50);
        CHECK(rows[0].at("limit_source") == "stored");
        CHECK(rows[0].at("reset_at") == now + 50);
        CHECK(rows[1].at("state") == "exhausted");
        CHECK(rows[1].at("used") == 55);
        CHECK(rows[2].at("state") == "closed");
        CHECK(rows[3].at("state") == "corrupt");
        CHECK(rows[4].at("state") == "corrupt");
        CHECK(contains(box.run({"explain", "api:empty"}).out, "when one request is let through"));
    }
    box.server().command({"DEL", "api:empty", "api:full", "api:odd", "api:cut"});
    check_it_is_not_written(box);
}

TEST_CASE("objects of Symfony are read with the limit that they store") {
    auto box = read_only("symfony");
    const auto now = seconds_from_now(0);
    const auto window = [now](int hits, std::int64_t began) {
        return "O:43:\"Symfony\\Component\\RateLimiter\\Policy\\Window\":2:{s:1:\"a\";d:" +
               std::to_string(now - began) + ".5;s:8:\"" + big_endian(hits, 4) + big_endian(60, 4) + "\";i:9;}";
    };
    box.server().command({"SET", "api:a", window(4, 10), "EX", "60"});
    box.server().command({"SET", "api:over", window(4, 61), "EX", "60"});
    box.server().command({"SET", "api:odd", window(4, 10) + "}", "EX", "60"});
    const auto rows = box.rows({"check", "api:a", "api:over", "api:odd"});
    CHECK(rows[0].at("used") == 4);
    CHECK(rows[0].at("limit") == 9);
    CHECK(rows[0].at("limit_source") == "stored");
    CHECK(rows[0].at("reset_at") == now + 51);
    CHECK(rows[1].at("state") == "closed");
    CHECK(rows[2].at("state") == "corrupt");
    const auto named = box.run({"identify", "api:a"}).out;
    CHECK(contains(named, "4 of 9 used in the 1m from "));
    box.server().command({"DEL", "api:over", "api:odd"});
    check_it_is_not_written(box);
}
