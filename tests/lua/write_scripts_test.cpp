// RATE, REFUND, RESET, RESTORE and REPAIR on a real server against a model, on thousands of random states of the two
// keys: what each does the first time, again, under another fingerprint and too late.
#include <algorithm>
#include <cstdlib>
#include <type_traits>
#include <utility>

#include "domain/limiter_model.h"
#include "lua/window_fixture.h"
#include "schemes/operation_key.h"
#include "schemes/window/window_scheme.h"

namespace ratectl::test {
namespace {

using domain::ModelRefusal;
using domain::ModelWindow;
using schemes::CallHead;
using schemes::CallStatus;
using support::from_epoch;

constexpr std::uint32_t kWritesSeed = 20261121;
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

std::string kept_by_guard(const StoredKeys& before, const domain::CountItem& item) {
    const bool any = before.counter.value || before.expiry.value;
    const auto reset = before.expiry.number();
    const bool over = before.counter.number() && reset && from_epoch(*reset) < item.now;
    if (item.if_stored) {
        const auto& seen = *item.if_stored;
        const bool as_seen = seen.used == before.counter.value && seen.reset_at == before.expiry.value;
        const bool none_seen = !seen.used && !seen.reset_at;
        if (!as_seen && !(none_seen && over)) return "window-changed";
    }
    if (!item.if_reset) return {};
    if (!any) return "no-window";
    if (odd(before.expiry)) return "not-an-integer";
    if (!reset || from_epoch(*reset) != *item.if_reset) return "window-changed";
    return from_epoch(*reset) < item.now ? "closed" : "";
}

/// `carries_over`: a counter without an expiry half is counted on in, below the limit.
Expected expect_count(const StoredKeys& before, const domain::CountItem& item, std::int64_t server_s,
                      bool carries_over) {
    if (before.counter.is_list() || before.expiry.is_list()) return {"wrong-type", before};
    if (const auto guard = kept_by_guard(before, item); !guard.empty()) return {guard, before};
    if (odd(before.counter) || odd(before.expiry)) return {"not-an-integer", before};
    auto window = model_of(before);
    const bool open = domain::check(window, item.now).has_value();
    if (item.if_used_at_least && (open ? window->used : 0) < *item.if_used_at_least)
        return {open ? "used-too-low" : "no-window", before};
    const auto limit = item.limit.value_or(support::kMaxExactInteger);
    const auto left = carries_over && !before.expiry.value ? before.counter.number() : std::nullopt;
    const auto carried = left && *left < limit ? left : std::nullopt;
    const auto answer = domain::rate(window, item.amount, item.next_reset, item.now, carried.value_or(0));
    if (answer.refusal == ModelRefusal::overflow) return {"overflow", before};
    const auto reset = support::epoch_seconds(window->reset_at);
    StoredKeys after = before;
    if (open && before.counter.value) {
        after.counter.value = std::to_string(window->used);
        return {"", after};
    }
    if (carries_over && item.amount < 1) return {"below-one", before};
    if (reset + 1 <= server_s) return {"reset-in-past", before};
    after.counter = string_half(window->used, (reset + 1) * 1000);
    if (carried && (*carried > 0 || window->used < 1)) after.counter.expires_ms = before.counter.expires_ms;
    if (!open) after.expiry = string_half(reset, (reset + 1) * 1000);
    return {"", after, carried ? item.amount : 0};
}

Expected expect_refund(const StoredKeys& before, const domain::RefundItem& item, std::int64_t floor) {
    if (before.counter.is_list() || before.expiry.is_list()) return {"wrong-type", before};
    if (!before.counter.value && !before.expiry.value) return {"no-window", before};
    if (odd(before.expiry)) return {"not-an-integer", before};
    auto window = model_of(before);
    if (!window || window->reset_at != item.if_reset) return {"window-changed", before};
    if (!domain::check(window, item.now)) return {"closed", before};
    if (!before.counter.value) return {"no-window", before};
    if (odd(before.counter)) return {"not-an-integer", before};
    if (item.if_used_at_least && window->used < *item.if_used_at_least) return {"used-too-low", before};
    const bool too_much = std::max<std::int64_t>(window->used - floor, 0) < item.amount;
    const auto answer = domain::refund(window, item.amount, item.if_reset, item.clamp, item.now, floor);
    if (answer.refusal == ModelRefusal::below_zero) return {floor == 1 ? "below-one" : "below-zero", before};
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
    if (item.if_stored &&
        (item.if_stored->used != before.counter.value || item.if_stored->reset_at != before.expiry.value)) {
        return {"window-changed", before};
    }
    if (item.if_used_at_least) {
        if (!before.counter.value) return {"used-too-low", before};
        if (odd(before.counter)) return {"not-an-integer", before};
        if (*before.counter.number() < *item.if_used_at_least) return {"used-too-low", before};
    }
    return {"", StoredKeys{}};
}

StoredHalf put_back(const std::optional<std::string>& value, const std::optional<std::int64_t>& expires_ms) {
    return value ? StoredHalf{"string", value, expires_ms.value_or(-1)} : StoredHalf{};
}

bool is_over(const domain::RestoreItem& item, std::int64_t server_ms) {
    const auto& removed = item.window;
    const auto reset = StoredHalf{"string", removed.reset_at, -1}.number();
    if (reset && from_epoch(*reset) < item.now) return true;
    return (removed.used && removed.expires[0].value_or(server_ms + 1) <= server_ms) ||
           (removed.reset_at && removed.expires[1].value_or(server_ms + 1) <= server_ms);
}

Expected expect_restore(const StoredKeys& before, const domain::RestoreItem& item, std::int64_t server_ms) {
    const auto& removed = item.window;
    if (before.counter.is_list() || before.expiry.is_list()) return {"wrong-type", before};
    if (is_over(item, server_ms)) return {"closed", before};
    if (!before.counter.value && !before.expiry.value) {
        return {"", {put_back(removed.used, removed.expires[0]), put_back(removed.reset_at, removed.expires[1])}};
    }
    if (!item.merge || !removed.reset_at) return {"window-there", before};
    const StoredHalf was{"string", removed.used.value_or("0"), -1};
    if (!was.number() || odd(before.counter) || odd(before.expiry) || odd(put_back(removed.reset_at, -1))) {
        return {"not-an-integer", before};
    }
    const auto sum = *was.number() + before.counter.number().value_or(0);
    if (std::abs(sum) > support::kMaxExactInteger) return {"overflow", before};
    const auto counter_expires = removed.used ? removed.expires[0] : removed.expires[1];
    return {"", {put_back(std::to_string(sum), counter_expires), put_back(removed.reset_at, removed.expires[1])}};
}

std::optional<std::int64_t> known_expiry(const StoredHalf& half) {
    return half.expires_ms < 0 ? std::nullopt : std::optional(half.expires_ms);
}

/// Within `slack_ms`, as a server that only knows what is left of an expiry can tell two of them apart.
bool same_expiry(std::optional<std::int64_t> one, std::optional<std::int64_t> other, std::int64_t slack_ms) {
    return one && other ? std::abs(*one - *other) <= slack_ms : !one && !other;
}

Expected expect_repair(const StoredKeys& before, const domain::RepairItem& item, std::int64_t server_ms, bool is_six) {
    if (before.counter.is_list() || before.expiry.is_list()) return {"wrong-type", before};
    if (!before.counter.value || !before.expiry.value) return {"no-window", before};
    if (before.expiry.value != std::to_string(support::epoch_seconds(item.if_reset)))
        return {odd(before.expiry) ? "not-an-integer" : "window-changed", before};
    const auto expire_at = [&](const domain::Expiries& expiries) {
        const std::int64_t slack_ms = is_six ? 1000 : 0;
        return same_expiry(known_expiry(before.counter), expiries[0], slack_ms) &&
               same_expiry(known_expiry(before.expiry), expiries[1], slack_ms);
    };
    if (expire_at(item.wanted)) return {"nothing-to-repair", before};
    if (!expire_at(item.seen)) return {"window-changed", before};
    if (item.wanted[0].value_or(INT64_MAX) <= server_ms || item.wanted[1].value_or(INT64_MAX) <= server_ms)
        return {"closed", before};
    StoredKeys after = before;
    after.counter.expires_ms = item.wanted[0].value_or(-1);
    after.expiry.expires_ms = item.wanted[1].value_or(-1);
    return {"", after};
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
    fixture.server().command({"FLUSHALL"});
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

using Answers = std::vector<schemes::WriteAnswer>;

void check_same(const Answers& again, const Answers& first) {
    using domain::WriteStatus;
    REQUIRE(again.size() == first.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
        const auto status = first[i].status;
        CHECK(again[i].status == (status == WriteStatus::applied ? WriteStatus::already_applied : status));
        CHECK(again[i].reason == first[i].reason);
        CHECK(again[i].error == first[i].error);
        CHECK(again[i].before == first[i].before);
        CHECK(again[i].after == first[i].after);
        CHECK(again[i].taken == first[i].taken);
    }
}

/// The operation key tells everything that the answer told.
void check_record(WindowFixture& fixture, const CallHead& head, const Answers& answers, domain::WriteKind kind) {
    const auto bytes = fixture.server().reply({"GET", schemes::operation_key(*head.id)}).text;
    const auto record = schemes::decode_operation(*head.id, bytes);
    REQUIRE(record.has_value());
    CHECK(record->kind == kind);
    CHECK(record->actor == head.actor);
    CHECK(record->host == head.host);
    CHECK(record->reason == head.reason);
    Answers stored;
    for (const auto& window : record->windows) stored.push_back(schemes::answer_of(window));
    for (auto& answer : stored) {
        if (answer.status == domain::WriteStatus::applied) answer.status = domain::WriteStatus::already_applied;
    }
    check_same(stored, answers);
}

template <class Call>
schemes::WriteAnswers answers_to(WindowFixture& fixture, const Call& call, const CallHead& head) {
    auto answers = fixture.answers(call(head));
    REQUIRE(answers.has_value());
    return std::move(*answers);
}

void check_expiry(const WindowFixture& fixture, std::optional<std::int64_t> told, std::optional<std::int64_t> was) {
    CHECK(told.has_value() == was.has_value());
    if (told && was) CHECK(std::abs(*told - *was) <= fixture.expiry_slack_ms());
}

template <class Item, class Expect>
void check_windows(WindowFixture& fixture, const Round<Item>& round, const Answers& answers, Expect expect) {
    for (std::size_t i = 0; i < kWindows; ++i) {
        const Expected expected = expect(round.before[i], round.items[i]);
        const auto& answer = answers[i];
        INFO("seed " << kWritesSeed << ", before " << round.before[i] << ", window " << i);
        fixture.words.insert(answer.reason);
        CHECK(answer.reason == expected.reason);
        CHECK(fixture.read(round.items[i].at.key) == expected.after);
        CHECK(answer.before.used == round.before[i].counter.value);
        CHECK(answer.before.reset_at == round.before[i].expiry.value);
        CHECK(answer.taken == expected.taken);
        if (answer.status != domain::WriteStatus::applied) continue;
        constexpr bool removes = std::is_same_v<Item, domain::ResetItem>;
        constexpr bool replaces = std::is_same_v<Item, domain::RestoreItem>;
        constexpr bool repairs = std::is_same_v<Item, domain::RepairItem>;
        CHECK(answer.after.used == expected.after.counter.value);
        CHECK(answer.after.reset_at == expected.after.expiry.value);
        if (removes || repairs || (replaces && (answer.before.used || answer.before.reset_at))) {
            check_expiry(fixture, answer.before.expires[0], known_expiry(round.before[i].counter));
            check_expiry(fixture, answer.before.expires[1], known_expiry(round.before[i].expiry));
        }
    }
}

/// The call too late, the first time, and every other round under an id: again, and with another question under its id.
template <class Item, class Call, class Expect>
void compare(WindowFixture& fixture, int n, const Round<Item>& round, domain::WriteKind kind, Call call,
             Expect expect) {
    CallHead head{{}, fixture.server_ms() - 1, "print", "ann\n", std::string("ho\0st", 6), ""};
    if (n % 2 == 0) head.id = domain::SliceId{"MODEL", static_cast<std::uint64_t>(n) + 1};
    const auto untouched = fixture.snapshot();
    const auto late = answers_to(fixture, call, head);
    CHECK(late.status == CallStatus::late);
    CHECK(late.windows.empty());
    CHECK(fixture.snapshot() == untouched);

    head.deadline_ms = fixture.server_ms() + 60'000;
    const auto first = answers_to(fixture, call, head);
    CHECK(first.status == CallStatus::done);
    CHECK(first.server_time_ms / 1000 - round.server_s <= 5);
    check_windows(fixture, round, first.windows, expect);
    const auto is_applied = [](const auto& answer) { return answer.status == domain::WriteStatus::applied; };
    // Of what wrote nothing no operation key tells: it would be done again.
    if (!head.id || std::none_of(first.windows.begin(), first.windows.end(), is_applied)) return;

    const auto done = fixture.snapshot();
    check_record(fixture, head, first.windows, kind);
    const auto again = answers_to(fixture, call, head);
    CHECK(again.status == CallStatus::already);
    check_same(again.windows, first.windows);
    head.fingerprint = "other";
    CHECK(answers_to(fixture, call, head).status == CallStatus::other_operation);
    CHECK(fixture.snapshot() == done);
}

// Likewise.
std::int64_t offset(WindowFixture& fixture) {
    return fixture.one_in(6) ? fixture.between(-60, -4) : fixture.between(4, 200);
}

using Words = std::set<std::string>;

domain::StoredWindow stored_of(const StoredKeys& keys) {
    return {keys.counter.value, keys.expiry.value, known_expiry(keys.counter), known_expiry(keys.expiry)};
}

void test_count(WindowFixture& fixture, const schemes::Scheme& scheme) {
    const bool carries_over = scheme.lowest_used() == 1;
    for (int n = 0; n < random_states(kRounds); ++n) {
        const auto round = prepare<domain::CountItem>(fixture, [&](const StoredKeys& before, std::int64_t now) {
            domain::CountItem item;
            item.amount = fixture.one_in(5) ? fixture.random_count() : fixture.between(0, 9);
            item.next_reset = from_epoch(now + offset(fixture));
            const auto reset = before.expiry.number();
            item.now = from_epoch(reset && fixture.one_in(3) ? *reset + fixture.between(0, 1)
                                                             : now + fixture.between(-60, 60));
            if (fixture.one_in(4)) item.if_reset = from_epoch(reset.value_or(now) + (fixture.one_in(4) ? 1 : 0));
            if (fixture.one_in(6)) item.if_stored = domain::StoredWindow{};
            if (fixture.one_in(5)) item.if_stored = stored_of(before);
            if (item.if_stored && fixture.one_in(6)) item.if_stored->reset_at = fixture.one_in(2) ? "" : "41";
            if (fixture.one_in(4)) item.if_used_at_least = fixture.between(-3, 40);
            if (fixture.one_in(2)) item.limit = fixture.between(0, 40);
            return item;
        });
        compare(
            fixture, n, round, domain::WriteKind::count,
            [&](const CallHead& head) { return scheme.count_call(round.pointers(), head); },
            [&](const auto& before, const auto& item) {
                return expect_count(before, item, round.server_s, carries_over);
            });
    }
    Words words{"",          "wrong-type",     "not-an-integer", "overflow",    "reset-in-past",
                "no-window", "window-changed", "closed",         "used-too-low"};
    if (carries_over) words.insert("below-one");
    CHECK(fixture.words == words);
}

TEST_CASE("RATE does what the model does on random windows, once under each id") {
    WindowFixture fixture(kWritesSeed);
    test_count(fixture, fixture.scheme());
}

TEST_CASE("RATE counts on in a counter that outlived its window where the limiter does") {
    WindowFixture fixture(kWritesSeed + 9);
    test_count(fixture, schemes::window::WindowScheme(":exp", true));
}

TEST_CASE("RATE does the same without what Redis 7 brought") {
    WindowFixture fixture(kWritesSeed + 1);
    fixture.be_six();
    test_count(fixture, fixture.scheme());
}

void test_refund(WindowFixture& fixture, const schemes::Scheme& scheme) {
    const auto floor = scheme.lowest_used();
    for (int n = 0; n < random_states(kRounds); ++n) {
        const auto round = prepare<domain::RefundItem>(fixture, [&](const StoredKeys& before, std::int64_t now) {
            const auto reset = before.expiry.number().value_or(now + 10);
            domain::RefundItem item;
            item.amount = fixture.between(0, 40);
            item.if_reset = from_epoch(fixture.one_in(5) ? reset + 1 : reset);
            item.clamp = fixture.one_in(2);
            item.now = from_epoch(fixture.one_in(3) ? reset + fixture.between(0, 1) : now - 40);
            if (fixture.one_in(3)) item.if_used_at_least = fixture.between(-3, 40);
            return item;
        });
        compare(
            fixture, n, round, domain::WriteKind::refund,
            [&](const CallHead& head) { return scheme.refund_call(round.pointers(), head); },
            [&](const auto& before, const auto& item) { return expect_refund(before, item, floor); });
    }
    CHECK(fixture.words == Words{"", "wrong-type", "not-an-integer", "no-window", "window-changed", "closed",
                                 floor == 1 ? "below-one" : "below-zero", "nothing-to-take", "used-too-low"});
}

TEST_CASE("REFUND does what the model does on random windows, once under each id") {
    WindowFixture fixture(kWritesSeed + 1);
    test_refund(fixture, fixture.scheme());
}

TEST_CASE("REFUND does the same where a limiter must not be brought back to 0") {
    WindowFixture fixture(kWritesSeed + 2);
    test_refund(fixture, schemes::window::WindowScheme(":exp", true));
}

void test_reset(WindowFixture& fixture) {
    for (int n = 0; n < random_states(kRounds); ++n) {
        const auto round = prepare<domain::ResetItem>(fixture, [&](const StoredKeys& before, std::int64_t now) {
            const auto reset = before.expiry.number().value_or(now);
            domain::ResetItem item;
            if (fixture.one_in(2)) item.if_reset = from_epoch(fixture.one_in(5) ? reset + 1 : reset);
            if (fixture.one_in(3)) item.if_used_at_least = fixture.between(-3, 40);
            if (fixture.one_in(4)) item.if_stored = stored_of(before);
            if (item.if_stored && fixture.one_in(3)) item.if_stored->used = fixture.one_in(2) ? "" : "41";
            return item;
        });
        compare(
            fixture, n, round, domain::WriteKind::reset,
            [&](const CallHead& head) { return fixture.scheme().reset_call(round.pointers(), head); }, expect_reset);
    }
    CHECK(fixture.words == Words{"", "wrong-type", "not-an-integer", "absent", "window-changed", "used-too-low"});
}

TEST_CASE("RESET does what the model does on random windows and tells what it removed, once under each id") {
    WindowFixture fixture(kWritesSeed + 2);
    test_reset(fixture);
}

TEST_CASE("RESET does the same without what Redis 7 brought") {
    WindowFixture fixture(kWritesSeed + 3);
    fixture.be_six();
    test_reset(fixture);
}

/// What may have been removed some time ago.
domain::RestoreItem removed_item(WindowFixture& fixture, std::int64_t server_s) {
    domain::RestoreItem item;
    do item.window = stored_of(fixture.randomize("removed", server_s));
    while (!item.window.used && !item.window.reset_at);
    if (fixture.one_in(8)) item.window.expires[0] = server_s * 1000 - fixture.between(1, 5000);
    item.merge = fixture.one_in(2);
    item.now = from_epoch(server_s + fixture.between(-60, 20));
    return item;
}

void test_restore(WindowFixture& fixture) {
    for (int n = 0; n < random_states(kRounds); ++n) {
        const auto round = prepare<domain::RestoreItem>(
            fixture, [&](const StoredKeys&, std::int64_t now) { return removed_item(fixture, now); });
        compare(
            fixture, n, round, domain::WriteKind::restore,
            [&](const CallHead& head) { return fixture.scheme().restore_call(round.pointers(), head); },
            [&](const auto& before, const auto& item) { return expect_restore(before, item, round.server_s * 1000); });
    }
    CHECK(fixture.words == Words{"", "wrong-type", "not-an-integer", "overflow", "window-there", "closed"});
}

TEST_CASE("RESTORE does what the model does on random windows, once under each id") {
    WindowFixture fixture(kWritesSeed + 4);
    test_restore(fixture);
}

TEST_CASE("RESTORE does the same without what Redis 7 brought") {
    WindowFixture fixture(kWritesSeed + 5);
    fixture.be_six();
    test_restore(fixture);
}

/// Expiries as an earlier look may have seen them, and others that are wanted.
domain::RepairItem repair_of(WindowFixture& fixture, const StoredKeys& before, std::int64_t server_s) {
    const auto moved = [&](std::optional<std::int64_t> expiry, int rarely) -> std::optional<std::int64_t> {
        if (!fixture.one_in(rarely)) return expiry;
        if (expiry && fixture.one_in(2)) return *expiry + (fixture.one_in(2) ? 7000 : -7000);
        return expiry ? std::nullopt : std::optional{(server_s + 500) * 1000};
    };
    const auto reset = before.expiry.number().value_or(server_s + 10);
    const std::int64_t right = (reset + 1) * 1000;
    domain::RepairItem item;
    item.if_reset = from_epoch(fixture.one_in(6) ? reset + 1 : reset);
    item.seen = {moved(known_expiry(before.counter), 12), moved(known_expiry(before.expiry), 12)};
    item.wanted = {right, right};
    if (fixture.one_in(3))
        item.wanted = {moved(known_expiry(before.counter), 3), moved(known_expiry(before.expiry), 3)};
    // One of the two alone would be deleted.
    if (fixture.one_in(10)) (fixture.one_in(2) ? item.wanted[0] : item.wanted[1]) = (server_s - 5) * 1000;
    return item;
}

void test_repair(WindowFixture& fixture) {
    for (int n = 0; n < random_states(kRounds); ++n) {
        const auto round = prepare<domain::RepairItem>(
            fixture, [&](const StoredKeys& before, std::int64_t now) { return repair_of(fixture, before, now); });
        compare(
            fixture, n, round, domain::WriteKind::repair,
            [&](const CallHead& head) { return fixture.scheme().repair_call(round.pointers(), head); },
            [&](const auto& before, const auto& item) {
                return expect_repair(before, item, round.server_s * 1000, fixture.is_six());
            });
    }
    CHECK(fixture.words ==
          Words{"", "wrong-type", "not-an-integer", "no-window", "window-changed", "nothing-to-repair", "closed"});
}

TEST_CASE("REPAIR does what the model does on random windows, once under each id") {
    WindowFixture fixture(kWritesSeed + 6);
    test_repair(fixture);
}

TEST_CASE("REPAIR does the same without what Redis 7 brought") {
    WindowFixture fixture(kWritesSeed + 7);
    fixture.be_six();
    test_repair(fixture);
}

}  // namespace
}  // namespace ratectl::test
