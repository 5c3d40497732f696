// Judging looks.
#include "domain/window.h"

#include <cstdint>
#include <optional>
#include <string>

#include "support/catch.h"
#include "support/window_look.h"
#include "unit/random_source.h"

using namespace ratectl;
using namespace ratectl::domain;
using support::from_epoch;

namespace {

const support::Instant kJudgedAt = from_epoch(1000);

StoredKey half(std::optional<std::string> value, std::optional<std::string> type = {},
               std::optional<std::int64_t> ttl_ms = {}) {
    return {std::move(value), std::move(type), ttl_ms, {}};
}

WindowLook light(std::optional<std::string> counter, std::optional<std::string> expiry) {
    return test::window_look("k", LookDepth::light, half(std::move(counter)), half(std::move(expiry)));
}

WindowLook full(StoredKey counter, StoredKey expiry) {
    return test::window_look("k", LookDepth::full, std::move(counter), std::move(expiry));
}

}  // namespace

TEST_CASE("an open window has used reset and remaining") {
    const Window w = judge(light("7", "1500"), kJudgedAt, 10);
    CHECK(w.state == WindowState::open);
    CHECK(w.used == 7);
    CHECK(w.reset_at == from_epoch(1500));
    CHECK(w.limit == 10);
    CHECK(w.remaining == 3);
    CHECK_FALSE(w.exhausted);
}

TEST_CASE("a window is open through its reset second and closed after it") {
    CHECK(judge(light("7", "1000"), kJudgedAt, 10).state == WindowState::open);
    const Window closed = judge(light("7", "999"), kJudgedAt, 10);
    CHECK(closed.state == WindowState::closed);
    CHECK_FALSE(closed.used);
    CHECK_FALSE(closed.reset_at);
    CHECK(closed.remaining == 10);
    CHECK_FALSE(judge(light("70", "999"), kJudgedAt, 10).exhausted);
}

TEST_CASE("a counter that Laravel carries into the next window counts there unless it has come to the limit") {
    const auto left_of = [](const char* used, const char* scheme) {
        auto look = light(used, std::nullopt);
        look.limiter = &schemes::scheme_of({scheme, ":exp"});
        const Window window = judge(look, kJudgedAt, 10);
        CHECK(window.state == WindowState::orphan_counter);
        CHECK_FALSE(window.exhausted);
        return window.remaining;
    };
    CHECK(left_of("7", "laravel") == 3);
    CHECK(left_of("10", "laravel") == 10);
    CHECK(left_of("7", "window") == 10);
}

TEST_CASE("a window is exhausted from its limit on") {
    CHECK(judge(light("9", "1500"), kJudgedAt, 10).state == WindowState::open);
    CHECK(judge(light("10", "1500"), kJudgedAt, 10).state == WindowState::exhausted);
    const Window over = judge(light("9223372036854775807", "1500"), kJudgedAt, 10);
    CHECK(over.state == WindowState::exhausted);
    CHECK(over.used == INT64_MAX);
    CHECK(over.remaining == 0);
    CHECK(judge(light("0", "1500"), kJudgedAt, 0).state == WindowState::exhausted);
}

TEST_CASE("without a limit a window is open and nothing about it is guessed") {
    const Window w = judge(light("9999", "1500"), kJudgedAt, {});
    CHECK(w.state == WindowState::open);
    CHECK_FALSE(w.limit);
    CHECK_FALSE(w.remaining);
    CHECK_FALSE(w.exhausted);
    CHECK_FALSE(judge(light({}, {}), kJudgedAt, {}).remaining);
}

TEST_CASE("absent and half windows are told apart") {
    const Window absent = judge(light({}, {}), kJudgedAt, 10);
    CHECK(absent.state == WindowState::absent);
    CHECK(absent.remaining == 10);
    CHECK(judge(full(half({}, "none", -2), half({}, "none", -2)), kJudgedAt, 10).state == WindowState::absent);
    const Window counter = judge(light("12", {}), kJudgedAt, 10);
    CHECK(counter.state == WindowState::orphan_counter);
    CHECK(counter.used == 12);
    CHECK_FALSE(counter.exhausted);
    CHECK(counter.remaining == 10);
    const Window expiry = judge(light({}, "1500"), kJudgedAt, 10);
    CHECK(expiry.state == WindowState::orphan_expiry);
    CHECK(expiry.reset_at == from_epoch(1500));
    CHECK_FALSE(expiry.used);
}

TEST_CASE("a missing TTL is a leak that only a full look sees") {
    CHECK(judge(full(half("3", "string", -1), half("1500", "string", 5000)), kJudgedAt, 10).state ==
          WindowState::leaked);
    CHECK(judge(full(half("3", "string", 5000), half("1500", "string", -1)), kJudgedAt, 10).state ==
          WindowState::leaked);
    CHECK(judge(full(half("3", "string", -1), half("999", "string", -1)), kJudgedAt, 10).state == WindowState::leaked);
    CHECK(judge(full(half("3", "string", 5000), half("1500", "string", 0)), kJudgedAt, 10).state == WindowState::open);
    CHECK(judge(full(half("3", "string", -1), half({}, "none", -2)), kJudgedAt, 10).state ==
          WindowState::orphan_counter);
    const Window limited = judge(full(half("10", "string", -1), half("1500", "string", -1)), kJudgedAt, 10);
    CHECK(limited.state == WindowState::leaked);
    CHECK(limited.exhausted);
    CHECK(limited.remaining == 0);
}

TEST_CASE("values that no limiter writes are corrupt") {
    for (const std::string value : {"", "abc", "010", "1.5", " 7", "7 ", "9223372036854775808", "1e3"}) {
        CAPTURE(value);
        CHECK(judge(light(value, "1500"), kJudgedAt, 10).state == WindowState::corrupt);
        CHECK(judge(light("1", value), kJudgedAt, 10).state == WindowState::corrupt);
        CHECK(judge(light({}, value), kJudgedAt, 10).state == WindowState::corrupt);
    }
    CHECK(judge(light("1", "-5"), kJudgedAt, 10).state == WindowState::corrupt);
    CHECK(judge(light("1", "9007199254740992"), kJudgedAt, 10).state == WindowState::corrupt);
    CHECK(judge(full(half({}, "list", 5), half("1500", "string", 5)), kJudgedAt, 10).state == WindowState::corrupt);
    CHECK(judge(full(half("1", "string", 5), half({}, "hash", 5)), kJudgedAt, 10).state == WindowState::corrupt);
    CHECK(judge(full(half({}, "none", -2), half({}, "zset", -1)), kJudgedAt, 10).state == WindowState::corrupt);
    const Window w = judge(light("x", "1500"), kJudgedAt, 10);
    CHECK_FALSE(w.used);
    CHECK_FALSE(w.reset_at);
    CHECK_FALSE(w.remaining);
}

TEST_CASE("a negative counter shows as stored and leaves the whole limit") {
    const Window w = judge(light("-9223372036854775808", "1500"), kJudgedAt, 10);
    CHECK(w.state == WindowState::negative);
    CHECK(w.used == INT64_MIN);
    CHECK(w.remaining == 10);
    CHECK(judge(light("-1", "999"), kJudgedAt, 10).state == WindowState::closed);
}

TEST_CASE("the end of an open window is known only when both halves are sound") {
    CHECK(open_until(light("7", "1500"), kJudgedAt) == from_epoch(1500));
    CHECK(open_until(light("7", "1000"), kJudgedAt) == kJudgedAt);
    CHECK(open_until(light("-7", "1500"), kJudgedAt) == from_epoch(1500));
    CHECK_FALSE(open_until(light("7", "999"), kJudgedAt));
    CHECK_FALSE(open_until(light({}, "1500"), kJudgedAt));
    CHECK_FALSE(open_until(light("7", {}), kJudgedAt));
    CHECK_FALSE(open_until(light("x", "1500"), kJudgedAt));
    CHECK_FALSE(open_until(full(half({}, "list", 5), half("1500", "string", 5)), kJudgedAt));
}

TEST_CASE("every state has one word and the word finds it again") {
    for (int i = 0; i <= static_cast<int>(WindowState::negative); ++i) {
        const auto state = static_cast<WindowState>(i);
        CHECK_FALSE(name_of(state).empty());
        CHECK(window_state_from(name_of(state)) == state);
    }
    CHECK_FALSE(window_state_from("Open"));
    CHECK_FALSE(window_state_from(""));
    CHECK(name_of(LookDepth::light) == "light");
    CHECK(name_of(LookDepth::full) == "full");
}

TEST_CASE("judging is total and its facts never contradict each other") {
    test::RandomSource random;
    SHOW_SEED(random);
    const auto random_half = [&random] {
        StoredKey h;
        if (!random.one_in(4)) h.value = random.one_in(3) ? random.bytes({}, 0, 5) : random.bytes("-0123456789", 0, 20);
        if (random.one_in(2)) h.type = random.one_in(5) ? "list" : (h.value ? "string" : "none");
        if (random.one_in(2)) h.ttl_ms = random.number(-2, 3000);
        return h;
    };
    for (int i = 0; i < 20'000; ++i) {
        const auto look =
            test::window_look("k", random.one_in(2) ? LookDepth::light : LookDepth::full, random_half(), random_half());
        const auto now = from_epoch(random.number(0, 100'000));
        const auto limit = random.one_in(3) ? std::nullopt : std::optional{random.number(0, 1000)};
        const Window w = judge(look, now, limit);
        CAPTURE(counter_part(look).value.value_or("-"), expiry_part(look).value.value_or("-"), name_of(w.state));
        CHECK(w.limit == limit);
        if (w.state == WindowState::open) CHECK((w.used && *w.used >= 0 && w.reset_at && *w.reset_at >= now));
        if (w.remaining) CHECK((*w.remaining >= 0 && *w.remaining <= *limit));
        if (w.exhausted) CHECK((limit && *w.used >= *limit && w.remaining == 0));
        if (w.state == WindowState::closed || w.state == WindowState::absent) CHECK((!w.used && !w.reset_at));
        const auto until = open_until(look, now);
        const bool sound = w.used && w.reset_at && *w.reset_at >= now;
        CHECK(until.has_value() == sound);
    }
}
