// What can be waited for, and when it has come.
#include "domain/window_goal.h"

#include "support/catch.h"
#include "support/window_look.h"

using namespace ratectl;
using namespace ratectl::domain;

namespace {

SeenWindow last_seen(const std::optional<std::string>& counter, const std::optional<std::string>& expiry,
                     std::optional<std::int64_t> limit = 100) {
    SeenWindow made;
    made.look = test::window_look();
    counter_part(made.look).value = counter;
    expiry_part(made.look).value = expiry;
    made.now = support::from_epoch(1000);
    made.window = judge(made.look, made.now, limit);
    return made;
}

bool holds_now(std::string_view goal, const SeenWindow& last) { return holds(*parse_window_goal(goal), &last, {}); }

}  // namespace

TEST_CASE("what cannot be waited for is refused with what can", "[window-goal]") {
    for (const char* text : {"", "end", "below", "below:", "below:0", "below:0%", "below:-1", "below:x%", "below:1e3",
                             "below:010", "below:99999999999999999999", "Ended", "above:5"}) {
        INFO(text);
        const auto goal = parse_window_goal(text);
        REQUIRE_FALSE(goal);
        CHECK(goal.error().code == support::ExitCode::usage);
        CHECK_FALSE(goal.error().hint.empty());
    }
    CHECK(parse_window_goal("exausted").error().hint == "did you mean 'exhausted'?");
}

TEST_CASE("goals about the limit say that they need it", "[window-goal]") {
    CHECK(parse_window_goal("exhausted")->needs_limit());
    CHECK(parse_window_goal("below:80%")->needs_limit());
    for (const char* text : {"ended", "absent", "changed", "below:80"})
        CHECK_FALSE(parse_window_goal(text)->needs_limit());
}

TEST_CASE("below a share of the limit counts no window as nothing used", "[window-goal]") {
    CHECK(holds_now("below:80%", last_seen("79", "1060")));
    CHECK_FALSE(holds_now("below:80%", last_seen("80", "1060")));
    CHECK(holds_now("below:80.5%", last_seen("80", "1060")));
    CHECK(holds_now("below:80%", last_seen({}, {})));
    CHECK(holds_now("below:80%", last_seen("90", "999")));  // over
    CHECK_FALSE(holds_now("below:80%", last_seen("many", "1060")));
    CHECK_FALSE(holds_now("below:80%", last_seen("1", "1060", std::nullopt)));
    CHECK_FALSE(holds_now("below:80%", last_seen("0", "1060", 0)));
}

TEST_CASE("below a number needs no limit", "[window-goal]") {
    CHECK(holds_now("below:10", last_seen("9", "1060", std::nullopt)));
    CHECK_FALSE(holds_now("below:10", last_seen("10", "1060", std::nullopt)));
    CHECK(holds_now("below:10", last_seen("-3", "1060", std::nullopt)));
    CHECK(holds_now("below:10", last_seen({}, {}, std::nullopt)));
    CHECK_FALSE(holds_now("below:10", last_seen("many", "1060", std::nullopt)));
}

TEST_CASE("exhausted means open with the limit used up", "[window-goal]") {
    CHECK(holds_now("exhausted", last_seen("100", "1060")));
    CHECK(holds_now("exhausted", last_seen("5000", "1000")));
    CHECK_FALSE(holds_now("exhausted", last_seen("99", "1060")));
    CHECK_FALSE(holds_now("exhausted", last_seen("100", "999")));
    CHECK_FALSE(holds_now("exhausted", last_seen("100", "1060", std::nullopt)));
}

TEST_CASE("absent is a window that is not there or is over, and no half of one", "[window-goal]") {
    CHECK(holds_now("absent", last_seen({}, {})));
    CHECK(holds_now("absent", last_seen("5", "999")));
    CHECK_FALSE(holds_now("absent", last_seen("5", "1000")));
    CHECK_FALSE(holds_now("absent", last_seen("5", {})));
    CHECK_FALSE(holds_now("absent", last_seen("many", "999")));
}

TEST_CASE("ended and changed are about what has happened since the first look", "[window-goal]") {
    const auto after = [](std::initializer_list<WindowEvent> events, std::string_view goal) {
        WindowPast past;
        for (const auto event : events) past.note(event);
        const auto open = last_seen("5", "1060");
        return holds(*parse_window_goal(goal), &open, past);
    };
    using enum WindowEvent;
    CHECK_FALSE(after({}, "ended"));
    CHECK_FALSE(after({first, counted, refunded, opened, exhausted, changed}, "ended"));
    CHECK(after({ended, opened}, "ended"));
    CHECK(after({removed}, "ended"));
    CHECK(holds_now("ended", last_seen({}, {})));  // what is over already is not waited for
    CHECK(holds_now("ended", last_seen("5", "999")));
    CHECK_FALSE(holds(*parse_window_goal("ended"), nullptr, {}));  // unless no look has shown it
    CHECK_FALSE(after({first, stale, failed, back}, "changed"));
    for (const auto event : {counted, refunded, ended, opened, removed, exhausted, changed})
        CHECK(after({event}, "changed"));
}
