// The classes of faults, one after the other, and what is none.
#include "domain/finding.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "support/catch.h"
#include "unit/random_source.h"

using namespace ratectl;
using namespace ratectl::domain;
using support::from_epoch;

namespace {

constexpr std::int64_t kNow = 1'800'000'000;
constexpr std::int64_t kEnd = kNow + 600;
constexpr std::int64_t kRight = (kEnd + 1) * 1000;
constexpr std::int64_t kNever = -1;

Circumstances around(std::optional<std::int64_t> period_s = 3600) {
    Circumstances made;
    made.now = from_epoch(kNow);
    made.server_now = support::WallTime{support::Seconds{kNow}};
    if (period_s) made.period = support::Seconds{*period_s};
    return made;
}

HalfLook text(std::string value, std::int64_t expires_ms = kRight) {
    HalfLook half;
    half.value = std::move(value);
    half.type = "string";
    if (expires_ms == kNever) {
        half.ttl_ms = -1;
    } else {
        half.expires_at_ms = expires_ms;
        half.ttl_ms = expires_ms - kNow * 1000;
    }
    return half;
}

HalfLook absent() {
    HalfLook half;
    half.type = "none";
    half.ttl_ms = -2;
    return half;
}

HalfLook list() {
    HalfLook half;
    half.type = "list";
    half.ttl_ms = -1;
    return half;
}

WindowLook look(HalfLook counter, HalfLook expiry, std::string key = "core:42") {
    return {std::move(key), LookDepth::full, std::move(counter), std::move(expiry)};
}

WindowLook sound() { return look(text("7"), text(std::to_string(kEnd))); }

/// The words of all findings, `+` between them.
std::string words(const WindowLook& window, const Circumstances& circumstances = around()) {
    std::string words;
    for (const auto& finding : diagnose(window, circumstances)) {
        if (!words.empty()) words += '+';
        words += name_of(finding.what);
    }
    return words;
}

std::string detail(const WindowLook& window, const Circumstances& circumstances = around()) {
    const auto findings = diagnose(window, circumstances);
    return findings.empty() ? "" : findings.front().detail;
}

}  // namespace

TEST_CASE("a window whose halves expire one second after its end is sound") {
    CHECK(words(sound()).empty());
    CHECK(looks_sound(sound(), around()));
    CHECK(right_expiry_ms(sound()) == kRight);
}

TEST_CASE("an expiry may be off by what clocks cost and no more") {
    for (const std::int64_t off : {-1000, -1, 1, 1000}) {
        const auto window = look(text("7", kRight + off), text(std::to_string(kEnd), kRight));
        CHECK(words(window).empty());
        CHECK(looks_sound(window, around()));
    }
    CHECK(words(look(text("7", kRight - 1001), text(std::to_string(kEnd)))) == "ttl-short");
    CHECK(words(look(text("7", kRight + 1001), text(std::to_string(kEnd)))) == "ttl-long");
}

TEST_CASE("a wrong expiry names the half and by how much") {
    CHECK(detail(look(text("7", kRight - 60'000), text(std::to_string(kEnd)))) == "the counter expires 1m too early");
    CHECK(detail(look(text("7"), text(std::to_string(kEnd), kRight + 5'000))) == "the expiry half expires 5s too late");
    CHECK(detail(look(text("7", kNever), text(std::to_string(kEnd), kNever))) == "both halves have no TTL");
    CHECK(detail(look(text("7", kNever), text(std::to_string(kEnd)))) == "the counter has no TTL");
}

TEST_CASE("a missing TTL hides an early one and an early one a late one") {
    CHECK(words(look(text("7", kNever), text(std::to_string(kEnd), kRight - 60'000))) == "leaked");
    CHECK(words(look(text("7", kRight + 60'000), text(std::to_string(kEnd), kRight - 60'000))) == "ttl-short");
}

TEST_CASE("before Redis 7 the expiry is what is left on the server's clock") {
    auto window = sound();
    window.counter.expires_at_ms.reset();
    window.expiry.expires_at_ms.reset();
    CHECK(words(window).empty());
    window.counter.ttl_ms = *window.counter.ttl_ms - 30'000;
    CHECK(words(window) == "ttl-short");
}

TEST_CASE("half a window is an orphan and says whether it stays for ever") {
    CHECK(words(look(text("7"), absent())) == "orphan-counter");
    CHECK(detail(look(text("7", kNever), absent())) ==
          "7 used, no expiry half and no TTL: a late EXPIREAT leaves this");
    CHECK(words(look(absent(), text(std::to_string(kEnd)))) == "orphan-expiry");
    CHECK(words(look(absent(), absent())).empty());
}

TEST_CASE("what is no string or no integer is corrupt whatever else is wrong") {
    CHECK(words(look(text("abc", kNever), text(std::to_string(kEnd)))) == "corrupt");
    CHECK(detail(look(text("007"), text(std::to_string(kEnd)))) == "the counter holds '007', which is no integer");
    CHECK(detail(look(list(), text(std::to_string(kEnd)))) == "the counter is a list");
    CHECK(words(look(text("7"), text("soon"))) == "corrupt");
    CHECK(words(look(text("7"), list())) == "corrupt");
    CHECK(words(look(list(), absent())) == "corrupt");
}

TEST_CASE("milliseconds taken for seconds are told from an end that is only far away") {
    const auto ms =
        look(text("7", (kEnd * 1000 + 1) * 1000), text(std::to_string(kEnd * 1000), (kEnd * 1000 + 1) * 1000));
    CHECK(words(ms) == "expiry-absurd");
    CHECK(detail(ms).find("milliseconds taken for seconds, it would be 2027-01-15") != std::string::npos);
    const auto ends_in = [](std::int64_t seconds) {
        const auto end = kNow + seconds;
        return look(text("7", (end + 1) * 1000), text(std::to_string(end), (end + 1) * 1000));
    };
    CHECK(words(ends_in(86400)).empty());
    CHECK(words(ends_in(86401)) == "expiry-absurd");
    CHECK(detail(ends_in(86401)).find("the policy's period is 1h") != std::string::npos);
    CHECK(words(ends_in(86401), around(std::nullopt)).empty());
    CHECK(words(ends_in(std::int64_t{3651} * 86400), around(std::nullopt)) == "expiry-absurd");
    CHECK(words(ends_in(864'000), around(86400)).empty());
}

TEST_CASE("a window that is over is garbage only where its keys do not expire as they should") {
    const auto ended = [](std::int64_t ago, std::int64_t expires_ms) {
        return look(text("7", expires_ms), text(std::to_string(kNow - ago), expires_ms));
    };
    CHECK(words(ended(500, kNever)) == "expiry-past");
    CHECK(detail(ended(500, kNever)) == "over since 8m20s, and both halves have no TTL");
    CHECK(words(ended(500, kRight)) == "expiry-past");
    // Still there although it should have expired: the server's clock is behind, and nothing is wrong with the window.
    CHECK(words(ended(5, (kNow - 5 + 1) * 1000)).empty());
    // Within the grace nobody is sure that it is over.
    CHECK(words(ended(11, kNever)) == "expiry-past");
    CHECK(words(ended(10, kNever)) == "leaked");
    auto behind = around();
    behind.server_now -= support::Seconds{60};
    CHECK(words(ended(30, kNever), behind) == "leaked");
}

TEST_CASE("a count below zero is a fault while the window is open") {
    CHECK(words(look(text("-1"), text(std::to_string(kEnd)))) == "negative");
    CHECK(words(look(text("-1", kNever), text(std::to_string(kEnd)))) == "leaked+negative");
    CHECK(words(look(text("-1", kNow * 1000), text(std::to_string(kNow - 1), kNow * 1000))).empty());
}

TEST_CASE("a key that ends as expiry halves do shares a key with another window") {
    const auto window = look(text("7"), text(std::to_string(kEnd)), "core:42:exp");
    CHECK(words(window) == "suffix-clash");
    CHECK(detail(window) == "its counter is the expiry half of 'core:42'");
    CHECK_FALSE(looks_sound(window, around()));
}

TEST_CASE("half a window that no policy knows is one only if it holds a number") {
    auto unknown = around();
    unknown.is_ours = false;
    CHECK(words(look(text("hello"), absent()), unknown).empty());
    CHECK(words(look(list(), absent()), unknown).empty());
    CHECK(words(look(absent(), text("1999-12-31")), unknown).empty());
    CHECK(words(look(text("7"), absent()), unknown) == "orphan-counter");
    CHECK(words(look(text("hello"), text(std::to_string(kEnd))), unknown) == "corrupt");
}

TEST_CASE("no window that is faulty looks sound") {
    test::RandomSource random;
    SHOW_SEED(random);
    const auto half = [&random](bool counter) {
        switch (random.number(0, 5)) {
            case 0:
                return absent();
            case 1:
                return list();
            case 2:
                return text(counter ? "-5" : "soon");
            default: {
                const std::int64_t ends[] = {kEnd, kEnd * 1000, kNow - 500, kNow - 5};
                const std::int64_t expiries[] = {kRight, kNever, kRight - 5000, kRight + 5000, (kNow - 4) * 1000};
                return text(counter ? "7" : std::to_string(ends[random.number(0, 3)]), expiries[random.number(0, 4)]);
            }
        }
    };
    int faulty = 0;
    for (int i = 0; i < 20'000; ++i) {
        const auto window = look(half(true), half(false));
        if (diagnose(window, around()).empty()) continue;
        ++faulty;
        CHECK_FALSE(looks_sound(window, around()));
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
