// The order of windows, and that the best of many are kept.
#include "commands/top/ranking.h"

#include <random>

#include "commands/report/fields/window_fields.h"
#include "support/catch.h"
#include "support/window_look.h"

using namespace ratectl;
using commands::top::Order;
using commands::top::order_cell;
using commands::top::RankedWindow;
using commands::top::Ranking;
using commands::top::SortKey;

namespace {

constexpr support::WallTime kStart{support::Seconds{1000}};

domain::WindowLook look_at(const std::string& key, std::int64_t used, std::int64_t reset_at) {
    auto look = test::window_look();
    look.key = key;
    counter_part(look).value = std::to_string(used);
    expiry_part(look).value = std::to_string(reset_at);
    return look;
}

RankedWindow seen(const std::string& key, std::int64_t used, std::int64_t reset_at, support::WallTime at = kStart) {
    RankedWindow window;
    window.see(look_at(key, used, reset_at), nullptr, at, false, at);
    return window;
}

std::string keys_of(const Ranking& ranking) {
    std::string keys;
    for (const RankedWindow& window : ranking.best()) keys += window.look.key + " ";
    return keys;
}

std::string ranked(Order order, std::size_t most = 10) {
    Ranking ranking(order, most);
    const auto add = [&](const std::string& key, std::int64_t used, std::int64_t reset_at,
                         std::optional<std::int64_t> limit, std::int64_t later) {
        RankedWindow window = seen(key, used, reset_at);
        if (later > 0)
            window.see(look_at(key, used + later, reset_at), nullptr, kStart + support::Seconds{2}, false,
                       kStart + support::Seconds{2});
        const auto judged = domain::judge(window.look, support::from_epoch(1000), limit);
        auto cell = order_cell(order.by, window.look, judged, window.use);
        ranking.add(std::move(window), std::move(cell));
    };
    add("b", 50, 1600, 100, 0);
    add("a", 50, 1300, 1000, 20);
    add("c", 90, 1900, std::nullopt, 0);
    add("d", 10, 1100, 10, 4);
    return keys_of(ranking);
}

}  // namespace

TEST_CASE("windows are ranked by each figure with the unknown last") {
    CHECK(ranked({SortKey::used}) == "c a b d ");
    CHECK(ranked({SortKey::used, true}) == "d b a c ");
    CHECK(ranked({SortKey::percent}) == "d b a c ");
    CHECK(ranked({SortKey::percent, true}) == "a b d c ");
    CHECK(ranked({SortKey::rate}) == "a d b c ");
    CHECK(ranked({SortKey::reset}) == "d a b c ");
    CHECK(ranked({SortKey::reset, true}) == "c b a d ");
    CHECK(ranked({SortKey::key}) == "a b c d ");
    CHECK(ranked({SortKey::key, true}) == "d c b a ");
}

TEST_CASE("the best of many windows are kept and what cannot be among them is known") {
    std::vector<int> numbers(1000);
    for (int i = 0; i < 1000; ++i) numbers[static_cast<std::size_t>(i)] = i;
    std::shuffle(numbers.begin(), numbers.end(), std::mt19937(7));
    Ranking ranking({}, 5);
    for (const int n : numbers) {
        const output::Cell cell{std::int64_t{n}};
        if (ranking.has_room_for(cell)) ranking.add(seen("k" + std::to_string(n), n, 2000), cell);
    }
    CHECK(keys_of(ranking) == "k999 k998 k997 k996 k995 ");
    CHECK_FALSE(ranking.has_room_for(output::Cell{std::int64_t{3}}));
    CHECK(ranking.has_room_for(output::Cell{std::int64_t{2000}}));
}

TEST_CASE("a look that is older than the last one changes nothing") {
    RankedWindow window = seen("a", 10, 2000, kStart + support::Seconds{5});
    window.see(look_at("a", 4, 2000), nullptr, kStart, false, kStart);
    CHECK(counter_part(window.look).value == "10");
    window.see(look_at("a", 20, 2000), nullptr, kStart + support::Seconds{7}, false, kStart + support::Seconds{7});
    REQUIRE(window.use.per_second());
    CHECK(*window.use.per_second() == 5.0);
}

TEST_CASE("the same key on two shards is two windows") {
    RankedWindow one = seen("a", 10, 2000);
    RankedWindow other = one;
    other.shard = 1;
    CHECK(id_of(one) != id_of(other));
}
