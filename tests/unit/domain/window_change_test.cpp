// Two looks at a window, and what happened between them: every event, and what looks like one and is another.
#include "domain/window_change.h"

#include <limits>
#include <string>

#include "support/catch.h"
#include "support/window_look.h"

using namespace ratectl;
using namespace ratectl::domain;

namespace {

constexpr std::int64_t kLimit = 100;
using Text = std::optional<std::string>;

/// A light look at second `now`.
SeenWindow seen(std::int64_t now, const Text& counter, const Text& expiry, std::optional<std::int64_t> limit = kLimit,
                const std::string& node = "10.0.0.1:6379") {
    SeenWindow made;
    made.look = test::window_look("core:42");
    counter_part(made.look).value = counter;
    expiry_part(made.look).value = expiry;
    made.now = support::from_epoch(now);
    made.window = judge(made.look, made.now, limit);
    made.node = node;
    return made;
}
SeenWindow open(std::int64_t now, std::int64_t used, std::int64_t reset, const std::string& node = "10.0.0.1:6379") {
    return seen(now, std::to_string(used), std::to_string(reset), kLimit, node);
}
/// A counter whose TTL alone ends it; null: nothing does.
SeenWindow counter(std::int64_t now, std::int64_t used, std::optional<std::int64_t> reset = {}) {
    SeenWindow made;
    const auto& scheme = schemes::scheme_of({"fastify", ""});
    const auto end = reset ? std::optional{std::to_string(*reset)} : std::nullopt;
    made.look = scheme.look_at("core:42", {std::to_string(used), end, {}});
    made.now = support::from_epoch(now);
    made.window = judge(made.look, made.now, kLimit);
    made.node = "10.0.0.1:6379";
    return made;
}
SeenWindow absent_at(std::int64_t now, const std::string& node = "10.0.0.1:6379") {
    return seen(now, {}, {}, kLimit, node);
}

std::string events_of(const std::vector<WindowChange>& changes) {
    std::string text;
    for (const auto& change : changes) {
        text += (text.empty() ? "" : ", ") + std::string(name_of(change.event));
        if (change.delta) text += " " + std::to_string(*change.delta);
        if (!change.shown) text += " unseen";
    }
    return text;
}
std::string between(const SeenWindow& before, const SeenWindow& after, std::optional<support::Seconds> period = {}) {
    return events_of(changes_between(before, after, period));
}

}  // namespace

TEST_CASE("two looks at the same window that nobody uses show no change", "[window-change]") {
    CHECK(between(open(1000, 5, 1060), open(1001, 5, 1060)).empty());
    CHECK(between(absent_at(1000), absent_at(1001)).empty());
}

TEST_CASE("a counter that grew was counted", "[window-change]") {
    CHECK(between(open(1000, 5, 1060), open(1001, 12, 1060)) == "counted 7");
}

TEST_CASE("a counter that fell in the same window was refunded", "[window-change]") {
    CHECK(between(open(1000, 12, 1060), open(1001, 5, 1060)) == "refunded -7");
    CHECK(between(open(1000, 2, 1060), open(1001, -3, 1060)) == "refunded -5");
}

TEST_CASE("a counter that reaches the limit is exhausted once", "[window-change]") {
    CHECK(between(open(1000, 99, 1060), open(1001, 100, 1060)) == "counted 1, exhausted 0");
    CHECK(between(open(1000, 100, 1060), open(1001, 103, 1060)) == "counted 3");
    CHECK(between(open(1000, 103, 1060), open(1001, 90, 1060)) == "refunded -13");
    CHECK(between(open(1000, 90, 1060), open(1001, 101, 1060)) == "counted 11, exhausted 0");
}

TEST_CASE("without a limit nothing is ever exhausted", "[window-change]") {
    CHECK(between(seen(1000, "99", "1060", {}), seen(1001, "5000", "1060", {})) == "counted 4901");
}

TEST_CASE("a window whose reset passed has ended", "[window-change]") {
    CHECK(between(open(1060, 12, 1060), absent_at(1061)) == "ended -12");
    CHECK(between(open(1060, 12, 1060), open(1061, 12, 1060)) == "ended -12");  // its data are still there
    CHECK(between(open(1000, 12, 1060), absent_at(5000)) == "ended -12");
}

TEST_CASE("in the second of its reset a window is still open", "[window-change]") {
    CHECK(between(open(1059, 12, 1060), open(1060, 13, 1060)) == "counted 1");
    CHECK(between(open(1059, 12, 1060), absent_at(1060)) == "removed -12");
}

TEST_CASE("what was left of an ended window and then goes is no change", "[window-change]") {
    CHECK(between(open(1061, 12, 1060), absent_at(1062)).empty());
}

TEST_CASE("a window that is gone before its reset was removed", "[window-change]") {
    CHECK(between(open(1000, 12, 1060), absent_at(1001)) == "removed -12");
}

TEST_CASE("a window where none was has opened", "[window-change]") {
    CHECK(between(absent_at(1000), open(1001, 3, 1061)) == "opened 3");
    CHECK(between(open(1061, 12, 1060), open(1062, 3, 1122)) == "opened 3");
    CHECK(between(absent_at(1000), open(1001, 100, 1061)) == "opened 100, exhausted 0");
}

TEST_CASE("a window that gave way to the next one between two looks has ended first", "[window-change]") {
    CHECK(between(open(1059, 12, 1060), open(1062, 3, 1121)) == "ended -12 unseen, opened 3");
    CHECK(between(open(1059, 12, 1060), open(1062, 150, 1121)) == "ended -12 unseen, opened 150, exhausted 0");
    CHECK(between(open(1059, 100, 1060), open(1062, 100, 1121)) == "ended -100 unseen, opened 100, exhausted 0");
}

TEST_CASE("a window that was reset and counted in between two looks was removed and opened", "[window-change]") {
    CHECK(between(open(1000, 12, 1060), open(1001, 3, 1061)) == "removed -12 unseen, opened 3");
}

TEST_CASE("a known period tells a window that counted more than the removed one", "[window-change]") {
    const support::Seconds period{60};
    CHECK(between(open(1000, 3, 1060), open(1002, 12, 1061), period) == "removed -3 unseen, opened 12");
    CHECK(between(open(1000, 3, 1060), open(1002, 12, 1060), period) == "counted 9");
    // Moved to an end that a window of that period cannot have begun since.
    CHECK(between(open(1000, 3, 1060), open(1002, 12, 1050), period) == "changed 0, counted 9");
}

TEST_CASE("a reset that moved under the same counter is a change", "[window-change]") {
    CHECK(between(open(1000, 12, 1060), open(1001, 12, 1090)) == "changed 0");
    CHECK(between(open(1000, 12, 1060), open(1001, 12, 1050)) == "changed 0");
    CHECK(between(open(1000, 99, 1060), open(1001, 101, 1050)) == "changed 0, counted 2, exhausted 0");
}

TEST_CASE("a window that came and went between two looks has ended", "[window-change]") {
    CHECK(between(absent_at(1000), open(1010, 4, 1005)) == "ended 0");
    CHECK(between(absent_at(1000), open(1010, 4, 900)).empty());  // an old one that was written
}

TEST_CASE("halves and nonsense are changes of their own", "[window-change]") {
    const auto orphan_counter = seen(1001, "12", {});
    const auto orphan_expiry = seen(1001, {}, "1060");
    const auto corrupt = seen(1001, "many", "1060");
    CHECK(between(open(1000, 12, 1060), orphan_counter) == "changed -12");
    CHECK(between(open(1000, 12, 1060), orphan_expiry) == "changed -12");
    CHECK(between(open(1000, 12, 1060), corrupt) == "changed");
    CHECK(between(absent_at(1000), orphan_counter) == "changed 0");
    CHECK(between(orphan_counter, seen(1002, "13", {})) == "changed 0");
    CHECK(between(orphan_counter, orphan_counter).empty());
    CHECK(between(corrupt, corrupt).empty());
    CHECK(between(corrupt, seen(1002, "few", "1060")) == "changed");
    CHECK(between(corrupt, absent_at(1002)) == "changed");
    CHECK(between(orphan_counter, absent_at(1002)) == "changed 0");
}

TEST_CASE("what becomes whole again has opened, or its missing half came back", "[window-change]") {
    CHECK(between(seen(1000, "12", {}), open(1001, 12, 1060)) == "opened 12");
    CHECK(between(seen(1000, {}, "1060"), open(1001, 1, 1060)) == "changed 1");
    CHECK(between(seen(1000, {}, "1060"), open(1001, 100, 1060)) == "changed 100, exhausted 0");
    CHECK(between(seen(1000, "many", "1050"), open(1001, 1, 1060)) == "opened 1");
}

TEST_CASE("a window that ended and left nonsense behind has ended first", "[window-change]") {
    CHECK(between(open(1060, 12, 1060), seen(1061, "many", "1060")) == "ended -12, changed 0");
}

TEST_CASE("an end that was moved into the past closes a window without its reset having passed", "[window-change]") {
    CHECK(between(open(1000, 12, 1060), open(1001, 12, 990)) == "changed -12");
}

TEST_CASE("a clock that went back opens no new window", "[window-change]") {
    CHECK(between(open(1061, 12, 1060), open(1055, 12, 1060)) == "changed 12");
    CHECK(between(open(1010, 12, 1060), open(1000, 13, 1060)) == "counted 1");
    CHECK(between(open(1010, 12, 1060), absent_at(1000)) == "removed -12");
}

TEST_CASE("a window that never expires any more is a change", "[window-change]") {
    const auto full = [](std::int64_t now, std::int64_t ttl) {
        auto made = open(now, 12, 1060);
        made.look.depth = LookDepth::full;
        for (auto* half : {&counter_part(made.look), &expiry_part(made.look)}) {
            half->type = "string";
            half->ttl_ms = ttl;
        }
        made.window = judge(made.look, made.now, kLimit);
        return made;
    };
    CHECK(between(full(1000, 60'000), full(1001, 59'000)).empty());
    CHECK(between(full(1000, 60'000), full(1001, -1)) == "changed 0");
    CHECK(between(full(1000, -1), full(1001, 59'000)) == "changed 0");
}

TEST_CASE("an older answer of another server is stale, and no change of the window", "[window-change]") {
    const std::string other = "10.0.1.1:6379";
    CHECK(between(open(1000, 12, 1060), open(1001, 8, 1060, other)) == "stale -4");
    CHECK(between(open(1000, 12, 1060), absent_at(1001, other)) == "stale -12");
    CHECK(between(open(1000, 12, 1060), open(1001, 99, 1050, other)) == "stale 87");
    CHECK(between(open(1000, 12, 1060), seen(1001, "12", {}, kLimit, other)) == "stale -12");
}

TEST_CASE("another server that is not behind shows what happened as the first one would", "[window-change]") {
    const std::string other = "10.0.1.1:6379";
    CHECK(between(open(1000, 12, 1060), open(1001, 12, 1060, other)).empty());
    CHECK(between(open(1000, 12, 1060), open(1001, 15, 1060, other)) == "counted 3");
    CHECK(between(open(1060, 12, 1060), absent_at(1061, other)) == "ended -12");
    CHECK(between(open(1000, 12, 1060), open(1001, 3, 1061, other)) == "removed -12 unseen, opened 3");
    CHECK(between(open(1001, 8, 1060, other), open(1002, 7, 1060, other)) == "refunded -1");
}

TEST_CASE("differences of extreme counters are held within their range", "[window-change]") {
    constexpr auto least = std::numeric_limits<std::int64_t>::min();
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    CHECK(between(open(1000, least, 1060), open(1001, most, 1060)) ==
          "counted " + std::to_string(most) + ", exhausted 0");
    CHECK(between(open(1000, least, 1060), absent_at(1001)) == "removed " + std::to_string(most));
}

TEST_CASE("the deltas of all changes sum up to what is used", "[window-change]") {
    const std::vector<SeenWindow> looks{
        absent_at(1000),     open(1001, 3, 1061), open(1002, 120, 1061),  open(1003, 80, 1061), absent_at(1004),
        open(1005, 7, 1065), open(1006, 2, 1066), open(1066, 9, 1066),    open(1070, 4, 1130),  seen(1071, "4", {}),
        open(1072, 5, 1132), open(1133, 5, 1132), seen(1134, {}, "1132"), open(1135, 11, 1195)};
    std::int64_t sum = 0;
    for (std::size_t i = 1; i < looks.size(); ++i) {
        for (const auto& change : changes_between(looks[i - 1], looks[i])) sum += change.delta.value_or(0);
        const auto& last = looks[i];
        const auto used = open_until(last.look, last.now) ? *last.window.used : 0;
        INFO(i);
        CHECK(sum == used);
    }
}

namespace {

bool behind(const SeenWindow& replica_before, const SeenWindow& replica, const SeenWindow& primary_before,
            const SeenWindow& primary) {
    return is_behind({replica_before, replica}, {primary_before, primary});
}

}  // namespace

TEST_CASE("a replica is behind when it lacks what its primary had a round ago", "[window-change]") {
    const auto old = open(1000, 5, 1060);
    CHECK(behind(old, open(1001, 5, 1060), open(1000, 8, 1060), open(1001, 9, 1060)));
    CHECK(behind(absent_at(1000), absent_at(1001), open(1000, 8, 1060), open(1001, 8, 1060)));
    CHECK(behind(old, open(1001, 5, 1050), open(1000, 8, 1060), open(1001, 8, 1060)));
    CHECK(behind(old, open(1001, 5, 1060), absent_at(1000), absent_at(1001)));  // it still has a removed one
}

TEST_CASE("a replica is not behind for what came within the last round", "[window-change]") {
    const auto old = open(1000, 5, 1060);
    CHECK_FALSE(behind(old, open(1001, 8, 1060), open(1000, 8, 1060), open(1001, 12, 1060)));
    CHECK_FALSE(behind(absent_at(1000), absent_at(1001), absent_at(1000), open(1001, 2, 1061)));
    CHECK_FALSE(behind(old, open(1001, 5, 1060), open(1000, 5, 1060), absent_at(1001)));
    CHECK_FALSE(behind(old, open(1001, 10, 1060), open(1000, 10, 1060), open(1001, 6, 1060)));
    CHECK_FALSE(behind(old, absent_at(1001), open(1000, 5, 1060), absent_at(1001)));
}

TEST_CASE("a replica that was read a moment after its primary is not ahead of anything", "[window-change]") {
    CHECK_FALSE(behind(open(1000, 8, 1060), open(1001, 13, 1060), open(1000, 8, 1060), open(1001, 12, 1060)));
    CHECK_FALSE(behind(absent_at(1000), open(1001, 1, 1061), absent_at(1000), absent_at(1001)));  // opened just now
    CHECK_FALSE(behind(open(1059, 8, 1060), open(1061, 8, 1060), open(1059, 8, 1060), open(1060, 8, 1060)));
}

// Each was a mere `changed`, and reaching the limit was not told.
TEST_CASE("a counter that never ends is counted into as an open window is", "[window-change]") {
    CHECK(between(counter(1000, 5), counter(1001, 12)) == "counted 7");
    CHECK(between(counter(1000, 5), counter(1001, 3)) == "refunded -2");
    CHECK(between(counter(1000, 99), counter(1001, 101)) == "counted 2, exhausted 0");
    CHECK(between(counter(1000, 101), counter(1001, 102)) == "counted 1");
    CHECK(between(absent_at(1000), counter(1001, 5)) == "opened 5");
    CHECK(between(counter(1000, 5), absent_at(1001)) == "removed -5");
}

// It was `removed`, as if it had been reset by hand.
TEST_CASE("a counter that goes with its key in the midst of its last second has ended", "[window-change]") {
    CHECK(between(counter(1000, 5, 1060), absent_at(1059)) == "removed -5");
    CHECK(between(counter(1000, 5, 1060), absent_at(1060)) == "ended -5");
    CHECK(between(counter(1000, 5, 1060), counter(1060, 1, 1120), support::Seconds{60}) == "ended -5 unseen, opened 1");
}

TEST_CASE("a counter that gets an end or loses it goes on", "[window-change]") {
    const support::Seconds period{60};
    CHECK(between(counter(1000, 5), counter(1001, 7, 1061), period) == "changed 0, counted 2");
    CHECK(between(counter(1000, 5, 1060), counter(1001, 7), period) == "changed 0, counted 2");
    CHECK(between(counter(1000, 5), counter(1001, 1, 1061), period) == "removed -5 unseen, opened 1");
}
