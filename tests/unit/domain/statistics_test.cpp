// Figures over windows against the plain way: keep everything, sort it, count it.
#include "domain/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "support/catch.h"
#include "unit/random_source.h"

using namespace ratectl;
using namespace ratectl::domain;
using test::RandomSource;

namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

/// As counters are: many small, few large, some at edges.
std::int64_t any_count(RandomSource& random) {
    if (random.one_in(20)) return random.number(-50, 0);
    if (random.one_in(50)) return random.number(0, kLargest / 100'000);
    std::int64_t most = 1;
    for (std::int64_t power = random.number(0, 7); power > 0; --power) most *= 10;
    return random.number(0, most);
}

std::int64_t nearest_rank(const std::vector<std::int64_t>& sorted, double percent) {
    const auto rank = static_cast<std::size_t>(std::ceil(percent / 100 * static_cast<double>(sorted.size())));
    return sorted[std::max<std::size_t>(rank, 1) - 1];
}

Window window_with(std::int64_t used, std::optional<std::int64_t> limit) {
    Window window;
    window.used = used;
    window.limit = limit;
    window.exhausted = limit && used >= *limit;
    return window;
}

}  // namespace

TEST_CASE("a distribution counts as sorting everything does") {
    RandomSource random;
    SHOW_SEED(random);
    for (int round = 0; round < 40; ++round) {
        std::vector<std::int64_t> values;
        Distribution whole;
        Distribution left;
        Distribution right;
        for (std::int64_t n = random.number(1, 3000); n > 0; --n) {
            values.push_back(any_count(random));
            whole.add(values.back());
            (random.one_in(3) ? left : right).add(values.back());
        }
        left.add(right);
        std::sort(values.begin(), values.end());
        std::int64_t sum = 0;
        for (const std::int64_t value : values) sum += value;
        for (const Distribution* each : {&whole, &left}) {
            CHECK(each->count() == values.size());
            CHECK(each->min() == values.front());
            CHECK(each->max() == values.back());
            CHECK(each->sum() == sum);
            for (const double percent : {0.0, 1.0, 25.0, 50.0, 90.0, 99.0, 99.9, 100.0}) {
                const std::int64_t exact = nearest_rank(values, percent);
                const std::int64_t told = each->percentile(percent).value();
                INFO("p" << percent << " of " << values.size() << ": " << told << " for " << exact);
                if (exact < 0)
                    CHECK(told == values.front());
                else if (exact < 256)
                    CHECK(told == exact);
                else
                    CHECK(std::abs(static_cast<double>(told - exact)) <= 0.004 * static_cast<double>(exact));
            }
        }
    }
}

TEST_CASE("the bins of a distribution hold exactly what lies in them and leave nothing out") {
    RandomSource random;
    SHOW_SEED(random);
    std::vector<std::int64_t> values{0, 1, 2, 3, 5, 6, 10, 11, kLargest, -1, 5'000'000'000'000'000'000};
    while (values.size() < 4000) values.push_back(any_count(random));
    Distribution whole;
    for (const std::int64_t value : values) whole.add(value);
    std::uint64_t together = 0;
    std::optional<std::int64_t> before;
    for (const auto& bin : whole.bins()) {
        const auto inside = std::count_if(values.begin(), values.end(), [&](std::int64_t value) {
            return (!bin.from || value >= *bin.from) && value <= bin.to;
        });
        INFO("to " << bin.to);
        CHECK(bin.count == static_cast<std::uint64_t>(inside));
        if (before) CHECK(bin.from == *before + 1);
        before = bin.to;
        together += bin.count;
    }
    CHECK(together == values.size());
    for (std::size_t bin = 0; bin < 25; ++bin) {
        const auto up_to = std::count_if(values.begin(), values.end(),
                                         [&](std::int64_t value) { return value <= Distribution::end_of(bin); });
        CHECK(whole.count_up_to(bin) == static_cast<std::uint64_t>(up_to));
    }
    CHECK(Distribution::end_of(1) == 0);
    CHECK(Distribution::end_of(4) == 5);
    CHECK(Distribution::end_of(20) == 1'000'000);
}

TEST_CASE("bins begin and end with values and an empty distribution has none") {
    Distribution few;
    CHECK(few.bins().empty());
    CHECK(few.percentile(50) == std::nullopt);
    few.add(7);
    few.add(80);
    const auto bins = few.bins();
    REQUIRE(bins.size() == 4);
    CHECK(bins.front().from == 6);
    CHECK(bins.front().to == 10);
    CHECK(bins[1].count == 0);
    CHECK(bins.back().to == 100);
    few.add(kLargest);
    few.add(kLargest);
    CHECK(digits_of(few.sum()) == "18446744073709551701");
    CHECK(few.max() == kLargest);
}

TEST_CASE("a window is in exactly one band of its limit") {
    const auto band = [](std::int64_t used, std::optional<std::int64_t> limit) {
        return name_of(band_of(window_with(used, limit)));
    };
    CHECK(band(0, 100) == "0");
    CHECK(band(-3, 100) == "0");
    CHECK(band(1, 100) == "<25");
    CHECK(band(24, 100) == "<25");
    CHECK(band(25, 100) == "<50");
    CHECK(band(50, 100) == "<80");
    CHECK(band(79, 100) == "<80");
    CHECK(band(80, 100) == "<100");
    CHECK(band(99, 100) == "<100");
    CHECK(band(100, 100) == "exhausted");
    CHECK(band(0, 0) == "exhausted");
    CHECK(band(5, std::nullopt) == "unknown");
    CHECK(band(kLargest - 1, kLargest) == "<100");
}

TEST_CASE("the busiest seconds and the slices ahead are what counting gives") {
    RandomSource random;
    SHOW_SEED(random);
    for (int round = 0; round < 20; ++round) {
        const std::int64_t now = random.number(0, 2'000'000'000);
        const std::int64_t span = random.number(1, 5000);
        ResetTimes times;
        std::map<std::int64_t, std::uint64_t> counted;
        for (std::int64_t n = random.number(1, 3000); n > 0; --n) {
            const std::int64_t at = now + random.number(0, span);
            times.add(support::from_epoch(at));
            ++counted[at];
        }
        std::vector<std::pair<std::int64_t, std::uint64_t>> sorted(counted.begin(), counted.end());
        std::stable_sort(sorted.begin(), sorted.end(), [](auto& a, auto& b) { return a.second > b.second; });
        const auto busiest = times.busiest(5);
        REQUIRE(busiest.size() == std::min<std::size_t>(5, sorted.size()));
        for (std::size_t i = 0; i < busiest.size(); ++i) {
            CHECK(support::epoch_seconds(busiest[i].begin) == sorted[i].first);
            CHECK(busiest[i].windows == sorted[i].second);
        }
        const auto ahead = times.ahead(support::from_epoch(now), 12);
        std::uint64_t together = ahead.later;
        for (std::size_t i = 0; i < ahead.windows.size(); ++i) {
            std::uint64_t inside = 0;
            const auto step = ahead.step.count();
            for (const auto& [at, windows] : counted) {
                const std::int64_t slice = (at - now) / step;
                if (slice == static_cast<std::int64_t>(i)) inside += windows;
            }
            CHECK(ahead.windows[i] == inside);
            together += ahead.windows[i];
        }
        CHECK(together == times.count());
        CHECK(ahead.later * 20 <= times.count());
        CHECK(ahead.windows.size() <= 12);
    }
}

TEST_CASE("an hour of resets is shown in twelve steps of five minutes") {
    ResetTimes times;
    for (int second = 0; second < 3600; ++second) times.add(support::from_epoch(1000 + second));
    const auto ahead = times.ahead(support::from_epoch(1000), 12);
    CHECK(ahead.step == support::Seconds{300});
    CHECK(ahead.windows == std::vector<std::uint64_t>(12, 300));
    CHECK(ahead.later == 0);
    times.add(support::from_epoch(990));
    CHECK(times.ahead(support::from_epoch(1000), 12).windows.front() == 301);
}

TEST_CASE("too many different seconds are counted together and none is lost") {
    RandomSource random;
    SHOW_SEED(random);
    ResetTimes times(200);
    std::uint64_t early = 0;
    const std::int64_t edge = 600'000;
    for (int i = 0; i < 5000; ++i) {
        const std::int64_t at = random.number(-1'000'000, 1'000'000);
        early += at < edge ? 1 : 0;
        times.add(support::from_epoch(at));
    }
    CHECK(times.count() == 5000);
    REQUIRE(times.resolution() >= support::Seconds{10'000});
    CHECK(times.busiest(1'000'000).size() <= 200);
    std::uint64_t together = 0;
    for (const auto& moment : times.busiest(1'000'000)) together += moment.windows;
    CHECK(together == 5000);
    const auto width = times.resolution().count();
    CHECK(times.count_up_to(support::from_epoch(edge / width * width - 1)) <= early);
    CHECK(times.count_up_to(support::from_epoch(1'000'000)) == 5000);
    times.add(support::from_epoch(kLargest));
    CHECK(times.count() == 5001);
}

TEST_CASE("a trial limits whoever has used as much and counts what is beyond") {
    const auto twenty = parse_limit_trial("20");
    const auto share = parse_limit_trial("80%");
    REQUIRE(twenty);
    REQUIRE(share);
    CHECK(twenty->limit_for(5) == 20);
    CHECK(share->limit_for(5000) == 4000);
    CHECK(share->limit_for(1) == 1);
    CHECK(share->limit_for(0) == 0);
    CHECK(share->limit_for(kLargest) < kLargest);
    CHECK(share->limit_for(std::nullopt) == std::nullopt);
    for (const char* bad : {"", "0", "0%", "%", "-5", "1e3", "020", "80 %", "200000%"}) CHECK(!parse_limit_trial(bad));
    TrialCount count;
    for (const std::int64_t used : {0, 19, 20, 25}) count.add(used, 20);
    count.add(7, std::nullopt);
    CHECK(count.windows == 4);
    CHECK(count.limited == 2);
    CHECK(count.over == 5);
    CHECK(count.unknown == 1);
    TrialCount twice = count;
    twice.add(count);
    CHECK(twice.limited == 4);
    CHECK(twice.over == 10);
    twice.add(kLargest, 1);
    CHECK(digits_of(twice.over) == "9223372036854775816");
}

TEST_CASE("shards are even or not by their weight and few windows tell nothing") {
    using enum Balance::Verdict;
    const auto verdict = [](std::vector<ShardLoad> shards) { return balance_of(shards).verdict; };
    CHECK(verdict({{1000, 1}}) == one_shard);
    CHECK(verdict({{3, 1}, {1, 1}}) == too_few);
    CHECK(verdict({{1000, 1}, {900, 1}}) == even);
    CHECK(verdict({{1000, 1}, {700, 1}}) == uneven);
    CHECK(verdict({{1000, 1}, {400, 1}}) == very_uneven);
    CHECK(verdict({{1000, 2}, {500, 1}}) == even);
    CHECK(verdict({{1000, 1}, {0, 1}}) == very_uneven);
    const std::vector<ShardLoad> three{{1000, 1}, {500, 1}, {800, 1}};
    CHECK(balance_of(three).ratio == 2.0);
    const std::vector<ShardLoad> empty{{1000, 1}, {0, 1}};
    CHECK(balance_of(empty).ratio == std::nullopt);
}
