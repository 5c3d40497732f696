// Rates over a span, what starts them over, and when a limit will be reached.
#include "domain/burn_rate.h"

#include <limits>

#include "support/catch.h"

using namespace ratectl;
using namespace ratectl::domain;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t kRateEnds = 10'000;

/// `at` in milliseconds of the same clock on which the window ends at second 10,000.
UseSample sample(std::int64_t at, std::int64_t used, std::int64_t reset = kRateEnds) {
    return {support::WallTime{support::Milliseconds{at}}, used, support::from_epoch(reset)};
}

BurnRate rate_of(std::initializer_list<UseSample> samples) {
    BurnRate rate;
    for (const auto& one : samples) rate.add(one);
    return rate;
}

}  // namespace

TEST_CASE("a rate needs two samples", "[burn-rate]") {
    CHECK_FALSE(rate_of({}).per_second());
    CHECK_FALSE(rate_of({sample(0, 5)}).per_second());
    CHECK(rate_of({sample(0, 5), sample(2000, 25)}).per_second() == 10.0);
}

TEST_CASE("a window that nobody uses has the rate zero and no exhaustion", "[burn-rate]") {
    const auto rate = rate_of({sample(0, 5), sample(1000, 5)});
    CHECK(rate.per_second() == 0.0);
    CHECK_FALSE(rate.exhaustion(6));
}

TEST_CASE("a rate forgets what is older than its span", "[burn-rate]") {
    BurnRate rate(10s);
    for (int second = 0; second <= 20; ++second) rate.add(sample(second * 1000, second * 100));
    for (int second = 21; second <= 29; ++second) rate.add(sample(second * 1000, 2000));
    CHECK(rate.per_second() == 10.0);  // one busy second of the last ten
    rate.add(sample(30'000, 2000));
    CHECK(rate.per_second() == 0.0);
}

TEST_CASE("samples that are farther apart than the span still make a rate", "[burn-rate]") {
    CHECK(rate_of({sample(0, 0), sample(60'000, 30), sample(120'000, 90)}).per_second() == 1.0);
}

TEST_CASE("many samples a second make the same rate as a few", "[burn-rate]") {
    BurnRate rate(10s);
    for (int i = 0; i <= 30'000; i += 3) rate.add(sample(i, i));
    REQUIRE(rate.per_second());
    CHECK(*rate.per_second() == 1000.0);
}

TEST_CASE("two samples of one moment count as the later one", "[burn-rate]") {
    CHECK_FALSE(rate_of({sample(0, 5), sample(0, 9)}).per_second());
    CHECK(rate_of({sample(0, 5), sample(1000, 9), sample(1000, 15)}).per_second() == 10.0);
}

TEST_CASE("a refund starts a rate over and never makes it negative", "[burn-rate]") {
    auto rate = rate_of({sample(0, 5), sample(1000, 25), sample(2000, 24)});
    CHECK_FALSE(rate.per_second());
    rate.add(sample(3000, 26));
    CHECK(rate.per_second() == 2.0);
}

TEST_CASE("a new window starts a rate over even where its counter is higher", "[burn-rate]") {
    auto rate = rate_of({sample(0, 5), sample(1000, 25), sample(2000, 40, kRateEnds + 60)});
    CHECK_FALSE(rate.per_second());
    rate.add(sample(3000, 43, kRateEnds + 60));
    CHECK(rate.per_second() == 3.0);
}

TEST_CASE("a removed window starts a rate over", "[burn-rate]") {
    auto rate = rate_of({sample(0, 5), sample(1000, 25)});
    rate.start_over();
    CHECK_FALSE(rate.per_second());
    CHECK_FALSE(rate.exhaustion(1));
    rate.add(sample(2000, 30));
    CHECK_FALSE(rate.per_second());
}

TEST_CASE("a clock that goes back starts a rate over", "[burn-rate]") {
    auto rate = rate_of({sample(5000, 5), sample(4000, 6)});
    CHECK_FALSE(rate.per_second());
    rate.add(sample(5000, 8));
    CHECK(rate.per_second() == 2.0);
}

TEST_CASE("counters at both ends of the range make a rate", "[burn-rate]") {
    constexpr auto least = std::numeric_limits<std::int64_t>::min();
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    const auto rate = rate_of({sample(0, least), sample(1000, most)}).per_second();
    REQUIRE(rate);
    CHECK(*rate > 1.8e19);
    CHECK(rate_of({sample(0, -10), sample(1000, 10)}).per_second() == 20.0);
}

TEST_CASE("an exhaustion says when, and how long before the reset", "[burn-rate]") {
    // 20 a second, 980 left: 49 s; the reset is 9,999 s away.
    const auto found = rate_of({sample(0, 0), sample(1000, 20)}).exhaustion(1000);
    REQUIRE(found);
    CHECK(found->in == 49s);
    CHECK(found->before_reset == 9950s);
}

TEST_CASE("an exhaustion is rounded up to the millisecond", "[burn-rate]") {
    const auto found = rate_of({sample(0, 0), sample(1000, 3)}).exhaustion(4);
    REQUIRE(found);
    CHECK(found->in == 334ms);
}

TEST_CASE("a limit that the reset comes before is never reached", "[burn-rate]") {
    const auto rate = rate_of({sample(0, 0), sample(1000, 1)});  // 9,999 s are left for one a second
    CHECK_FALSE(rate.exhaustion(10'001));
    const auto just = rate.exhaustion(10'000);
    REQUIRE(just);
    CHECK(just->in == 9999s);
    CHECK(just->before_reset == 0s);
}

TEST_CASE("an unknown limit is never reached", "[burn-rate]") {
    CHECK_FALSE(rate_of({sample(0, 0), sample(1000, 20)}).exhaustion(std::nullopt));
}

TEST_CASE("a limit that is reached already needs no rate", "[burn-rate]") {
    const auto found = rate_of({sample(4000, 1001)}).exhaustion(1000);
    REQUIRE(found);
    CHECK(*found == Exhaustion{0s, 9996s});
    CHECK(rate_of({sample(0, 1)}).exhaustion(0)->in == 0s);
}

TEST_CASE("a window that is over is not exhausted any more", "[burn-rate]") {
    CHECK_FALSE(rate_of({sample(0, 5), sample(10'001'000, 25)}).exhaustion(20));
}

TEST_CASE("a reset at the end of all seconds overflows nothing", "[burn-rate]") {
    constexpr std::int64_t last_second = (std::int64_t{1} << 53) - 1;
    const auto rate = rate_of({sample(0, 0, last_second), sample(1000, 1, last_second)});
    const auto found = rate.exhaustion(1'000'000);
    REQUIRE(found);
    CHECK(found->in == 999'999s);
    CHECK_FALSE(rate.exhaustion(std::numeric_limits<std::int64_t>::max()));
}
