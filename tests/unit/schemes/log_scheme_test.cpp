// Logs without a server: what the libraries had stored when they said how many requests were left.
#include "domain/diagnosis/finding.h"
#include "schemes/book.h"
#include "schemes/packed.h"
#include "support/catch.h"

namespace ratectl::test {
namespace {

using domain::WindowState;
using support::from_epoch;

const schemes::Scheme& log_called(const char* name, std::optional<std::int64_t> limit,
                                  std::optional<std::int64_t> seconds, const char* key = "k") {
    std::vector<domain::Policy> policies(1);
    policies[0].name = "api";
    policies[0].key = support::value_or_throw(domain::KeyTemplate::parse(key));
    policies[0].limit = limit;
    if (seconds) policies[0].period = support::Seconds{*seconds};
    return schemes::scheme_of(schemes::scheme_of({name, ""}, policies).of(key));
}

std::string packed_list(std::initializer_list<const char*> elements) {
    std::string all;
    for (const char* one : elements) schemes::append_packed(all, one);
    return all;
}

/// The server's clock is another one.
domain::WindowLook look_at_log(const schemes::Scheme& scheme, std::string state, std::int64_t now_ms,
                               const char* key = "k") {
    auto look = scheme.look_at(key, {{}, {}, {}, std::move(state)});
    look.server_ms = now_ms - 7777;
    return look;
}

domain::Window judged_log(const schemes::Scheme& scheme, std::string state, std::int64_t now_ms, std::int64_t limit,
                          const char* key = "k") {
    const support::WallTime now{support::Milliseconds{now_ms}};
    return scheme.judge(look_at_log(scheme, std::move(state), now_ms, key), now, limit);
}

TEST_CASE("What is left by a log is what its library said") {
    // 5/minute, 7 hits: two were refused, and remaining was 0.
    constexpr const char* key = "LIMITS:LIMITER/mw/u1/5/1/minute";
    const auto& moving = log_called("limits-moving", {}, {}, key);
    const auto moments = packed_list(
        {"1795246764.3420954", "1795246764.3315277", "1795246764.3209581", "1795246764.3103848", "1795246764.2998722"});
    const auto window = judged_log(moving, moments, 1'795'246'764'445, 5, key);
    CHECK(window.state == WindowState::exhausted);
    CHECK(window.used == 5);
    CHECK(window.remaining == 0);
    CHECK(window.reset_at == from_epoch(1'795'246'825));
    CHECK(window.passes_at == from_epoch(1'795'246'825));
    CHECK(moving.quota_in(key)->limit == 5);
    // The first of them is free again.
    CHECK(judged_log(moving, moments, 1'795'246'824'305, 5, key).remaining == 1);
    CHECK(judged_log(moving, moments, 1'795'246'825'000, 5, key).state == WindowState::closed);

    std::string set;
    for (const char* at : {"1795246842972961", "1795246842978888", "1795246842983819"}) {
        schemes::append_packed(set, at);
        schemes::append_packed(set, {});
    }
    CHECK(judged_log(log_called("koa", 3, 60), set, 1'795'246'843'061, 3).state == WindowState::exhausted);
    CHECK(judged_log(log_called("koa", 3, 60), set, 1'795'246'902'972, 3).remaining == 0);
    CHECK(judged_log(log_called("koa", 3, 60), set, 1'795'246'902'973, 3).remaining == 1);
    const auto rolled = judged_log(log_called("rolling", 3, 60), set, 1'795'246'843'173, 2);
    CHECK(rolled.used == 3);
    CHECK(rolled.remaining == 0);
    CHECK(rolled.passes_at == from_epoch(1'795'246'903));
}

TEST_CASE("Of a list that is longer than the limit Discourse asks the oldest") {
    const auto& scheme = log_called("discourse", 3, 60);
    const auto judged_at = [&](std::int64_t now) {
        return judged_log(scheme, packed_list({"1000", "999", "998", "930"}), now * 1000, 3);
    };
    CHECK(judged_at(990).state == WindowState::exhausted);
    CHECK(judged_at(990).passes_at == from_epoch(991));
    CHECK(judged_at(991).remaining == 1);  // and then it is trimmed
    CHECK(judged_at(1000).reset_at == from_epoch(1061));
    CHECK(judged_at(1060).state == WindowState::open);
    CHECK(judged_at(1061).state == WindowState::closed);
}

TEST_CASE("What is no log is corrupt and nothing makes a look at it fail") {
    for (const char* name : {"limits-moving", "discourse", "koa", "rolling"}) {
        INFO(name);
        const auto& scheme = log_called(name, 3, 60);
        for (const char* element : {"", "soon", "-5", "1e9", ".5", "5.", "nan", "inf", "99999999999999999999", "7 "}) {
            INFO(element);
            std::string state = packed_list({element});
            if (scheme.parts().front().type == "zset") state += "1:x";
            const auto look = look_at_log(scheme, state, 1000);
            CHECK(scheme.judge(look, from_epoch(1), 3).state == WindowState::corrupt);
            CHECK(scheme.corruption(look) == "what is stored is no log");
        }
        CHECK(judged_log(scheme, "", 1000, 3).state == WindowState::corrupt);
        CHECK(judged_log(scheme, "no packed text", 1000, 3).state == WindowState::corrupt);
        domain::WindowLook look = look_at_log(scheme, "", 1000);
        look.parts.front() = {{}, "a list of more than 10,000 elements", 1000, {}};
        CHECK(scheme.corruption(look) == "the key is a list of more than 10,000 elements");
    }
}

TEST_CASE("A log without a period is open and how many it counts is unknown") {
    const auto& bare = schemes::scheme_of({"discourse", ""});
    const auto window = judged_log(bare, packed_list({"1000"}), 5'000'000, 3);
    CHECK(window.state == WindowState::open);
    CHECK_FALSE(window.used);
    CHECK_FALSE(window.remaining);
    CHECK(judged_log(log_called("rolling", {}, 60), packed_list({"1000000", "a"}), 5'000, 0).used == 1);
}

TEST_CASE("A dry run knows what requests make of a log") {
    const auto& scheme = log_called("discourse", 3, 60);
    const auto look = look_at_log(scheme, packed_list({"1000", "998"}), 1'005'000);
    const auto now = from_epoch(1005);
    CHECK(scheme.foreseen(look, now, 5).used == "3");
    CHECK(scheme.foreseen(look, now, 5).reset_at == "1066");
    CHECK(scheme.foreseen(look, now, -1).used == "1");
    CHECK(scheme.foreseen(look, now, -1).reset_at == "1059");
    CHECK_FALSE(scheme.foreseen(look, now, -2).used);
    CHECK(scheme.next_end("k", now, {}) == from_epoch(1066));
}

TEST_CASE("A list of calls is a counter that lets one more through") {
    const auto& scheme = schemes::scheme_of({"redis-docs-list", ""});
    const auto judged_at = [&](int calls, std::int64_t now) {
        auto look = scheme.look_at("k", {std::to_string(calls), {}, {}});
        look.parts.front().expires_at_ms = 1'795'247'156'421;
        return scheme.judge(look, from_epoch(now), 10);
    };
    CHECK(judged_at(10, 1'795'247'155).state == WindowState::open);
    CHECK(judged_at(11, 1'795'247'155).state == WindowState::exhausted);
    CHECK(judged_at(11, 1'795'247'155).used == 11);
    CHECK(judged_at(11, 1'795'247'155).limit == 10);
    CHECK(judged_at(11, 1'795'247'155).reset_at == from_epoch(1'795'247'156));
    CHECK(judged_at(11, 1'795'247'157).state == WindowState::closed);
    auto endless = scheme.look_at("k", {{}, {}, {}, "4:soon1:x"});
    CHECK(scheme.judge(endless, from_epoch(5), 2).state == WindowState::leaked);
    CHECK(scheme.words_of(endless, from_epoch(5)) == "2 used, and it never ends");
    CHECK(scheme.stored(endless, domain::kWhenever) == domain::StoredWindow{"2", {}, {}, "4:soon1:x"});
    endless.parts.front() = {{}, "string", 1000, {}};
    CHECK(scheme.corruption(endless) == "the list's type is string");
}

}  // namespace
}  // namespace ratectl::test
