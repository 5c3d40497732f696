// The table that joins the parts of windows, against a plain map.
#include "commands/dumps/rdb_pairs.h"

#include <map>
#include <string>

#include "support/catch.h"
#include "unit/random_source.h"

using namespace ratectl;
using commands::RdbPairs;
using Which = RdbPairs::Which;
using Added = RdbPairs::Added;

namespace {

RdbPairs::Part part(std::string_view value, std::optional<std::int64_t> expires_at_ms = {}) {
    return {value, 0, expires_at_ms};
}

Added add(RdbPairs& table, const std::string& key, Which which, const RdbPairs::Part& added, RdbPairs::Part& other) {
    return table.add(key, table.hash_of(key), which, added, other);
}

bool same(const RdbPairs::Part& a, const RdbPairs::Part& b) {
    return a.value == b.value && a.type == b.type && a.expires_at_ms == b.expires_at_ms;
}

}  // namespace

TEST_CASE("the second part of a window meets the first whichever came first") {
    RdbPairs table("secret");
    RdbPairs::Part other;
    CHECK(add(table, "a", Which::first, part("17", 1000), other) == Added::first);
    CHECK(add(table, "b", Which::second, part("1800", INT64_MIN), other) == Added::first);
    CHECK(add(table, "a", Which::second, part("1800", 1001), other) == Added::second);
    CHECK(same(other, part("17", 1000)));
    CHECK(add(table, "b", Which::first, part("5"), other) == Added::second);
    CHECK(same(other, part("1800", INT64_MIN)));
    CHECK(table.windows() == 2);
    CHECK_FALSE(table.next_incomplete().has_value());
}

TEST_CASE("a part that comes twice is no window") {
    RdbPairs table("secret");
    RdbPairs::Part other;
    CHECK(add(table, "a", Which::first, part("1"), other) == Added::first);
    CHECK(add(table, "a", Which::first, part("2"), other) == Added::twice);
    CHECK(add(table, "a", Which::second, part("3"), other) == Added::second);
    CHECK(add(table, "a", Which::second, part("4"), other) == Added::twice);
    CHECK(add(table, "a", Which::first, part("5"), other) == Added::twice);
}

TEST_CASE("second keys are found again wherever they stand") {
    RdbPairs table("secret");
    RdbPairs::Part other;
    add(table, "first", Which::second, part("100"), other);
    add(table, "second", Which::first, part("7"), other);
    add(table, "second", Which::second, {std::nullopt, 3, 55}, other);
    REQUIRE(table.find("first", Which::second).has_value());
    CHECK(same(*table.find("first", Which::second), part("100")));
    CHECK(same(*table.find("second", Which::second), {std::nullopt, 3, 55}));
    CHECK(same(*table.find("second", Which::first), part("7")));
    CHECK_FALSE(table.find("first", Which::first).has_value());
    CHECK_FALSE(table.find("third", Which::second).has_value());
}

TEST_CASE("a cleared table knows nothing") {
    RdbPairs table("secret");
    RdbPairs::Part other;
    for (int i = 0; i < 5000; ++i) add(table, std::to_string(i), Which::first, part("1"), other);
    REQUIRE(table.next_incomplete().has_value());
    table.clear();
    CHECK(table.windows() == 0);
    CHECK_FALSE(table.next_incomplete().has_value());
    CHECK(add(table, "7", Which::second, part("2"), other) == Added::first);
    CHECK(table.next_incomplete()->key == "7");
}

TEST_CASE("any order of any parts joins as in a plain map") {
    struct Expected {
        std::optional<std::string> first;
        std::optional<std::string> second;
    };
    test::RandomSource random;
    SHOW_SEED(random);
    RdbPairs table("secret");
    std::map<std::string, Expected> expected;
    for (int i = 0; i < 60'000; ++i) {
        const std::string key =
            std::string(static_cast<std::size_t>(random.number(0, 40)), 'k') + std::to_string(random.number(0, 20'000));
        const std::string value = std::to_string(random.number(INT64_MIN, INT64_MAX));
        const Which which = random.one_in(2) ? Which::first : Which::second;
        Expected& window = expected[key];
        auto& mine = which == Which::first ? window.first : window.second;
        const auto& others = which == Which::first ? window.second : window.first;
        RdbPairs::Part other;
        const Added added = add(table, key, which, part(value), other);
        REQUIRE(added == (mine ? Added::twice : others ? Added::second : Added::first));
        if (added == Added::second) REQUIRE(other.value == *others);
        if (added != Added::twice) mine = value;
    }
    std::size_t incomplete = 0;
    for (const auto& [key, window] : expected) incomplete += window.first && window.second ? 0 : 1;
    std::size_t walked = 0;
    while (const auto window = table.next_incomplete()) {
        const Expected& known = expected.at(std::string(window->key));
        REQUIRE(window->first.has_value() == known.first.has_value());
        REQUIRE(window->second.has_value() == known.second.has_value());
        if (known.first) REQUIRE(*window->first->value == *known.first);
        if (known.second) REQUIRE(*window->second->value == *known.second);
        ++walked;
    }
    CHECK(walked == incomplete);
    CHECK(table.windows() == expected.size());
}

TEST_CASE("joining a window costs at most a hundred bytes") {
    RdbPairs table("secret");
    RdbPairs::Part other;
    constexpr int kWindows = 400'000;
    for (int i = 0; i < kWindows; ++i) {
        const std::string key = "core:user:" + std::to_string(1'000'000'000 + i);  // 20 bytes
        const bool counter_first = i % 2 == 0;
        add(table, key, counter_first ? Which::first : Which::second, part(counter_first ? "4711" : "1767225600", 1),
            other);
        add(table, key, counter_first ? Which::second : Which::first, part(counter_first ? "1767225600" : "4711", 1),
            other);
    }
    CHECK(table.memory() / kWindows <= 100);
}
