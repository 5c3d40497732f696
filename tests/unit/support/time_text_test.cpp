// Durations and times as text.
#include "support/time_text.h"

#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "unit/random_source.h"

using namespace ratectl::support;
using namespace std::chrono_literals;

namespace {
const Instant kNow = from_epoch(1'767'225'600);  // 2026-01-01T00:00:00Z
}

TEST_CASE("durations are read with their units") {
    CHECK(parse_duration("500ms") == Milliseconds{500});
    CHECK(parse_duration("90s") == Milliseconds{90s});
    CHECK(parse_duration("15m") == Milliseconds{15min});
    CHECK(parse_duration("1h30m") == Milliseconds{90min});
    CHECK(parse_duration("2d") == Milliseconds{48h});
    CHECK(parse_duration("1d2h3m4s5ms") == Milliseconds{26h + 3min + 4s + 5ms});
    CHECK(parse_duration("0h1m") == Milliseconds{1min});
    CHECK(parse_duration("36500d") == Milliseconds{36500 * 24h});
}

TEST_CASE("a duration that could be misread is refused") {
    for (const std::string text : {"",
                                   "s",
                                   "0s",
                                   "0",
                                   "-5s",
                                   "+5s",
                                   "5 s",
                                   "05s",
                                   "1m1h",
                                   "1h1h",
                                   "1s1s",
                                   "5x",
                                   "1.5h",
                                   "1e3s",
                                   "5S",
                                   "36501d",
                                   "9999999999999999999999s",
                                   "1h30",
                                   "m5",
                                   "5min"}) {
        CAPTURE(text);
        const auto parsed = parse_duration(text);
        REQUIRE_FALSE(parsed);
        CHECK(parsed.error().code == ExitCode::usage);
        CHECK_FALSE(parsed.error().hint.empty());
    }
    CHECK(parse_duration("90").error().hint == "say the unit: 90s, 90m, 90h");
}

TEST_CASE("durations are printed with their two largest units") {
    CHECK(format_duration(90min) == "1h30m");
    CHECK(format_duration(751s) == "12m31s");
    CHECK(format_duration(0s) == "0s");
    CHECK(format_duration(-3s) == "-3s");
    CHECK(format_duration(250ms) == "250ms");
    CHECK(format_duration(1250ms) == "1s250ms");
    CHECK(format_duration(1h + 5s) == "1h");
    CHECK(format_duration(49h) == "2d1h");
    CHECK(format_duration(Milliseconds{INT64_MIN}).front() == '-');
}

TEST_CASE("a duration of nothing is refused without advice to give it a unit") {
    for (const char* nothing : {"0", "0s", "0ms"}) {
        const auto parsed = parse_duration(nothing);
        REQUIRE_FALSE(parsed);
        CHECK(parsed.error().message.find("longer than nothing") != std::string::npos);
        CHECK(parsed.error().hint.find(" 0s") == std::string::npos);
    }
}

TEST_CASE("what format_duration prints parse_duration reads") {
    ratectl::test::RandomSource random;
    SHOW_SEED(random);
    for (int i = 0; i < 2000; ++i) {
        const Milliseconds shown =
            parse_duration(format_duration(Milliseconds{random.number(1, 3'000'000'000'000)})).value();
        CHECK(parse_duration(format_duration(shown)) == shown);
    }
}

TEST_CASE("times are read in all their forms") {
    CHECK(parse_time("now", kNow) == kNow);
    CHECK(parse_time("1767225600", kNow + 5s) == kNow);
    CHECK(parse_time("0", kNow) == Instant{});
    CHECK(parse_time("+15m", kNow) == kNow + 15min);
    CHECK(parse_time("-1h30m", kNow) == kNow - 90min);
    CHECK(parse_time("2026-01-01T00:00:00Z", kNow) == kNow);
    CHECK(parse_time("2026-01-01t01:30:00+01:30", kNow) == kNow);
    CHECK(parse_time("2025-12-31 19:00:00-05:00", kNow) == kNow);
    CHECK(parse_time("2026-01-01T00:00:00.999Z", kNow) == kNow);
    CHECK(parse_time("2024-02-29T00:00:00Z", kNow) == from_epoch(1'709'164'800));
    CHECK(parse_time("0000-01-01T00:00:00Z", kNow) == from_epoch(-62'167'219'200));
}

TEST_CASE("a day stands for its beginning in UTC") {
    CHECK(parse_time("2026-01-01", kNow) == kNow);
    CHECK(parse_time("today", kNow + 23h) == kNow);
    CHECK(parse_time("yesterday", kNow + 1s) == kNow - 24h);
    CHECK(parse_time("yesterday", kNow - 1s) == kNow - 48h);
}

TEST_CASE("a time that could be misread is refused") {
    for (const std::string text : {"",
                                   "tomorrow",
                                   "01767225600",
                                   "1767225600.5",
                                   "99999999999999999",
                                   "+",
                                   "+15",
                                   "-5ms",
                                   "+-5s",
                                   "2026-02-30",
                                   "2026-1-1",
                                   "2026/01/01",
                                   "Yesterday",
                                   "2026-01-01T00:00:00",
                                   "2026-02-29T00:00:00Z",
                                   "2026-13-01T00:00:00Z",
                                   "2026-01-01T24:00:00Z",
                                   "2026-01-01T00:60:00Z",
                                   "2026-01-01T00:00:60Z",
                                   "2026-01-01T00:00:00.Z",
                                   "2026-01-01T00:00:00.5",
                                   "2026-01-01T00:00:00+0100",
                                   "2026-01-01T00:00:00+24:00",
                                   "2026-1-1T00:00:00Z",
                                   "2026-01-01T00:00:00ZZ",
                                   "26-01-01T00:00:00Z"}) {
        CAPTURE(text);
        const auto parsed = parse_time(text, kNow);
        REQUIRE_FALSE(parsed);
        CHECK(parsed.error().code == ExitCode::usage);
    }
}

TEST_CASE("times are printed in UTC or with the offset of a zone") {
    CHECK(format_time(kNow) == "2026-01-01T00:00:00Z");
    CHECK(format_time(kNow, "UTC") == "2026-01-01T00:00:00Z");
    CHECK(format_time(kNow, "Asia/Kolkata") == "2026-01-01T05:30:00+05:30");
    CHECK(format_time(kNow, "America/New_York") == "2025-12-31T19:00:00-05:00");
    CHECK(format_time(from_epoch(1'782'864'000), "America/New_York") == "2026-06-30T20:00:00-04:00");
    CHECK(format_time(from_epoch(-1)) == "1969-12-31T23:59:59Z");
    CHECK(format_time(from_epoch(253'402'300'799)) == "9999-12-31T23:59:59Z");
    CHECK(format_time(from_epoch(253'402'300'800)) == "253402300800");
    CHECK(format_time(from_epoch(INT64_MAX)) == "9223372036854775807");
    CHECK(format_time(from_epoch(-62'167'219'201)) == "-62167219201");
    CHECK_THROWS_AS(format_time(kNow, "Mars/Olympus"), Failure);
}

TEST_CASE("wall times carry their milliseconds") {
    CHECK(format_wall_time(WallTime{kNow} + 123ms) == "2026-01-01T00:00:00.123Z");
    CHECK(format_wall_time(WallTime{} - 1ms) == "1969-12-31T23:59:59.999Z");
}

TEST_CASE("what format_time prints in any zone parse_time reads") {
    ratectl::test::RandomSource random;
    SHOW_SEED(random);
    const std::vector<std::string> zones{"", "Asia/Kolkata", "America/St_Johns", "Europe/Berlin", "Pacific/Chatham"};
    for (int i = 0; i < 2000; ++i) {
        const Instant t = from_epoch(random.number(-62'167'000'000, 253'402'000'000));
        const std::string text = format_time(t, zones[static_cast<std::size_t>(random.number(0, 4))]);
        CAPTURE(text);
        CHECK(parse_time(text, kNow) == t);
    }
}

TEST_CASE("only zones of the time zone database are known") {
    CHECK(check_zone(""));
    CHECK(check_zone("Europe/Berlin"));
    REQUIRE_FALSE(check_zone("Mars/Olympus"));
    CHECK(check_zone("Mars/Olympus").error().code == ExitCode::usage);
    CHECK_FALSE(check_zone("../../etc/passwd"));
}

namespace {

Seconds offset(const std::string& zone, std::int64_t epoch) {
    REQUIRE(has_zone(zone));
    return offset_at(from_epoch(epoch), zone);
}

}  // namespace

TEST_CASE("a change of clocks takes hold on its second") {
    CHECK(offset("Europe/Berlin", 1'774'745'999) == Seconds{3600});
    CHECK(offset("Europe/Berlin", 1'774'746'000) == Seconds{7200});
    CHECK(offset("Europe/Berlin", 1'792'889'999) == Seconds{7200});
    CHECK(offset("Europe/Berlin", 1'792'890'000) == Seconds{3600});
}

TEST_CASE("one zone after the other is asked, in years that the database knows by rule and by record") {
    constexpr std::int64_t kJuly1910 = -1'877'817'600;
    constexpr std::int64_t kJuly2026 = 1'782'864'000;
    constexpr std::int64_t kJuly2200 = 7'273'756'800;
    CHECK(offset("Asia/Kathmandu", kJuly2026) == Seconds{20'700});
    CHECK(offset("UTC", kJuly2026) == Seconds{0});
    CHECK(offset("Etc/GMT+12", kJuly2026) == Seconds{-43'200});
    CHECK(offset("Europe/Paris", kJuly1910) == Seconds{561});
    CHECK(offset("Europe/Paris", kJuly2200) == Seconds{7200});
    CHECK(offset("America/New_York", kJuly2200) == Seconds{-14'400});
    CHECK(offset("Asia/Kathmandu", kJuly2026) == Seconds{20'700});
}

TEST_CASE("a name is looked for in the database only") {
    for (const std::string name : {"", "/etc/localtime", "../zoneinfo/UTC", "./UTC", "Europe", "Europe/",
                                   "Mars/Olympus", "zone1970.tab", "right/UTC", "posix/UTC", "UTC\n"}) {
        CAPTURE(name);
        CHECK_FALSE(has_zone(name));
    }
}
