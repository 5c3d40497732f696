// The scripts of leases and of buckets that fill in steps against what their limiters would find, on random states and
// a real server.
#include <algorithm>
#include <cmath>

#include "lua/window_fixture.h"

namespace ratectl::test {
namespace {

constexpr std::int64_t kLease = 60;

const schemes::Scheme& typed_scheme(const char* name, std::int64_t limit, std::int64_t period, std::int64_t burst) {
    std::vector<domain::Policy> policies(1);
    policies[0].name = "api";
    policies[0].key = support::value_or_throw(domain::KeyTemplate::parse("{client}"));
    policies[0].limit = limit;
    policies[0].period = support::Seconds{period};
    policies[0].burst = burst;
    return schemes::scheme_of(schemes::scheme_of({name, ""}, policies).of("u"));
}

template <class Item>
schemes::WriteAnswer answer_of(WindowFixture& window, const schemes::Scheme& scheme,
                               redis::ScriptCall (schemes::Scheme::*call)(std::span<const Item* const>,
                                                                          const schemes::CallHead&) const,
                               const Item& item) {
    const std::vector<const Item*> all{&item};
    const std::vector<std::string_view> keys{"u"};
    const auto answers = schemes::decode_writes(keys, window.call((scheme.*call)(all, {})));
    REQUIRE(answers.has_value());
    window.words.insert(answers->windows.at(0).reason);
    return answers->windows.at(0);
}

void expect_words(const WindowFixture& window, std::initializer_list<const char*> words) {
    for (const char* word : words) {
        INFO(word);
        CHECK(window.words.contains(word));
    }
}

/// Member and second of each, the oldest first.
using Leases = std::vector<std::pair<std::string, std::int64_t>>;

Leases leases_of(WindowFixture& window) {
    const auto all = window.server().reply({"ZRANGE", "u", "0", "-1", "WITHSCORES"}).items;
    Leases leases;
    for (std::size_t i = 0; i + 1 < all.size(); i += 2) leases.emplace_back(all[i].text, std::stoll(all[i + 1].text));
    return leases;
}

/// As the limiter removes them at its next check.
Leases running(Leases leases, std::int64_t now) {
    std::erase_if(leases, [now](const auto& one) { return one.second <= now - kLease; });
    return leases;
}

/// The word of what is odd, or empty.
std::string random_leases(WindowFixture& window, std::int64_t now) {
    window.server().command({"DEL", "u"});
    if (window.one_in(12)) {
        window.server().command({"SET", "u", "3"});
        return "wrong-type";
    }
    if (window.one_in(12)) {
        window.server().command({"ZADD", "u", "1e300", "far"});
        return "not-an-integer";
    }
    for (auto n = window.between(0, 7); n > 0; --n) {
        const auto at = std::to_string(now - window.between(-2, kLease + 20));
        const auto member = (window.one_in(4) ? "ratectl:" : "r") + std::to_string(n);
        window.server().command({"ZADD", "u", at, member});
    }
    if (window.one_in(5)) window.server().command({"EXPIRE", "u", "500"});
    return "";
}

bool are_of_ratectl(const Leases& leases) {
    return std::all_of(leases.begin(), leases.end(), [](const auto& one) { return one.first.starts_with("ratectl:"); });
}

/// Those of `before` that are not in `after`.
Leases gone(const Leases& before, const Leases& after) {
    Leases missing;
    for (const auto& one : before) {
        if (std::find(after.begin(), after.end(), one) == after.end()) missing.push_back(one);
    }
    return missing;
}

/// Ratectl's own, the youngest first, and then the oldest.
void check_given_back(const Leases& before, const Leases& after, std::int64_t taken) {
    const auto missing = gone(before, after);
    CHECK(std::ssize(missing) == taken);
    CHECK(gone(after, before).empty());
    const auto left_own =
        std::any_of(after.begin(), after.end(), [](const auto& one) { return one.first.starts_with("ratectl:"); });
    if (left_own) CHECK(are_of_ratectl(missing));
    std::int64_t newest_taken = 0;
    for (const auto& one : missing) {
        if (!one.first.starts_with("ratectl:")) newest_taken = std::max(newest_taken, one.second);
    }
    for (const auto& one : after) {
        if (!one.first.starts_with("ratectl:")) CHECK(one.second >= newest_taken);
    }
}

TEST_CASE("Leases that are taken and given back are those that their limiter counts") {
    WindowFixture window(61);
    const auto& scheme = typed_scheme("stripe-concurrent", 4, kLease, 0);
    const auto now = window.server_seconds();
    for (int i = 0; i < random_states(900); ++i) {
        const auto odd = random_leases(window, now);
        INFO(i << ' ' << odd);
        const auto state = window.snapshot();
        const auto stored = odd.empty() ? leases_of(window) : Leases();
        const auto before = running(stored, now);
        const auto used = std::ssize(before);
        const auto ttl = window.server().command({"PEXPIRETIME", "u"});
        std::string word = odd;
        if (window.one_in(2)) {
            domain::CountItem item{{"u", 0}, window.between(0, 4)};
            item.now = support::from_epoch(now);
            if (window.one_in(4)) item.if_used_at_least = window.between(1, 5);
            if (word.empty() && item.amount == 0) word = "nothing-to-count";
            if (word.empty() && item.if_used_at_least && used < *item.if_used_at_least)
                word = used > 0 ? "used-too-low" : "no-window";
            const auto answer = answer_of(window, scheme, &schemes::Scheme::count_call, item);
            CHECK(answer.reason == word);
            if (word.empty()) {
                const auto after = leases_of(window);
                CHECK(gone(before, after).empty());
                const auto added = gone(after, before);
                CHECK(std::ssize(added) == item.amount);
                CHECK(are_of_ratectl(added));
                CHECK(answer.after.used == std::to_string(used + item.amount));
                CHECK(window.server().command({"PEXPIRETIME", "u"}) == (stored.empty() ? "-1" : ttl));
            }
        } else {
            domain::RefundItem item{{"u", 0}, window.between(0, 6)};
            item.now = support::from_epoch(now);
            item.clamp = window.one_in(2);
            if (word.empty() && used == 0) word = stored.empty() ? "no-window" : "closed";
            if (word.empty() && used < item.amount && !item.clamp) word = "below-zero";
            if (word.empty() && item.amount == 0) word = "nothing-to-take";
            const auto answer = answer_of(window, scheme, &schemes::Scheme::refund_call, item);
            CHECK(answer.reason == word);
            if (word.empty()) {
                CHECK(answer.taken == std::min(item.amount, used));
                check_given_back(before, leases_of(window), answer.taken);
                if (answer.taken < used) CHECK(window.server().command({"PEXPIRETIME", "u"}) == ttl);
            }
        }
        if (!word.empty()) CHECK(window.snapshot() == state);
    }
    expect_words(window, {"", "wrong-type", "not-an-integer", "no-window", "closed", "below-zero", "used-too-low",
                          "nothing-to-count", "nothing-to-take"});
}

TEST_CASE("No more leases are taken than a set may have") {
    WindowFixture window(62);
    const auto& scheme = typed_scheme("stripe-fleet", 4, kLease, 0);
    const auto now = window.server_seconds();
    domain::CountItem item{{"u", 0}, 10'000};
    item.now = support::from_epoch(now);
    CHECK(answer_of(window, scheme, &schemes::Scheme::count_call, item).reason.empty());
    CHECK(window.server().command({"ZCARD", "u"}) == "10000");
    item.amount = 1;
    CHECK(answer_of(window, scheme, &schemes::Scheme::count_call, item).reason == "too-large");
    CHECK(window.server().command({"ZCARD", "u"}) == "10000");
}

struct Steps {
    std::int64_t each = 0, period_ms = 0, capacity = 0;
};

/// As the limiter works it out at that millisecond: how many are left, and up to when it is filled then.
std::pair<std::int64_t, std::int64_t> filled(const Steps& steps, std::int64_t tokens, std::int64_t at,
                                             std::int64_t now_ms) {
    if (now_ms < at + steps.period_ms) return {tokens, at};
    const auto refills = (now_ms - at) / steps.period_ms;
    return {std::min(steps.capacity, tokens + refills * steps.each), at + refills * steps.period_ms};
}

/// As it is once nothing is missing any more; the limiter asks for no key that is longer there.
std::int64_t full_after_ms(const Steps& steps, std::int64_t missing) {
    return (missing + steps.each - 1) / steps.each * steps.period_ms;
}

TEST_CASE("Tokens that come back in steps are taken and given back as their limiter counts them") {
    WindowFixture window(63);
    const Steps steps{3, 7000, 20};
    const auto& scheme = typed_scheme("upstash-token", steps.each, 7, steps.capacity);
    const auto second = window.server_seconds();
    for (int i = 0; i < random_states(900); ++i) {
        window.server().command({"DEL", "u"});
        const bool there = !window.one_in(6);
        const bool odd = there && window.one_in(8);
        const auto tokens = window.between(-3, steps.capacity);
        // In the middle of a step, so that the millisecond of the call does not matter.
        const auto at = second * 1000 - window.between(0, 6) * steps.period_ms - steps.period_ms / 2;
        if (there) {
            window.server().command({"HSET", "u", "refilledAt", std::to_string(at), "tokens",
                                     odd ? std::string("many") : std::to_string(tokens)});
            window.server().command({"PEXPIRE", "u", "900000"});
        }
        INFO(i << ' ' << tokens << ' ' << second * 1000 - at);
        const auto state = window.snapshot();
        const auto now_ms = second * 1000 + 500;
        const auto [left, upto] = there ? filled(steps, tokens, at, now_ms) : std::pair{steps.capacity, now_ms};
        const auto used = steps.capacity - left;
        const bool open = there && used > 0;
        std::string word = odd ? "not-an-integer" : "";
        if (window.one_in(2)) {
            domain::CountItem item{{"u", 0}, window.between(0, 9)};
            item.now = support::from_epoch(second);
            if (word.empty() && item.amount == 0) word = "nothing-to-count";
            const auto answer = answer_of(window, scheme, &schemes::Scheme::count_call, item);
            CHECK(answer.reason == word);
            if (word.empty()) {
                CHECK(window.server().command({"HGET", "u", "tokens"}) == std::to_string(left - item.amount));
                if (there) CHECK(window.server().command({"HGET", "u", "refilledAt"}) == std::to_string(upto));
                CHECK(answer.after.used == std::to_string(used + item.amount));
                const auto lives = std::stoll(window.server().command({"PTTL", "u"}));
                CHECK(std::abs(lives - full_after_ms(steps, used + item.amount)) < 500);
            }
        } else {
            domain::RefundItem item{{"u", 0}, window.between(0, 12)};
            item.now = support::from_epoch(second);
            item.clamp = window.one_in(2);
            if (word.empty() && !open) word = there ? "closed" : "no-window";
            if (word.empty() && used < item.amount && !item.clamp) word = "below-zero";
            if (word.empty() && item.amount == 0) word = "nothing-to-take";
            const auto answer = answer_of(window, scheme, &schemes::Scheme::refund_call, item);
            CHECK(answer.reason == word);
            if (word.empty()) {
                CHECK(answer.taken == std::min(item.amount, used));
                const auto rest = window.server().reply({"HMGET", "u", "tokens", "refilledAt"}).items;
                const bool gone = window.server().command({"EXISTS", "u"}) == "0";
                CHECK(gone == (answer.taken == used));
                if (!gone) {
                    const auto then = filled(steps, std::stoll(rest[0].text), std::stoll(rest[1].text), now_ms);
                    CHECK(then.first == left + answer.taken);
                    CHECK(std::stoll(window.server().command({"PTTL", "u"})) > 890'000);
                }
            }
        }
        if (!word.empty()) CHECK(window.snapshot() == state);
    }
    expect_words(window,
                 {"", "not-an-integer", "no-window", "closed", "below-zero", "nothing-to-count", "nothing-to-take"});
}

}  // namespace
}  // namespace ratectl::test
