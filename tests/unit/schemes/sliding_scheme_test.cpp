// Sliding windows without a server: what two counters meant to the libraries that had stored them.
#include "domain/diagnosis/finding.h"
#include "schemes/book.h"
#include "support/catch.h"

namespace ratectl::test {
namespace {

using domain::WindowState;
using support::from_epoch;

constexpr const char* kBraced = "LIMITS:{LIMITER/sw/u1/10/2/second}";
constexpr const char* kNumbered = "@upstash/ratelimit:u1:29920783";
constexpr std::int64_t kBegins = 29'920'783LL * 60'000;

const schemes::Scheme& sliding_upstash(std::optional<std::int64_t> limit = 10) {
    std::vector<domain::Policy> policies(1);
    policies[0].name = "api";
    policies[0].key = support::value_or_throw(domain::KeyTemplate::parse("@upstash/ratelimit:{client}:{bucket}"));
    policies[0].limit = limit;
    policies[0].period = support::Seconds{60};
    return schemes::scheme_of(schemes::scheme_of({"upstash-sliding", ""}, policies).of(kNumbered));
}

const schemes::Scheme& sliding_limits() { return schemes::scheme_of({"limits-sliding", ""}); }

struct SlidingKey {
    std::optional<std::string> value;
    std::optional<std::int64_t> expires_ms;
};

domain::WindowLook sliding_look(const schemes::Scheme& scheme, std::vector<SlidingKey> keys, std::int64_t server_ms,
                                const char* key) {
    auto look = scheme.look_at(key, {});
    look.depth = domain::LookDepth::full;
    look.server_ms = server_ms;
    for (std::size_t i = 0; i < look.parts.size(); ++i) {
        const auto& stored = i < keys.size() ? keys[i] : SlidingKey{};
        look.parts[i].value = stored.value;
        look.parts[i].type = stored.value ? "string" : "none";
        look.parts[i].expires_at_ms = stored.expires_ms;
    }
    return look;
}

domain::Window judged_sliding(const schemes::Scheme& scheme, std::vector<SlidingKey> keys, std::int64_t server_ms,
                              const char* key) {
    return scheme.judge(sliding_look(scheme, std::move(keys), server_ms, key), from_epoch(server_ms / 1000), 10);
}

TEST_CASE("What is left of a sliding window by its TTLs is what limits said") {
    const auto at = [](std::vector<SlidingKey> keys, std::int64_t ms) {
        return judged_sliding(sliding_limits(), std::move(keys), ms, kBraced);
    };
    const auto first = at({{"4", 1'795'246'768'466}}, 1'795'246'764'539);
    CHECK(first.state == WindowState::open);
    CHECK(first.used == 4);
    CHECK(first.limit == 10);
    CHECK(first.remaining == 6);
    // After 2.2 s it was moved, and 3 of the 4 counted: 4 * 1.64 / 2 = 3.28, and 1.
    const auto moved = at({{"1", 1'795'246'770'466}, {"4", 1'795'246'768'466}}, 1'795'246'766'826);
    CHECK(moved.used == 4);
    CHECK(moved.remaining == 6);
    // The same moment before the request that moved it: the library would have found 3.
    CHECK(at({{"4", 1'795'246'768'466}}, 1'795'246'766'826).used == 3);
    // A period is over when less than one is left, and not when one is.
    CHECK(at({{"4", 1'000'002'000}}, 1'000'000'000).used == 4);
    CHECK(at({{"4", 1'000'002'000}}, 1'000'000'001).used == 3);
    // All is free when less than a whole one counts: 4 * 0.499 / 2 < 1.
    CHECK(first.reset_at == from_epoch(1'795'246'768));
    CHECK(at({{"4", 1'000'002'000}}, 1'000'001'499).state == WindowState::open);
    CHECK(at({{"4", 1'000'002'000}}, 1'000'001'501).state == WindowState::closed);
    // Of 12 before, 5 count and then 4, and 5 of now: with the fifth of them gone one more passes.
    const auto full = at({{"5", 1'000'003'900}, {"12", 1'000'001'900}}, 1'000'001'000);
    CHECK(full.state == WindowState::exhausted);
    CHECK(full.used == 10);
    CHECK(full.passes_at == from_epoch(1'000'002));
    CHECK(full.passes_at < full.reset_at);
}

TEST_CASE("The key of the period before is a part of a window and none by itself") {
    const auto before = std::string(kBraced) + "/-1";
    const auto& scheme = sliding_limits();
    CHECK(scheme.quota_in(kBraced)->limit == 10);
    CHECK(scheme.quota_in(kBraced)->period == support::Seconds{2});
    CHECK(scheme.part_key(kBraced, 1) == before);
    CHECK(scheme.part_glob("LIMITS:*", 1) == "LIMITS:*/-1");
    CHECK(scheme.part_of(before)->key() == kBraced);
    CHECK_FALSE(scheme.part_of(kBraced));
    CHECK(scheme.scanned_as(kBraced).value().window == kBraced);
    CHECK_FALSE(scheme.scanned_as(before));
    const auto alone = judged_sliding(scheme, {{}, {"4", 1'000'002'000}}, 1'000'001'000, kBraced);
    CHECK(alone.used == 2);
    CHECK(alone.state == WindowState::open);
}

TEST_CASE("What is left of a numbered sliding window is what Upstash said") {
    const auto at = [](std::vector<SlidingKey> keys, std::int64_t ms) {
        return judged_sliding(sliding_upstash(), std::move(keys), ms, kNumbered);
    };
    const auto first = at({{"3", 1'795'247'139'701}}, 1'795'247'018'764);
    CHECK(first.used == 3);
    CHECK(first.remaining == 7);
    // A third of the period is over: floor((1 - 20/60) * 10) = 6.
    CHECK(at({{"3", {}}, {"10", {}}}, kBegins + 20'000).used == 3 + 6);
    CHECK(at({{}, {"10", {}}}, kBegins + 20'000).used == 6);
    CHECK(at({{}, {"10", {}}}, kBegins + 20'000).reset_at ==
          from_epoch(kBegins / 1000 + 54));  // 10 * 0.1 is less than 1 there
    // Over, and nothing of the next period is there: what counts then.
    CHECK(at({{"9", {}}, {"10", {}}}, kBegins + 80'000).used == 6);
    // There is, and its window has them.
    CHECK(at({{"9", {}}, {"10", {}}, {"1", {}}}, kBegins + 80'000).state == WindowState::closed);
    CHECK(at({{"9", {}}}, kBegins - 1000).state == WindowState::closed);
    const auto& scheme = sliding_upstash();
    CHECK(scheme.part_key(kNumbered, 1) == "@upstash/ratelimit:u1:29920782");
    CHECK(scheme.part_key(kNumbered, 2) == "@upstash/ratelimit:u1:29920784");
    CHECK(scheme.key_at(kNumbered, from_epoch(kBegins / 1000 + 60)) == "@upstash/ratelimit:u1:29920784");
    CHECK(scheme.part_key("@upstash/ratelimit:u1:0", 1) != "@upstash/ratelimit:u1:0");
    CHECK(scheme.part_key("@upstash/ratelimit:u1:0", 1).find(":0-") != std::string::npos);
}

TEST_CASE("What is no counter of a sliding window is corrupt and nothing makes a look at it fail") {
    for (const bool numbered : {false, true}) {
        const auto& scheme = numbered ? sliding_upstash() : sliding_limits();
        const auto* key = numbered ? kNumbered : kBraced;
        for (const char* odd : {"", "many", "1.5", "1e3", "9007199254740992", "-9007199254740992", " 7"}) {
            INFO(odd);
            const std::vector<SlidingKey> first{{odd, {}}, {"1", {}}};
            const std::vector<SlidingKey> second{{"1", {}}, {odd, {}}};
            CHECK(judged_sliding(scheme, first, kBegins, key).state == WindowState::corrupt);
            CHECK(judged_sliding(scheme, second, kBegins, key).state == WindowState::corrupt);
            CHECK(scheme.corruption(sliding_look(scheme, second, kBegins, key)) == "what is stored is no counter");
        }
        auto look = sliding_look(scheme, {{"1", {}}}, kBegins, key);
        look.parts[1].type = "list";
        CHECK(scheme.corruption(look).find("'s type is list") != std::string::npos);
        for (const auto* count : {"-9007199254740991", "0", "9007199254740991"}) {
            for (const std::int64_t expires : {std::int64_t{0}, kBegins + 1000, std::int64_t{9'007'199'254'740'991}}) {
                const auto odd = sliding_look(scheme, {{count, expires}, {count, expires}}, kBegins + 500, key);
                const auto used = scheme.judge(odd, from_epoch(kBegins / 1000), 10).used.value_or(0);
                CHECK(std::abs(used) <= 2 * 9'007'199'254'740'991);
                scheme.foreseen(odd, from_epoch(kBegins / 1000), 5);
            }
        }
    }
    CHECK(judged_sliding(sliding_limits(), {{"-3", 1'000'003'000}}, 1'000'000'000, kBraced).state ==
          WindowState::negative);
}

TEST_CASE("What a sliding window has no period for is open and how many count is unknown") {
    const auto& bare = schemes::scheme_of({"upstash-sliding", ""});
    const auto window = judged_sliding(bare, {{"3", 1'795'247'139'701}}, 1'795'247'018'764, kNumbered);
    CHECK(window.state == WindowState::open);
    CHECK_FALSE(window.used);
    CHECK(bare.uncountable(sliding_look(bare, {{"3", 1'795'247'139'701}}, 1'795'247'018'764, kNumbered)) == "no-rate");
    CHECK(bare.part_key("k:9", 1) == "k:8");
    CHECK(judged_sliding(sliding_limits(), {{"3", 5000}}, 1000, "no-limits").state == WindowState::open);
}

TEST_CASE("A sliding window that no TTL ends is leaked") {
    const auto& scheme = sliding_limits();
    const auto look = sliding_look(scheme, {{"3", {}}}, 1'000'000'000, kBraced);
    const auto window = scheme.judge(look, from_epoch(1'000'000), 10);
    CHECK(window.state == WindowState::leaked);
    CHECK(window.used == 3);
    CHECK_FALSE(window.reset_at);
    CHECK(scheme.words_of(look, from_epoch(1'000'000)) == "3 used, and it never ends");
    CHECK_FALSE(scheme.stored(look, domain::kWhenever).reset_at);
}

TEST_CASE("A dry run knows what requests make of a sliding window and what is not given back") {
    const auto& limits = sliding_limits();
    const auto now = from_epoch(1'000'001);
    const auto look = sliding_look(limits, {{"3", 1'000'003'500}, {"4", 1'000'001'500}}, 1'000'001'000, kBraced);
    CHECK(limits.floor_of(look, now) == 1);  // 4 * 0.5 / 2
    CHECK(limits.foreseen(look, now, 97).used == "101");
    CHECK(limits.foreseen(look, now, 97).reset_at == "1000004");
    CHECK(limits.foreseen(look, now, -3).reset_at == "1000002");
    // The request that moves it begins a period where the last one ended.
    const auto turned = sliding_look(limits, {{"4", 1'000'002'000}}, 1'000'001'000, kBraced);
    CHECK(limits.floor_of(turned, now) == 2);
    CHECK(limits.foreseen(turned, now, 100).reset_at == "1000004");
    CHECK(limits.next_end(kBraced, now, {}) == now + support::Seconds{3});
    const auto& upstash = sliding_upstash();
    const auto later = from_epoch(kBegins / 1000 + 20);
    const auto numbered = sliding_look(upstash, {{"3", {}}, {"10", {}}}, kBegins + 20'000, kNumbered);
    CHECK(upstash.floor_of(numbered, later) == 6);
    CHECK(upstash.foreseen(numbered, later, 47).reset_at == std::to_string(kBegins / 1000 + 120 - 1));
}

}  // namespace
}  // namespace ratectl::test
