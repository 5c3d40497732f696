// The classes of faults, one after the other, and what is none.
#include "domain/diagnosis/finding.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "support/catch.h"
#include "support/window_look.h"
#include "unit/domain/sound_halves.h"
#include "unit/random_source.h"

using namespace ratectl;
using namespace ratectl::domain;
using support::from_epoch;
using test::kEndsAt;
using test::kExpiresAt;
using test::kLookedAt;
using test::kNever;
using test::no_half;
using test::text_half;

namespace {

Circumstances with_period(std::optional<std::int64_t> period_s = 3600) {
    Circumstances made;
    made.now = from_epoch(kLookedAt);
    made.server_now = support::WallTime{support::Seconds{kLookedAt}};
    if (period_s) made.period = support::Seconds{*period_s};
    return made;
}

StoredKey list() {
    StoredKey half;
    half.type = "list";
    half.ttl_ms = -1;
    return half;
}

WindowLook look_at(StoredKey counter, StoredKey expiry, std::string key = "core:42") {
    return test::window_look(std::move(key), LookDepth::full, std::move(counter), std::move(expiry));
}

WindowLook sound() { return look_at(text_half("7"), text_half(std::to_string(kEndsAt))); }

/// The words of all findings, `+` between them.
std::string classes_of(const WindowLook& window, const Circumstances& circumstances = with_period()) {
    std::string words;
    for (const auto& finding : diagnose(window, circumstances)) {
        if (!words.empty()) words += '+';
        words += name_of(finding.what);
    }
    return words;
}

std::string detail(const WindowLook& window, const Circumstances& circumstances = with_period()) {
    const auto findings = diagnose(window, circumstances);
    return findings.empty() ? "" : findings.front().detail;
}

}  // namespace

TEST_CASE("a window whose halves expire one second after its end is sound") {
    CHECK(classes_of(sound()).empty());
    CHECK(looks_sound(sound(), with_period()));
    CHECK(right_expiry_ms(sound()) == kExpiresAt);
}

TEST_CASE("an expiry may be off by what clocks cost and no more") {
    for (const std::int64_t off : {-1000, -1, 1, 1000}) {
        const auto window = look_at(text_half("7", kExpiresAt + off), text_half(std::to_string(kEndsAt), kExpiresAt));
        CHECK(classes_of(window).empty());
        CHECK(looks_sound(window, with_period()));
    }
    CHECK(classes_of(look_at(text_half("7", kExpiresAt - 1001), text_half(std::to_string(kEndsAt)))) == "ttl-short");
    CHECK(classes_of(look_at(text_half("7", kExpiresAt + 1001), text_half(std::to_string(kEndsAt)))) == "ttl-long");
}

TEST_CASE("a wrong expiry names the half and by how much") {
    CHECK(detail(look_at(text_half("7", kExpiresAt - 60'000), text_half(std::to_string(kEndsAt)))) ==
          "the counter expires 1m too early");
    CHECK(detail(look_at(text_half("7"), text_half(std::to_string(kEndsAt), kExpiresAt + 5'000))) ==
          "the expiry half expires 5s too late");
    CHECK(detail(look_at(text_half("7", kNever), text_half(std::to_string(kEndsAt), kNever))) ==
          "both halves have no TTL");
    CHECK(detail(look_at(text_half("7", kNever), text_half(std::to_string(kEndsAt)))) == "the counter has no TTL");
}

TEST_CASE("a missing TTL hides an early one and an early one a late one") {
    CHECK(classes_of(look_at(text_half("7", kNever), text_half(std::to_string(kEndsAt), kExpiresAt - 60'000))) ==
          "leaked");
    CHECK(classes_of(look_at(text_half("7", kExpiresAt + 60'000),
                             text_half(std::to_string(kEndsAt), kExpiresAt - 60'000))) == "ttl-short");
}

TEST_CASE("before Redis 7 the expiry is what is left on the server's clock") {
    auto window = sound();
    counter_part(window).expires_at_ms.reset();
    expiry_part(window).expires_at_ms.reset();
    CHECK(classes_of(window).empty());
    counter_part(window).ttl_ms = *counter_part(window).ttl_ms - 30'000;
    CHECK(classes_of(window) == "ttl-short");
}

TEST_CASE("half a window is an orphan and says whether it stays for ever") {
    CHECK(classes_of(look_at(text_half("7"), no_half())) == "orphan-counter");
    CHECK(detail(look_at(text_half("7", kNever), no_half())) ==
          "7 used, no expiry half and no TTL: a late EXPIREAT leaves this");
    CHECK(classes_of(look_at(no_half(), text_half(std::to_string(kEndsAt)))) == "orphan-expiry");
    CHECK(classes_of(look_at(no_half(), no_half())).empty());
}

TEST_CASE("what is no string or no integer is corrupt whatever else is wrong") {
    CHECK(classes_of(look_at(text_half("abc", kNever), text_half(std::to_string(kEndsAt)))) == "corrupt");
    CHECK(detail(look_at(text_half("007"), text_half(std::to_string(kEndsAt)))) ==
          "the counter holds '007', which is no integer");
    // These are integers, and were said to be none.
    CHECK(detail(look_at(text_half("7"), text_half("-1"))) == "the expiry half holds '-1', which is out of range");
    CHECK(detail(look_at(text_half("7"), text_half("9007199254740993"))) ==
          "the expiry half holds '9007199254740993', which is out of range");
    CHECK(detail(look_at(text_half("-99999999999999999999"), text_half("-0"))) ==
          "the counter holds '-99999999999999999999', which is out of range; the expiry half holds '-0', which is no "
          "integer");
    CHECK(detail(look_at(list(), text_half(std::to_string(kEndsAt)))) == "the counter is a list");
    CHECK(classes_of(look_at(text_half("7"), text_half("soon"))) == "corrupt");
    CHECK(classes_of(look_at(text_half("7"), list())) == "corrupt");
    CHECK(classes_of(look_at(list(), no_half())) == "corrupt");
}

TEST_CASE("what an application does with a corrupt window is told of each half as its scripts read it") {
    const auto effect = [](StoredKey counter, StoredKey expiry) {
        const auto findings = diagnose(look_at(std::move(counter), std::move(expiry)), with_period());
        REQUIRE(findings.size() == 1);
        return std::string(findings.front().effect());
    };
    const auto open = [] { return text_half(std::to_string(kEndsAt)); };
    const auto over = [] { return text_half(std::to_string(kLookedAt - 1)); };
    for (const char* const counter : {"12abc", "", " 7", "99999999999999999999"}) {
        INFO(counter);
        CHECK(effect(text_half(counter), open()).starts_with("every request of this client fails at INCRBY until"));
        CHECK(effect(text_half(counter), over()).starts_with("the application sees no window: the next request"));
        CHECK(effect(text_half(counter), no_half()).starts_with("the application sees no window: the next request"));
    }
    CHECK(effect(list(), open()).starts_with("every look and every request of this client ends in an error"));
    CHECK(effect(list(), over()).starts_with("looks at this client end in an error"));
    CHECK(effect(list(), no_half()).starts_with("looks at this client end in an error"));
    CHECK(effect(text_half("7"), list()).starts_with("every look and every request of this client ends in an error"));
    for (const char* const end : {"soon", "", "1800000000soon", "007", "12.5"}) {
        INFO(end);
        CHECK(effect(text_half("7"), text_half(end)).starts_with("the application sees no window: the next request"));
    }
    // Lua reads these: microseconds, a fraction, a blank.
    for (const char* const end : {"1800000600000000000", "1800000600.5", " 1800000600"}) {
        INFO(end);
        CHECK(effect(text_half("7"), text_half(end)).starts_with("the application takes the end for a number"));
        CHECK(effect(text_half("x"), text_half(end)).starts_with("every request of this client fails at INCRBY"));
    }
}

TEST_CASE("milliseconds taken for seconds are told from an end that is only far away") {
    const auto ms = look_at(text_half("7", (kEndsAt * 1000 + 1) * 1000),
                            text_half(std::to_string(kEndsAt * 1000), (kEndsAt * 1000 + 1) * 1000));
    CHECK(classes_of(ms) == "expiry-absurd");
    CHECK(detail(ms).find("milliseconds taken for seconds, it would be 2027-01-15") != std::string::npos);
    const auto ends_in = [](std::int64_t seconds) {
        const auto end = kLookedAt + seconds;
        return look_at(text_half("7", (end + 1) * 1000), text_half(std::to_string(end), (end + 1) * 1000));
    };
    CHECK(classes_of(ends_in(86400)).empty());
    CHECK(classes_of(ends_in(86401)) == "expiry-absurd");
    CHECK(detail(ends_in(86401)).find("the policy's period is 1h") != std::string::npos);
    CHECK(classes_of(ends_in(86401), with_period(std::nullopt)).empty());
    CHECK(classes_of(ends_in(std::int64_t{3651} * 86400), with_period(std::nullopt)) == "expiry-absurd");
    CHECK(classes_of(ends_in(864'000), with_period(86400)).empty());
}

TEST_CASE("a window that is over is garbage only where its keys do not expire as they should") {
    const auto ended = [](std::int64_t ago, std::int64_t expires_ms) {
        return look_at(text_half("7", expires_ms), text_half(std::to_string(kLookedAt - ago), expires_ms));
    };
    CHECK(classes_of(ended(500, kNever)) == "expiry-past");
    CHECK(detail(ended(500, kNever)) == "it ended 8m20s ago, and both halves have no TTL");
    CHECK(classes_of(ended(500, kExpiresAt)) == "expiry-past");
    // Still there although it should have expired: the server's clock is behind, and nothing is wrong with the window.
    CHECK(classes_of(ended(5, (kLookedAt - 5 + 1) * 1000)).empty());
    // Within the grace it is not sure that it is over.
    CHECK(classes_of(ended(11, kNever)) == "expiry-past");
    CHECK(classes_of(ended(10, kNever)) == "leaked");
    auto behind = with_period();
    behind.server_now -= support::Seconds{60};
    CHECK(classes_of(ended(30, kNever), behind) == "leaked");
}

TEST_CASE("a count below zero is a fault while the window is open") {
    CHECK(classes_of(look_at(text_half("-1"), text_half(std::to_string(kEndsAt)))) == "negative");
    CHECK(classes_of(look_at(text_half("-1", kNever), text_half(std::to_string(kEndsAt)))) == "leaked+negative");
    CHECK(classes_of(
              look_at(text_half("-1", kLookedAt * 1000), text_half(std::to_string(kLookedAt - 1), kLookedAt * 1000)))
              .empty());
}

TEST_CASE("a key that ends as expiry halves do shares a key with another window") {
    const auto window = look_at(text_half("7"), text_half(std::to_string(kEndsAt)), "core:42:exp");
    CHECK(classes_of(window) == "suffix-clash");
    CHECK(detail(window) == "its counter is the expiry half of 'core:42'");
    CHECK_FALSE(looks_sound(window, with_period()));
}

TEST_CASE("half a window that no policy knows is one only if it holds a number") {
    auto unknown = with_period();
    unknown.is_ours = false;
    CHECK(classes_of(look_at(text_half("hello"), no_half()), unknown).empty());
    CHECK(classes_of(look_at(list(), no_half()), unknown).empty());
    CHECK(classes_of(look_at(no_half(), text_half("1999-12-31")), unknown).empty());
    CHECK(classes_of(look_at(text_half("7"), no_half()), unknown) == "orphan-counter");
    CHECK(classes_of(look_at(text_half("hello"), text_half(std::to_string(kEndsAt))), unknown) == "corrupt");
}

TEST_CASE("no window that is faulty looks sound") {
    test::RandomSource random;
    SHOW_SEED(random);
    const auto half = [&random](bool counter) {
        switch (random.number(0, 5)) {
            case 0: return no_half();
            case 1: return list();
            case 2: return text_half(counter ? "-5" : "soon");
            default: {
                const std::int64_t ends[] = {kEndsAt, kEndsAt * 1000, kLookedAt - 500, kLookedAt - 5};
                const std::int64_t expiries[] = {kExpiresAt, kNever, kExpiresAt - 5000, kExpiresAt + 5000,
                                                 (kLookedAt - 4) * 1000};
                return text_half(counter ? "7" : std::to_string(ends[random.number(0, 3)]),
                                 expiries[random.number(0, 4)]);
            }
        }
    };
    int faulty = 0;
    for (int i = 0; i < 20'000; ++i) {
        const auto window = look_at(half(true), half(false));
        if (diagnose(window, with_period()).empty()) continue;
        ++faulty;
        CHECK_FALSE(looks_sound(window, with_period()));
    }
    CHECK(faulty > 5000);
}

TEST_CASE("every class has a name of its own and words for each question") {
    std::set<std::string_view> names;
    for (const FindingKind& kind : finding_kinds()) {
        CHECK(&kind == &kind_of(kind.what));
        CHECK(names.insert(kind.name).second);
        CHECK(finding_class_from(kind.name) == kind.what);
        CHECK_FALSE(kind.wrong.empty());
        CHECK_FALSE(kind.effect.empty());
        CHECK_FALSE(kind.advice.empty());
        CHECK((kind.is_window() || kind.repair == Repair::none));
    }
    CHECK_FALSE(finding_class_from("leak"));
}
