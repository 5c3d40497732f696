// Which word every window gets, and what many servers' words make together.
#include "domain/verdict.h"

#include <string>
#include <vector>

#include "support/catch.h"
#include "support/window_look.h"

using namespace ratectl;
using namespace ratectl::domain;

namespace {

constexpr std::int64_t kRuledAt = 1000;

WindowLook stored_look(std::optional<std::string> used, std::optional<std::string> end) {
    auto made = test::window_look("core:42", LookDepth::full);
    const auto half = [](std::optional<std::string> value) {
        StoredKey one;
        one.type = value ? "string" : "none";
        one.ttl_ms = value ? 5000 : -2;
        one.value = std::move(value);
        return one;
    };
    counter_part(made) = half(std::move(used));
    expiry_part(made) = half(std::move(end));
    return made;
}

std::string ruling(const WindowLook& seen, std::optional<std::int64_t> limit) {
    const auto now = support::from_epoch(kRuledAt);
    const auto ruling = rule_on(judge(seen, now, limit), now);
    return std::string(name_of(ruling.verdict)) + " " + std::string(name_of(ruling.reason));
}

const Ruling kFresh{Verdict::allowed, VerdictReason::no_window};
const Ruling kLimited{Verdict::limited, VerdictReason::limit_used_up};

Answer answer(std::optional<std::int64_t> used, std::optional<std::int64_t> remaining) {
    Answer made;
    made.used = used;
    if (used) made.reset_at = support::from_epoch(1060);
    made.remaining = remaining;
    return made;
}

Divergence shard(std::vector<Answer> answers, Standing standing = Standing::configured_primary) {
    Divergence made;
    made.standing = standing;
    made.answers = std::move(answers);
    return made;
}

}  // namespace

TEST_CASE("A window below its limit is allowed and one at its limit is limited") {
    CHECK(ruling(stored_look("19", "1060"), 20) == "allowed below-limit");
    CHECK(ruling(stored_look("20", "1060"), 20) == "limited limit-used-up");
    CHECK(ruling(stored_look("21", "1060"), 20) == "limited limit-used-up");
    CHECK(ruling(stored_look("-3", "1060"), 20) == "allowed below-limit");
}

TEST_CASE("The last second of a window still counts in the verdict") {
    CHECK(ruling(stored_look("20", "1000"), 20) == "limited limit-used-up");
    CHECK(ruling(stored_look("20", "999"), 20) == "allowed window-over");
}

TEST_CASE("A count without a known limit never looks fine") {
    CHECK(ruling(stored_look("1", "1060"), std::nullopt) == "limit-unknown no-limit-known");
    CHECK(ruling(stored_look("1", "1000"), std::nullopt) == "limit-unknown no-limit-known");
    // An absent one was called allowed: the limit may be 0.
    CHECK(ruling(stored_look(std::nullopt, std::nullopt), std::nullopt) == "limit-unknown no-limit-known");
    CHECK(ruling(stored_look("1", "900"), std::nullopt) == "limit-unknown no-limit-known");
    CHECK(ruling(stored_look("1", std::nullopt), std::nullopt) == "limit-unknown no-limit-known");
}

TEST_CASE("Without a window that counts the next request is allowed") {
    CHECK(ruling(stored_look(std::nullopt, std::nullopt), 20) == "allowed no-window");
    CHECK(ruling(stored_look("20", std::nullopt), 20) == "allowed half-window");
    CHECK(ruling(stored_look(std::nullopt, "1060"), 20) == "allowed half-window");
}

TEST_CASE("A leaked window is judged by its end like any other") {
    auto leaked = stored_look("20", "1060");
    counter_part(leaked).ttl_ms = -1;
    CHECK(ruling(leaked, 20) == "limited limit-used-up");
    expiry_part(leaked).value = "900";
    CHECK(ruling(leaked, 20) == "allowed window-over");
}

TEST_CASE("A limit of zero refuses everybody even where nothing is counted") {
    CHECK(ruling(stored_look(std::nullopt, std::nullopt), 0) == "limited limit-is-zero");
    CHECK(ruling(stored_look("0", "1060"), 0) == "limited limit-is-zero");
}

TEST_CASE("What cannot be counted on is broken whatever the limit") {
    CHECK(ruling(stored_look("12.5", "1060"), 20) == "broken corrupt");
    CHECK(ruling(stored_look("7", "soon"), std::nullopt) == "broken corrupt");
}

TEST_CASE("Answers are ruled on like the windows they come from") {
    CHECK(rule_on(answer(std::nullopt, 20)) == Verdict::allowed);
    CHECK(rule_on(answer(std::nullopt, std::nullopt)) == Verdict::limit_unknown);
    CHECK(rule_on(answer(19, 1)) == Verdict::allowed);
    CHECK(rule_on(answer(20, 0)) == Verdict::limited);
    CHECK(rule_on(answer(std::nullopt, 0)) == Verdict::limited);
    CHECK(rule_on(answer(1, std::nullopt)) == Verdict::limit_unknown);
    auto last = answer(20, 0);
    last.passes = true;
    CHECK(rule_on(last) == Verdict::allowed);
    auto broken = answer(std::nullopt, std::nullopt);
    broken.corrupt = true;
    CHECK(rule_on(broken) == Verdict::broken);
}

TEST_CASE("Servers that decide alike have the verdict of the one that counts") {
    CHECK(rule_on_all(kFresh, shard({answer(std::nullopt, 20), answer(7, 13)})) == kFresh);
    CHECK(rule_on_all(kLimited, shard({answer(20, 0)}, Standing::promoted_replica)) == kLimited);
}

TEST_CASE("Servers that decide differently disagree whichever of them is right") {
    const Ruling disagreement{Verdict::disagreement, VerdictReason::servers_differ};
    CHECK(rule_on_all(kFresh, shard({answer(std::nullopt, 20), answer(20, 0)})) == disagreement);
    CHECK(rule_on_all(kLimited, shard({answer(20, 0), answer(7, 13)})) == disagreement);
}

TEST_CASE("A decision that hangs on whose clock is right is a disagreement of clocks") {
    auto theirs = answer(20, 0);
    theirs.by_their_clock_only = true;
    CHECK(rule_on_all(kFresh, shard({answer(std::nullopt, 20), theirs})) ==
          Ruling{Verdict::disagreement, VerdictReason::clocks_differ});
    theirs = answer(7, 13);
    theirs.by_their_clock_only = true;
    CHECK(rule_on_all(kFresh, shard({answer(std::nullopt, 20), theirs})) == kFresh);
}

TEST_CASE("Without an answer of a primary the verdict is unknown") {
    CHECK(rule_on_all(kLimited, shard({answer(20, 0)}, Standing::best_replica)) ==
          Ruling{Verdict::unknown, VerdictReason::primary_silent});
    CHECK(rule_on_all(std::nullopt, shard({}, Standing::none)) ==
          Ruling{Verdict::unknown, VerdictReason::nobody_answered});
}
