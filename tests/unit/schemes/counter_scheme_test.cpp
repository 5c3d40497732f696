// The counter scheme without a server: what it asks, what it makes of answers, and what a look means.
#include "domain/diagnosis/finding.h"
#include "schemes/book.h"
#include "schemes/counter/buckets.h"
#include "support/catch.h"
#include "support/fake_channel.h"

namespace ratectl::test {
namespace {

using domain::LookDepth;
using domain::WindowState;
using redis::Reply;
using support::from_epoch;

const schemes::Scheme& scheme_called(const char* name) { return schemes::scheme_of({name, ""}); }

std::vector<Command> asked(int major, LookDepth depth = LookDepth::full) {
    redis::ServerFacts facts;
    facts.version = domain::ServerVersion{major, 0, 0, false};
    redis::Request request;
    const std::vector<std::string> keys{"a"};
    scheme_called("counter").ask_looks(request, keys, depth, facts);
    CHECK(scheme_called("counter").look_replies(keys, depth, facts) == request.commands());
    return commands_of(request);
}

/// Of one key, the replies of one transaction.
schemes::Scheme::Look decoded(Reply executed) {
    const std::vector<std::string> keys{"a"};
    std::vector<Reply> replies{text("OK"), text("QUEUED"), text("QUEUED"), text("QUEUED"), text("QUEUED")};
    replies.push_back(std::move(executed));
    return scheme_called("counter").decode_looks(keys, replies, LookDepth::full).at(0);
}

domain::WindowLook look_at(const char* name, const char* used, std::optional<std::int64_t> expires_at_ms) {
    auto look = scheme_called(name).look_at("a", {used, {}, {}});
    look.parts.at(0).expires_at_ms = expires_at_ms;
    return look;
}

TEST_CASE("A look at a counter is one transaction, which asks old servers for the time") {
    CHECK(
        asked(7) ==
        std::vector<Command>{
            {"MULTI"}, {"TYPE", "a"}, {"GETRANGE", "a", "0", "65536"}, {"PTTL", "a"}, {"PEXPIRETIME", "a"}, {"EXEC"}});
    CHECK(asked(6).at(4) == Command{"TIME"});
    CHECK(asked(7, LookDepth::light) ==
          std::vector<Command>{{"MULTI"}, {"GETRANGE", "a", "0", "65536"}, {"PEXPIRETIME", "a"}, {"EXEC"}});
    CHECK(asked(6, LookDepth::light) ==
          std::vector<Command>{{"MULTI"}, {"GETRANGE", "a", "0", "65536"}, {"PTTL", "a"}, {"TIME"}, {"EXEC"}});
}

TEST_CASE("A light look at counters is one transaction of all of them") {
    const std::vector<std::string> keys{"a", "none", "list", "endless"};
    const auto light = [&](Reply executed) {
        std::vector<Reply> replies(10, text("QUEUED"));
        replies.back() = std::move(executed);
        return scheme_called("counter").decode_looks(keys, replies, LookDepth::light);
    };
    const auto wrong = error("WRONGTYPE Operation against a key holding the wrong kind of value");
    const auto seven = light(array(
        {text("5"), integer(1'000'900), text(""), integer(-2), wrong, integer(2'000'000), text("7"), integer(-1)}));
    const auto six = light(array({text("5"), integer(900), text(""), integer(-2), wrong, integer(1'000'000), text("7"),
                                  integer(-1), array({text("1000"), text("0")})}));
    for (const auto& looks : {seven, six}) {
        REQUIRE(looks.size() == 4);
        for (const auto& look : looks) REQUIRE(look.has_value());
        CHECK(looks[0]->parts.at(0).expires_at_ms == 1'000'900);
        CHECK(judge(*looks[0], from_epoch(1000), 10).state == WindowState::open);
        CHECK(is_absent(*looks[1]));
        CHECK(judge(*looks[2], from_epoch(1000), 10).state == WindowState::corrupt);
        CHECK(judge(*looks[3], from_epoch(1000), 10).state == WindowState::leaked);
    }
    for (const auto& odd :
         {nil(), text("OK"), array({}), array({text("5"), integer(1)}),
          array({text("5"), nil(), text(""), integer(-2), wrong, integer(1), text("7"), integer(-1)}),
          array({text("5"), integer(900), text(""), integer(-2), wrong, integer(1), text("7"), integer(-1), nil()})}) {
        for (const auto& look : light(odd)) CHECK_FALSE(look.has_value());
    }
}

TEST_CASE("A counter's window ends in the last second before its key expires, whoever says when") {
    const auto seven = decoded(array({text("string"), text("5"), integer(900), integer(1'000'900)}));
    REQUIRE(seven.has_value());
    const auto six = decoded(array({text("string"), text("5"), integer(900), array({text("1000"), text("0")})}));
    REQUIRE(six.has_value());
    CHECK(six->parts.at(0).expires_at_ms == 1'000'900);
    for (const auto& look : {*seven, *six}) {
        const auto window = judge(look, from_epoch(1000), 10);
        CHECK(window.state == WindowState::open);
        CHECK(window.reset_at == from_epoch(1000));
        CHECK(judge(look, from_epoch(1001), 10).state == WindowState::closed);
    }
    CHECK(judge(look_at("counter", "5", 1'001'000), from_epoch(1000), 10).reset_at == from_epoch(1000));
    CHECK(judge(look_at("counter", "5", 1'001'001), from_epoch(1000), 10).reset_at == from_epoch(1001));
}

TEST_CASE("Whatever answers a look at a counter is a look or an error") {
    const auto none = decoded(array({text("none"), nil(), integer(-2), integer(-2)}));
    REQUIRE(none.has_value());
    CHECK(is_absent(*none));
    const auto list = decoded(array({text("list"), error("WRONGTYPE"), integer(-1), integer(-1)}));
    REQUIRE(list.has_value());
    CHECK(judge(*list, from_epoch(1000), 10).state == WindowState::corrupt);
    for (const auto& odd : {nil(), text("OK"), array({}), array({text("string"), text("5"), text("900"), integer(1)}),
                            array({text("string"), text("5"), integer(900), array({text("x"), text("0")})}),
                            array({text("string"), text("5"), integer(900), nil()})}) {
        CHECK_FALSE(decoded(odd).has_value());
    }
}

TEST_CASE("A counter without a TTL counts for good unless its limiter begins anew") {
    const auto for_good = judge(look_at("fastify", "12", std::nullopt), from_epoch(1000), 10);
    CHECK(for_good.state == WindowState::leaked);
    CHECK(for_good.exhausted);
    CHECK(for_good.remaining == 0);
    CHECK_FALSE(for_good.reset_at.has_value());
    const auto anew = judge(look_at("express", "12", std::nullopt), from_epoch(1000), 10);
    CHECK(anew.state == WindowState::orphan_counter);
    CHECK_FALSE(anew.exhausted);
    CHECK(anew.remaining == 10);
}

TEST_CASE("A limiter that looks before it counts lets one request more through") {
    const auto window = [](const char* used) {
        return judge(look_at("redis-docs-2", used, 2'000'000), from_epoch(1000), 10);
    };
    CHECK_FALSE(window("10").exhausted);
    CHECK(window("10").remaining == 1);
    CHECK(window("11").exhausted);
    CHECK(judge(look_at("close-v1", "10", 2'000'000), from_epoch(1000), 10).exhausted);
}

TEST_CASE("Some limiters write limit and period into their keys") {
    const auto quota = [](const char* name, std::string_view key) -> std::string {
        const auto found = scheme_called(name).quota_in(key);
        return found ? std::to_string(found->limit) + " per " + std::to_string(found->period.count()) : "none";
    };
    CHECK(quota("limits-fixed", "LIMITS:LIMITER/alice/api/100/1/minute") == "100 per 60");
    CHECK(quota("flask-limiter", "LIMITER/10.0.0.1/index/5/2/hour") == "5 per 7200");
    CHECK(quota("flask-limiter", "LIMITER/a/0/1/month") == "0 per 2592000");
    for (const char* odd :
         {"", "minute", "/minute", "1/minute", "LIMITER/a/5/0/minute", "LIMITER/a/5/x/minute", "LIMITER/a/-5/1/minute",
          "LIMITER/a/5/1/minutes", "LIMITER/a/5/1/", "LIMITER/a/5/1000001/second", "///"}) {
        INFO(odd);
        CHECK(quota("limits-fixed", odd) == "none");
    }
    CHECK(quota("express", "LIMITER/a/5/1/minute") == "none");
}

TEST_CASE("What is wrong with a counter is named") {
    domain::Circumstances around;
    around.now = from_epoch(1000);
    const auto first_class = [&around](const domain::WindowLook& look) {
        const auto found = look.limiter->diagnose(look, around);
        return found.empty() ? std::string("sound") : std::string(domain::name_of(found.front().what));
    };
    CHECK(first_class(look_at("fastify", "3", 2'000'000)) == "sound");
    CHECK(first_class(look_at("fastify", "-3", 2'000'000)) == "negative");
    CHECK(first_class(look_at("fastify", "3", std::nullopt)) == "endless");
    CHECK(first_class(look_at("express", "3", std::nullopt)) == "orphan-counter");
    CHECK(first_class(look_at("fastify", "3.5", 2'000'000)) == "corrupt");
    // Where no policy knows the key, it is another program's.
    around.is_ours = false;
    CHECK(first_class(look_at("fastify", "3", std::nullopt)) == "sound");
    CHECK(first_class(look_at("fastify", "abc", std::nullopt)) == "sound");
    CHECK(first_class(look_at("fastify", "-3", 2'000'000)) == "negative");
}

using schemes::counter::BucketNumber;

schemes::counter::Buckets buckets(const char* key, BucketNumber number, std::int64_t period) {
    return {support::value_or_throw(domain::KeyTemplate::parse(key)), number, support::Seconds{period}};
}

TEST_CASE("A window's number says when it ends and which one it is at any moment") {
    const auto end = [](const auto& all, const char* key) {
        const auto found = all.bucket_of(key);
        return found ? support::epoch_seconds(found->last) : -1;
    };
    // rack-attack's own, and what it had set to expire a second after the end.
    const auto rack = buckets("rack::attack:{bucket}:req/ip:{client}", BucketNumber::of_period, 60);
    CHECK(end(rack, "rack::attack:29920781:req/ip:10.1.2.3") == 1'795'246'919);
    CHECK(rack.key_at("rack::attack:0:req/ip:10.1.2.3", from_epoch(1'795'246'918)) ==
          "rack::attack:29920781:req/ip:10.1.2.3");
    CHECK(rack.key_at("rack::attack:0:req/ip:10.1.2.3", from_epoch(1'795'246'920)) ==
          "rack::attack:29920782:req/ip:10.1.2.3");
    CHECK(rack.key_at("another", from_epoch(5)) == "another");
    const auto seconds = buckets("{client}:{bucket}", BucketNumber::of_period, 1);
    CHECK(end(seconds, "2001:db8::1:1795246918") == 1'795'246'918);
    const auto envoy = buckets("edge_remote_address_{client}_{bucket}", BucketNumber::first_second, 3600);
    CHECK(end(envoy, "edge_remote_address_10.0.0.1_1795244400") == 1'795'247'999);
    CHECK(envoy.key_at("edge_remote_address_a_1", from_epoch(1'795'247'999)) == "edge_remote_address_a_1795244400");
    for (const char* odd : {"edge_remote_address_a_", "edge_remote_address_a_99999999999999999999", "x"}) {
        INFO(odd);
        CHECK(end(envoy, odd) == -1);
    }
}

TEST_CASE("Months and years of windows that begin with a millisecond are those of the calendar") {
    const auto month = buckets("ratelimit:{client}:{bucket}:month", BucketNumber::first_millisecond, 30 * 86'400);
    // February 2028, and the March behind it.
    const auto february = month.bucket_of("ratelimit:a:1832976000000:month");
    REQUIRE(february.has_value());
    CHECK(february->first == from_epoch(1'832'976'000));
    CHECK(february->last == from_epoch(1'835'481'599));
    CHECK(month.key_at("ratelimit:a:0:month", from_epoch(1'835'481'599)) == "ratelimit:a:1832976000000:month");
    CHECK(month.key_at("ratelimit:a:0:month", from_epoch(1'835'481'600)) == "ratelimit:a:1835481600000:month");
    const auto year = buckets("ratelimit:{client}:{bucket}:year", BucketNumber::first_millisecond, 365 * 86'400);
    CHECK(year.key_at("ratelimit:a:0:year", from_epoch(1'835'481'600)) == "ratelimit:a:1830297600000:year");
    CHECK(year.bucket_of("ratelimit:a:1830297600000:year").value().last == from_epoch(1'861'919'999));
    const auto minute = buckets("ratelimit:{client}:{bucket}:minute", BucketNumber::first_millisecond, 60);
    CHECK(minute.bucket_of("ratelimit:a:1832976060000:minute").value().last == from_epoch(1'832'976'119));
}

/// The limiter of windows k:{client}:{bucket}.
const schemes::Scheme& numbered(const char* name, std::int64_t period) {
    std::vector<domain::Policy> policies(1);
    policies.front().key = support::value_or_throw(domain::KeyTemplate::parse("k:{client}:{bucket}"));
    policies.front().period = support::Seconds{period};
    return schemes::scheme_of({name, ""}, policies);
}

// A clock that ran ahead leaves such windows: they were open, and kept their clients out.
TEST_CASE("A window whose number is that of a time to come is not open before") {
    const auto look = numbered("gitlab", 3600).look_at("k:a:2", {"50", {}, {}});
    for (const auto& [now, state] :
         {std::pair{7199, WindowState::closed}, std::pair{7200, WindowState::exhausted},
          std::pair{10'799, WindowState::exhausted}, std::pair{10'800, WindowState::closed}}) {
        INFO(now);
        const auto window = judge(look, from_epoch(now), 10);
        CHECK(window.state == state);
        CHECK(window.exhausted == (state == WindowState::exhausted));
        CHECK(window.remaining == (window.exhausted ? 0 : 10));
        CHECK(open_until(look, from_epoch(now)).has_value() == window.exhausted);
    }
    CHECK(look.limiter->words_of(look, from_epoch(7199)) == "50 used in a window that begins at 1970-01-01T02:00:00Z");
    // What it holds is known all the same.
    CHECK(judge(look, domain::kWhenever, 10).used == 50);
    CHECK(domain::stored_window(look).reset_at == "10799");
}

/// What is found of a counter that expires then, at a moment of both clocks; empty: nothing.
std::string found_at(domain::WindowLook look, std::int64_t now, std::int64_t expires_ms,
                     std::optional<support::Seconds> period) {
    look.depth = LookDepth::full;
    look.parts.at(0).expires_at_ms = expires_ms;
    look.parts.at(0).ttl_ms = expires_ms - now * 1000;
    domain::Circumstances around;
    around.now = from_epoch(now);
    around.server_now = support::WallTime{support::Seconds{now}};
    around.period = period;
    std::string names;
    for (const auto& finding : look.limiter->diagnose(look, around)) names += domain::name_of(finding.what);
    CHECK(look.limiter->looks_sound(look, around) == names.empty());
    return names;
}

TEST_CASE("No limiter's own TTL is a fault of its numbered windows") {
    struct Writer {
        const char* scheme;
        std::int64_t period;
        std::int64_t extra;  // seconds beside the period, or what is left of it
        bool ends_with_window = false;
    };
    constexpr std::int64_t month = 30 * 86'400;
    // As each of them has it: so many seconds from each request on, or from the first.
    for (const auto& [scheme, period, extra, ends_with_window] :
         {Writer{"rack-attack", 60, 1, true}, Writer{"gitlab", 60, 1, true}, Writer{"mastodon", 60, 1, true},
          Writer{"redis-docs-1", 1, 9}, Writer{"upstash-fixed", 60, 0}, Writer{"envoy", 60, 0},
          Writer{"envoy", 60, 299}, Writer{"kong", 60, 0}, Writer{"kong", 60, 0, true}, Writer{"kong", month, 0}}) {
        INFO(scheme << ' ' << period << ' ' << extra);
        const auto& limiter = numbered(scheme, period);
        constexpr std::int64_t begin = 1'767'225'600;  // of January 2026
        const auto last = period == month ? 31 * 86'400 - 1 : period - 1;
        for (const auto hit : {begin, begin + last / 2, begin + last}) {
            const auto look = limiter.look_at(limiter.key_at("k:a:0", from_epoch(hit)), {"5", {}, {}});
            const auto left = extra + (ends_with_window ? begin + period - hit : period);
            const auto expires_ms = (hit + left) * 1000 + 900;
            for (const auto now : {hit, begin + last, begin + last + 2, hit + left})
                CHECK(found_at(look, now, expires_ms, support::Seconds{period}).empty());
        }
    }
}

TEST_CASE("A numbered window's key that expires too early too late or never is named") {
    const auto look = numbered("rack-attack", 60).look_at("k:a:100", {"5", {}, {}});  // 6000 to 6059
    const auto found = [&look](std::int64_t now, std::int64_t expires) {
        return found_at(look, now, expires * 1000, support::Seconds{60});
    };
    CHECK(found(6010, 6061).empty());
    CHECK(found(6010, 6051).empty());
    CHECK(found(6010, 6040) == "ttl-short");
    CHECK(found(6010, 6071).empty());
    CHECK(found(6010, 6080) == "ttl-long");
    CHECK(found(6065, 6080) == "ttl-long");
    CHECK(found(6080, 6090) == "expiry-past");
    CHECK(found(5980, 6061) == "expiry-absurd");
    CHECK(found(5995, 6061).empty());
    auto endless = look;
    endless.parts.at(0).ttl_ms = domain::kNoTtl;
    domain::Circumstances around;
    for (const auto& [now, name] : {std::pair{6010, "leaked"}, std::pair{6080, "expiry-past"}}) {
        around.now = from_epoch(now);
        around.server_now = around.now.exact();
        const auto findings = endless.limiter->diagnose(endless, around);
        REQUIRE(findings.size() == 1);
        CHECK(domain::name_of(findings.front().what) == name);
        CHECK((findings.front().repair() == domain::Repair::none) ==
              (findings.front().what == domain::FindingClass::leaked));
    }
    // A server whose clock is a minute ahead, and a limiter that tells it in how many seconds.
    around.now = from_epoch(6010);
    around.server_now = around.now + support::Seconds{60};
    auto ahead = look;
    ahead.parts.at(0).expires_at_ms = 6'121'000;
    ahead.parts.at(0).ttl_ms = 51'000;
    CHECK(ahead.limiter->looks_sound(ahead, around));
}

TEST_CASE("A counter whose TTL is longer than a period is named unless its limiter may want it so") {
    const auto found = [](const char* scheme, std::int64_t left, std::optional<support::Seconds> period) {
        return found_at(look_at(scheme, "5", 0), 1000, (1000 + left) * 1000, period);
    };
    constexpr support::Seconds minute{60};
    for (const char* scheme : {"counter", "redis-docs-2", "close-v1", "limits-fixed", "flask-limiter", "express"}) {
        INFO(scheme);
        CHECK(found(scheme, 60, minute).empty());
        CHECK(found(scheme, 1, minute).empty());
        CHECK(found(scheme, 80, minute) == "ttl-long");
        CHECK(found(scheme, 90'000, minute) == "expiry-absurd");
        CHECK(found(scheme, 90'000, std::nullopt).empty());
        CHECK(found(scheme, 400'000'000, std::nullopt) == "expiry-absurd");
    }
    // A block, and a backoff; and a numbered window whose numbers no policy explains lives on.
    for (const char* scheme : {"rate-limiter-flexible", "fastify", "envoy"})
        CHECK(found(scheme, 90'000, minute).empty());
}

TEST_CASE("A number that is none on any clock leaves the end to the TTL") {
    const auto& scheme = numbered("gitlab", 3600);
    for (const char* key : {"k:a:007", "k:a:9223372036854775807"}) {
        INFO(key);
        auto look = scheme.look_at(key, {"5", {}, {}});
        look.parts.at(0).expires_at_ms = 2'000'000;
        CHECK(judge(look, from_epoch(1000), 10).reset_at == from_epoch(1999));
        CHECK(judge(look, from_epoch(1000), 10).state == WindowState::open);
    }
}

}  // namespace
}  // namespace ratectl::test
