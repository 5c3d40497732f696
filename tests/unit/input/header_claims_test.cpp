// Headers as people paste them.
#include "input/header_claims.h"

#include "support/catch.h"

namespace ratectl::input {
namespace {

using support::from_epoch;
using support::Seconds;

std::vector<ClaimBlock> read_claims(const std::string& text) {
    StringSource source(text, "standard input");
    HeaderClaims claims(source);
    std::vector<ClaimBlock> all;
    while (auto block = claims.next()) all.push_back(std::move(*block));
    return all;
}

TEST_CASE("A response of curl with a body yields one claim") {
    const auto all = read_claims(
        "HTTP/2 403 \r\ndate: Thu, 01 Jan 2026 00:00:00 GMT\r\ncontent-type: application/json\r\n"
        "x-ratelimit-limit: 5000\r\nx-ratelimit-remaining: 0\r\nx-ratelimit-used: 5003\r\n"
        "x-ratelimit-reset: 1767225600\r\nx-ratelimit-resource: core\r\n\r\n{\"message\": \"no more\"}\n");
    REQUIRE(all.size() == 1);
    CHECK(all[0].line == 2);
    const auto& claim = all[0].claim;
    CHECK(claim.date == from_epoch(1'767'225'600));
    CHECK(claim.limit == 5000);
    CHECK(claim.remaining == 0);
    CHECK(claim.used == 5003);
    CHECK(claim.reset_at == from_epoch(1'767'225'600));
    CHECK(claim.resource == "core");
}

TEST_CASE("Blank lines and status lines part responses and prompts of curl are taken off") {
    const auto all = read_claims(
        "# the first\n< HTTP/1.1 200 OK\n< X-RateLimit-Limit: 10\n< X-RateLimit-Remaining: 3\n<\n\n"
        "Server: x\n\nHTTP/1.1 429 Too Many Requests\nRetry-After: 7\nHTTP/1.1 429 Too Many Requests\nRetry-After: "
        "6\n");
    REQUIRE(all.size() == 3);
    CHECK(all[0].claim.remaining == 3);
    CHECK(all[1].claim.retry_after == Seconds(7));
    CHECK(all[2].claim.retry_after == Seconds(6));
}

TEST_CASE("Both drafts of the IETF are understood and the first of several limits counts") {
    const auto seven =
        read_claims("RateLimit: limit=100, remaining=50, reset=5\nRateLimit-Policy: 100;w=60, 1000;w=3600\n");
    REQUIRE(seven.size() == 1);
    CHECK(seven[0].claim.limit == 100);
    CHECK(seven[0].claim.remaining == 50);
    CHECK(seven[0].claim.reset_in == Seconds(5));
    CHECK(seven[0].claim.period == Seconds(60));
    const auto eight = read_claims(
        "ratelimit-policy: \"3-in,1min\"; q=3; w=60; pk=:MTJj:, \"day\";q=9\nratelimit: \"3-in,1min\"; r=2; t=60, "
        "\"day\";r=1\n");
    REQUIRE(eight.size() == 1);
    CHECK(eight[0].claim.resource == "3-in,1min");
    CHECK(eight[0].claim.limit == 3);
    CHECK(eight[0].claim.remaining == 2);
    CHECK(eight[0].claim.reset_in == Seconds(60));
    CHECK(eight[0].claim.period == Seconds(60));
}

TEST_CASE("A quota that express-rate-limit has named after itself is no resource") {
    const auto claim = [](const std::string& name) {
        return read_claims("ratelimit-policy: \"" + name + "\"; q=3; w=60\nratelimit: \"" + name + "\"; r=2; t=60\n")[0]
            .claim;
    };
    for (const auto* name : {"3-in-1min", "100-in-15min", "5-in-2hrs"}) {
        INFO(name);
        CHECK_FALSE(claim(name).resource);
        CHECK(claim(name).remaining == 2);
    }
    for (const auto* name : {"core", "3-in-", "-in-1min", "3", "3-in-min"}) {
        INFO(name);
        CHECK(claim(name).resource == name);
    }
}

TEST_CASE("A reset may be an epoch second a distance or RFC 3339") {
    CHECK(read_claims("X-RateLimit-Reset: 1767225600\n")[0].claim.reset_at == from_epoch(1'767'225'600));
    CHECK(read_claims("X-Rate-Limit-Reset: 42\n")[0].claim.reset_in == Seconds(42));
    CHECK(read_claims("X-RateLimit-Reset: 2026-01-01T00:00:00.000Z\n")[0].claim.reset_at == from_epoch(1'767'225'600));
    CHECK(read_claims("Retry-After: Thu, 01 Jan 2026 00:00:00 GMT\n")[0].claim.reset_at == from_epoch(1'767'225'600));
}

TEST_CASE("A header that does not say what it should is named with its line") {
    const std::pair<const char*, const char*> bad[] = {
        {"\nX-RateLimit-Limit: many\n", "line 2: x-ratelimit-limit 'many' is not a whole number"},
        {"X-RateLimit-Reset: soon\n", "line 1: x-ratelimit-reset 'soon' is not an epoch second"},
        {"X-RateLimit-Reset: now\n", "x-ratelimit-reset 'now'"},
        {"Date: yesterday\n", "line 1: date 'yesterday' is not a date like"},
        {"Retry-After: -1\n", "retry-after '-1' is not a number of seconds"},
        {"RateLimit: \"core;r=1\n", "a quote is not closed"},
    };
    for (const auto& [text, message] : bad) {
        INFO(text);
        try {
            read_claims(text);
            FAIL("nothing was thrown");
        } catch (const support::Failure& failure) {
            CHECK(failure.error().code == support::ExitCode::local_io);
            CHECK(failure.error().message.find(message) != std::string::npos);
        }
    }
}

TEST_CASE("Text without a rate-limit header yields nothing") {
    CHECK(read_claims("").empty());
    CHECK(read_claims("hello\nDate: Thu, 01 Jan 2026 00:00:00 GMT\nServer: x\n").empty());
}

}  // namespace
}  // namespace ratectl::input
