// RATE, REFUND and RESET on a real server against the model in domain/, on thousands of random states of the two keys.
#include <algorithm>
#include <cstdlib>
#include <type_traits>
#include <utility>

#include "domain/limiter_model.h"
#include "lua/window_fixture.h"

namespace ratectl::test {
namespace {

using domain::ModelRefusal;
using domain::ModelWindow;
using support::from_epoch;

constexpr std::uint32_t kSeed = 20261121;
constexpr int kRounds = 60;
constexpr std::size_t kWindows = 40;

/// What a script should answer and leave behind.
struct Expected {
    std::string reason;  // empty: applied
    StoredKeys after;
    std::int64_t taken = 0;
};

std::optional<ModelWindow> model_of(const StoredKeys& keys) {
    const auto reset = keys.expiry.number();
    if (!reset) return std::nullopt;
    return ModelWindow{keys.counter.number().value_or(0), from_epoch(*reset)};
}

bool odd(const StoredHalf& half) { return half.value && !half.number(); }

StoredHalf string_half(std::int64_t value, std::int64_t expires_ms) {
    return {"string", std::to_string(value), expires_ms};
}

Expected expect_count(const StoredKeys& before, const domain::CountItem& item, std::int64_t server_s) {
    if (before.counter.is_list() || before.expiry.is_list()) return {"wrong-type", before};
    if (odd(before.counter) || odd(before.expiry)) return {"not-an-integer", before};
    auto window = model_of(before);
    const bool open = domain::check(window, item.now).has_value();
    const auto answer = domain::rate(window, item.amount, item.next_reset, item.now);
    if (answer.refusal == ModelRefusal::overflow) return {"overflow", before};
    const auto reset = support::epoch_seconds(window->reset_at);
    StoredKeys after = before;
    if (open && before.counter.value) {
        after.counter.value = std::to_string(window->used);
        return {"", after};
    }
    if (reset + 1 <= server_s) return {"reset-in-past", before};
    after.counter = string_half(window->used, (reset + 1) * 1000);
    if (!open) after.expiry = string_half(reset, (reset + 1) * 1000);
    return {"", after};
}

Expected expect_refund(const StoredKeys& before, const domain::RefundItem& item) {
    if (before.counter.is_list() || before.expiry.is_list()) return {"wrong-type", before};
    if (!before.counter.value && !before.expiry.value) return {"no-window", before};
    if (odd(before.expiry)) return {"not-an-integer", before};
    auto window = model_of(before);
    if (!window || window->reset_at != item.if_reset) return {"window-changed", before};
    if (!domain::check(window, item.now)) return {"closed", before};
    if (!before.counter.value) return {"no-window", before};
    if (odd(before.counter)) return {"not-an-integer", before};
    const bool too_much = window->used < item.amount;
    const auto answer = domain::refund(window, item.amount, item.if_reset, item.clamp, item.now);
    if (answer.refusal == ModelRefusal::below_zero) return {"below-zero", before};
    if (too_much && answer.taken == 0) return {"nothing-to-take", before};
    StoredKeys after = before;
    after.counter.value = std::to_string(window->used);
    return {"", after, answer.taken};
}

Expected expect_reset(const StoredKeys& before, const domain::ResetItem& item) {
    if (before.counter.is_list() || before.expiry.is_list()) return {"wrong-type", before};
    if (!before.counter.value && !before.expiry.value) return {"absent", before};
    if (item.if_reset && before.expiry.value != std::to_string(support::epoch_seconds(*item.if_reset))) {
        return {"window-changed", before};
    }
    if (item.if_used_at_least) {
        if (!before.counter.value) return {"used-too-low", before};
        if (odd(before.counter)) return {"not-an-integer", before};
        if (*before.counter.number() < *item.if_used_at_least) return {"used-too-low", before};
    }
    return {"", StoredKeys{}};
}

std::optional<std::int64_t> known_expiry(const StoredHalf& half) {
    return half.expires_ms < 0 ? std::nullopt : std::optional(half.expires_ms);
}

/// The states and the questions of one call.
template <class Item>
struct Round {
    std::vector<StoredKeys> before;
    std::vector<Item> items;
    std::int64_t server_s = 0;

    std::vector<const Item*> pointers() const {
        std::vector<const Item*> all;
        for (const auto& item : items) all.push_back(&item);
        return all;
    }
};

template <class Item, class MakeItem>
Round<Item> prepare(WindowFixture& fixture, MakeItem make_item) {
    Round<Item> round;
    round.server_s = fixture.server_seconds();
    for (std::size_t i = 0; i < kWindows; ++i) {
        const std::string key = "w" + std::to_string(i);
        // Not at the very second at which the server's clock would decide.
        StoredKeys before;
        do before = fixture.randomize(key, round.server_s);
        while (std::abs(before.expiry.number().value_or(0) - round.server_s) < 5);
        round.before.push_back(std::move(before));
        auto item = make_item(round.before.back(), round.server_s);
        item.at.key = key;
        round.items.push_back(std::move(item));
    }
    return round;
}

template <class Item, class Expect>
void compare(WindowFixture& fixture, const Round<Item>& round, const redis::ScriptCall& call, Expect expect) {
    auto answers = fixture.scheme().decode_writes(kWindows, fixture.call(call));
    REQUIRE(answers.has_value());
    CHECK(answers->server_time_ms / 1000 - round.server_s <= 5);
    for (std::size_t i = 0; i < kWindows; ++i) {
        const Expected expected = expect(round.before[i], round.items[i]);
        const auto& answer = answers->windows[i];
        INFO("seed " << kSeed << ", before " << round.before[i] << ", window " << i);
        CHECK(answer.reason == expected.reason);
        CHECK(fixture.read(round.items[i].at.key) == expected.after);
        CHECK(answer.before.used == round.before[i].counter.value);
        CHECK(answer.before.reset_at == round.before[i].expiry.value);
        CHECK(answer.taken == expected.taken);
        if (answer.status != domain::WriteStatus::applied) continue;
        CHECK(answer.after.used == expected.after.counter.value);
        CHECK(answer.after.reset_at == expected.after.expiry.value);
        if constexpr (std::is_same_v<Item, domain::ResetItem>) {
            CHECK(answer.before.counter_expires_at_ms == known_expiry(round.before[i].counter));
            CHECK(answer.before.expiry_expires_at_ms == known_expiry(round.before[i].expiry));
        }
    }
}

// Likewise.
std::int64_t offset(WindowFixture& fixture) {
    return fixture.one_in(6) ? fixture.between(-60, -4) : fixture.between(4, 200);
}

TEST_CASE("RATE does what the model does on random windows") {
    WindowFixture fixture(kSeed);
    for (int n = 0; n < kRounds; ++n) {
        const auto round = prepare<domain::CountItem>(fixture, [&](const StoredKeys& before, std::int64_t now) {
            domain::CountItem item;
            item.amount = fixture.one_in(5) ? fixture.random_count() : fixture.between(0, 9);
            item.next_reset = from_epoch(now + offset(fixture));
            const auto reset = before.expiry.number();
            item.now = from_epoch(reset && fixture.one_in(3) ? *reset + fixture.between(0, 1)
                                                             : now + fixture.between(-60, 60));
            return item;
        });
        compare(fixture, round, fixture.scheme().count_call(round.pointers(), {}),
                [&](const auto& before, const auto& item) { return expect_count(before, item, round.server_s); });
    }
}

TEST_CASE("REFUND does what the model does on random windows") {
    WindowFixture fixture(kSeed + 1);
    for (int n = 0; n < kRounds; ++n) {
        const auto round = prepare<domain::RefundItem>(fixture, [&](const StoredKeys& before, std::int64_t now) {
            const auto reset = before.expiry.number().value_or(now + 10);
            domain::RefundItem item;
            item.amount = fixture.between(0, 40);
            item.if_reset = from_epoch(fixture.one_in(5) ? reset + 1 : reset);
            item.clamp = fixture.one_in(2);
            item.now = from_epoch(fixture.one_in(3) ? reset + fixture.between(0, 1) : now - 40);
            return item;
        });
        compare(fixture, round, fixture.scheme().refund_call(round.pointers(), {}), expect_refund);
    }
}

TEST_CASE("RESET does what the model does on random windows and tells what it removed") {
    WindowFixture fixture(kSeed + 2);
    for (int n = 0; n < kRounds; ++n) {
        const auto round = prepare<domain::ResetItem>(fixture, [&](const StoredKeys& before, std::int64_t now) {
            const auto reset = before.expiry.number().value_or(now);
            domain::ResetItem item;
            if (fixture.one_in(2)) item.if_reset = from_epoch(fixture.one_in(5) ? reset + 1 : reset);
            if (fixture.one_in(3)) item.if_used_at_least = fixture.between(-3, 40);
            return item;
        });
        compare(fixture, round, fixture.scheme().reset_call(round.pointers(), {}), expect_reset);
    }
}

}  // namespace
}  // namespace ratectl::test
