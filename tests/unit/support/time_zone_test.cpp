// Time zones of this machine.
#include "support/time_zone.h"

#include <string>

#include "support/catch.h"

using namespace ratectl::support;

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
