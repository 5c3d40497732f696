// The table that joins the halves of windows, against a plain map.
#include "commands/dumps/rdb_halves.h"

#include <map>
#include <string>

#include "support/catch.h"
#include "unit/random_source.h"

using namespace ratectl;
using commands::RdbHalves;
using Which = RdbHalves::Which;
using Added = RdbHalves::Added;

namespace {

RdbHalves::Half half(std::string_view value, std::optional<std::int64_t> expires_at_ms = {}) {
    return {value, 0, expires_at_ms};
}

Added add(RdbHalves& table, const std::string& key, Which which, const RdbHalves::Half& added, RdbHalves::Half& other) {
    return table.add(key, table.hash_of(key), which, added, other);
}

bool same(const RdbHalves::Half& a, const RdbHalves::Half& b) {
    return a.value == b.value && a.type == b.type && a.expires_at_ms == b.expires_at_ms;
}

}  // namespace

TEST_CASE("the second half of a window meets the first whichever came first") {
    RdbHalves table("secret");
    RdbHalves::Half other;
    CHECK(add(table, "a", Which::counter, half("17", 1000), other) == Added::first);
    CHECK(add(table, "b", Which::expiry, half("1800", INT64_MIN), other) == Added::first);
    CHECK(add(table, "a", Which::expiry, half("1800", 1001), other) == Added::second);
    CHECK(same(other, half("17", 1000)));
    CHECK(add(table, "b", Which::counter, half("5"), other) == Added::second);
    CHECK(same(other, half("1800", INT64_MIN)));
    CHECK(table.windows() == 2);
    CHECK_FALSE(table.next_incomplete().has_value());
}

TEST_CASE("a half that comes twice is no window") {
    RdbHalves table("secret");
    RdbHalves::Half other;
    CHECK(add(table, "a", Which::counter, half("1"), other) == Added::first);
    CHECK(add(table, "a", Which::counter, half("2"), other) == Added::twice);
    CHECK(add(table, "a", Which::expiry, half("3"), other) == Added::second);
    CHECK(add(table, "a", Which::expiry, half("4"), other) == Added::twice);
    CHECK(add(table, "a", Which::counter, half("5"), other) == Added::twice);
}

TEST_CASE("expiry halves are found again wherever they stand") {
    RdbHalves table("secret");
    RdbHalves::Half other;
    add(table, "first", Which::expiry, half("100"), other);
    add(table, "second", Which::counter, half("7"), other);
    add(table, "second", Which::expiry, {std::nullopt, 3, 55}, other);
    REQUIRE(table.find("first", Which::expiry).has_value());
    CHECK(same(*table.find("first", Which::expiry), half("100")));
    CHECK(same(*table.find("second", Which::expiry), {std::nullopt, 3, 55}));
    CHECK(same(*table.find("second", Which::counter), half("7")));
    CHECK_FALSE(table.find("first", Which::counter).has_value());
    CHECK_FALSE(table.find("third", Which::expiry).has_value());
}

TEST_CASE("a cleared table knows nothing") {
    RdbHalves table("secret");
    RdbHalves::Half other;
    for (int i = 0; i < 5000; ++i) add(table, std::to_string(i), Which::counter, half("1"), other);
    REQUIRE(table.next_incomplete().has_value());
    table.clear();
    CHECK(table.windows() == 0);
    CHECK_FALSE(table.next_incomplete().has_value());
    CHECK(add(table, "7", Which::expiry, half("2"), other) == Added::first);
    CHECK(table.next_incomplete()->key == "7");
}

TEST_CASE("any order of any halves joins as in a plain map") {
    struct Expected {
        std::optional<std::string> counter;
        std::optional<std::string> expiry;
    };
    test::RandomSource random;
    SHOW_SEED(random);
    RdbHalves table("secret");
    std::map<std::string, Expected> expected;
    for (int i = 0; i < 60'000; ++i) {
        const std::string key =
            std::string(static_cast<std::size_t>(random.number(0, 40)), 'k') + std::to_string(random.number(0, 20'000));
        const std::string value = std::to_string(random.number(INT64_MIN, INT64_MAX));
        const Which which = random.one_in(2) ? Which::counter : Which::expiry;
        Expected& window = expected[key];
        auto& mine = which == Which::counter ? window.counter : window.expiry;
        const auto& others = which == Which::counter ? window.expiry : window.counter;
        RdbHalves::Half other;
        const Added added = add(table, key, which, half(value), other);
        REQUIRE(added == (mine ? Added::twice : others ? Added::second : Added::first));
        if (added == Added::second) REQUIRE(other.value == *others);
        if (added != Added::twice) mine = value;
    }
    std::size_t incomplete = 0;
    for (const auto& [key, window] : expected) incomplete += window.counter && window.expiry ? 0 : 1;
    std::size_t walked = 0;
    while (const auto window = table.next_incomplete()) {
        const Expected& known = expected.at(std::string(window->key));
        REQUIRE(window->counter.has_value() == known.counter.has_value());
        REQUIRE(window->expiry.has_value() == known.expiry.has_value());
        if (known.counter) REQUIRE(*window->counter->value == *known.counter);
        if (known.expiry) REQUIRE(*window->expiry->value == *known.expiry);
        ++walked;
    }
    CHECK(walked == incomplete);
    CHECK(table.windows() == expected.size());
}

TEST_CASE("joining a window costs at most a hundred bytes") {
    RdbHalves table("secret");
    RdbHalves::Half other;
    constexpr int kWindows = 400'000;
    for (int i = 0; i < kWindows; ++i) {
        const std::string key = "core:user:" + std::to_string(1'000'000'000 + i);  // 20 bytes
        const bool counter_first = i % 2 == 0;
        add(table, key, counter_first ? Which::counter : Which::expiry, half(counter_first ? "4711" : "1767225600", 1),
            other);
        add(table, key, counter_first ? Which::expiry : Which::counter, half(counter_first ? "1767225600" : "4711", 1),
            other);
    }
    CHECK(table.memory() / kWindows <= 100);
}
