// Time zones of this machine, beside what the C library says of them.
#include "support/time_zone.h"

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.h"
#include "unit/random_source.h"

using namespace ratectl::support;

namespace {

/// Every zone that the database lists for a place on earth, and some that stand for themselves.
std::vector<std::string> listed_zones() {
    std::vector<std::string> zones{"UTC", "Etc/GMT+12", "Etc/GMT-14"};
    // Debian 13 keeps the names of former times in a package of their own.
    if (std::ifstream("/usr/share/zoneinfo/EST5EDT")) zones.push_back("EST5EDT");
    std::ifstream table("/usr/share/zoneinfo/zone1970.tab");
    for (std::string line; std::getline(table, line);) {
        if (line.starts_with('#')) continue;
        std::istringstream words(line);
        std::string countries, place, zone;
        words >> countries >> place >> zone;
        zones.push_back(zone);
    }
    return zones;
}

/// The C library's answer to the same question.
Seconds offset_by_libc(Instant t) {
    const std::time_t second = epoch_seconds(t);
    std::tm local{};
    ::localtime_r(&second, &local);
    return Seconds{local.tm_gmtoff};
}

Seconds offset(const std::string& rule, std::int64_t epoch) {
    const auto parsed = ZoneRule::parse(rule);
    REQUIRE(parsed);
    return parsed->offset_at(from_epoch(epoch));
}

std::string file_of(const std::string& zone) {
    std::ifstream file("/usr/share/zoneinfo/" + zone, std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    return bytes.str();
}

}  // namespace

TEST_CASE("every zone agrees with the C library from 1905 to 2300") {
    ratectl::test::RandomSource random;
    SHOW_SEED(random);
    const auto zones = listed_zones();
    REQUIRE(zones.size() > 250);
    for (const std::string& name : zones) {
        CAPTURE(name);
        const auto zone = TimeZone::find(name);
        REQUIRE(zone);
        ::setenv("TZ", (":" + name).c_str(), 1);
        ::tzset();
        int different = 0;
        for (int i = 0; i < 1500; ++i) {
            const Instant t = from_epoch(random.number(-2'050'000'000, 10'413'792'000));
            if (zone->offset_at(t) != offset_by_libc(t)) ++different;
        }
        CHECK(different == 0);
    }
    ::unsetenv("TZ");
    ::tzset();
}

TEST_CASE("a change of clocks takes hold on its second") {
    const auto berlin = TimeZone::find("Europe/Berlin");
    REQUIRE(berlin);
    CHECK(berlin->offset_at(from_epoch(1'774'745'999)) == Seconds{3600});
    CHECK(berlin->offset_at(from_epoch(1'774'746'000)) == Seconds{7200});
    const std::string rule = "CET-1CEST,M3.5.0,M10.5.0/3";
    CHECK(offset(rule, 1'774'745'999) == Seconds{3600});
    CHECK(offset(rule, 1'774'746'000) == Seconds{7200});
    CHECK(offset(rule, 1'792'889'999) == Seconds{7200});
    CHECK(offset(rule, 1'792'890'000) == Seconds{3600});
}

TEST_CASE("yearly rules are read in all their forms") {
    constexpr std::int64_t kJanuary = 1'767'225'600;  // 2026-01-01T00:00:00Z
    constexpr std::int64_t kJuly = 1'782'864'000;     // 2026-07-01T00:00:00Z
    CHECK(offset("<+0545>-5:45", kJuly) == Seconds{20'700});
    CHECK(offset("AEST-10AEDT,M10.1.0,M4.1.0/3", kJanuary) == Seconds{39'600});
    CHECK(offset("AEST-10AEDT,M10.1.0,M4.1.0/3", kJuly) == Seconds{36'000});
    CHECK(offset("IST-1GMT0,M10.5.0,M3.5.0/1", kJanuary) == Seconds{0});
    CHECK(offset("EST5EDT4,J60,J300", kJuly) == Seconds{-14'400});
    CHECK(offset("EST5EDT,0/0,J365/25", kJanuary + 18'000) == Seconds{-14'400});
    // The sixtieth day is the first of March with J, and the last of February without it in a leap year.
    constexpr std::int64_t kLeapDay = 1'835'395'200;  // 2028-02-29T00:00:00Z
    CHECK(offset("AAA0BBB,J60/0,J300", kLeapDay) == Seconds{0});
    CHECK(offset("AAA0BBB,J60/0,J300", kLeapDay + 86'400) == Seconds{3600});
    CHECK(offset("AAA0BBB,59/0,J300", kLeapDay) == Seconds{3600});
}

TEST_CASE("text that is no yearly rule is refused") {
    for (const std::string text : {"", "C", "CET", "CET-", "-1", "<+05-5", "CET-1CEST", "CET-1CEST,M3.5.0",
                                   "CET-1CEST,M3.5.0,M10.5.0/", "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0",
                                   "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,M0.5.0,M10.5.0", "CET-1CEST,J0,M10.5.0",
                                   "CET-1CEST,J366,M10.5.0", "CET-168", "CET-1CEST,M3.5.0,M10.5.0/3 ", "CET-1,"}) {
        CAPTURE(text);
        CHECK_FALSE(ZoneRule::parse(text));
    }
}

TEST_CASE("a name is looked for in the database only") {
    for (const std::string name : {"", "/etc/localtime", "../zoneinfo/UTC", "./UTC", "Europe", "Europe/",
                                   "Mars/Olympus", "zone1970.tab", "right/UTC", "posix/UTC", "UTC\n"}) {
        CAPTURE(name);
        CHECK_FALSE(TimeZone::find(name));
    }
}

TEST_CASE("a zone file that is cut short or altered is refused or read and never trusted") {
    ratectl::test::RandomSource random;
    SHOW_SEED(random);
    const std::string whole = file_of("America/New_York");
    REQUIRE(TimeZone::parse(whole));
    CHECK_FALSE(TimeZone::parse("TZjf" + whole.substr(4)));
    const std::size_t footer = whole.size() - std::string("\nEST5EDT,M3.2.0,M11.1.0\n").size();
    for (std::size_t size = 0; size < footer; ++size) {
        if (TimeZone::parse(whole.substr(0, size))) FAIL("read " << size << " of " << whole.size() << " bytes");
    }
    for (int i = 0; i < 20'000; ++i) {
        std::string altered = whole;
        for (int n = 0; n < 3; ++n) {
            const auto at = static_cast<std::size_t>(random.number(0, static_cast<std::int64_t>(whole.size()) - 1));
            altered[at] = static_cast<char>(random.number(0, 255));
        }
        const auto zone = TimeZone::parse(altered);
        if (zone) zone->offset_at(from_epoch(random.number(-2'000'000'000, 8'000'000'000)));
    }
    SUCCEED("no byte was read that is not there");
}
