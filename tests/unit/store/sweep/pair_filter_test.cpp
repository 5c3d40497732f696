// The memory for halves without a other half, against a set that forgets nothing.
#include "store/sweep/page_pipeline.h"

#include <set>
#include <string>

#include "support/catch.h"
#include "unit/random_source.h"

using namespace ratectl;

TEST_CASE("a half pairs with the other one however many came in between") {
    test::RandomSource random;
    SHOW_SEED(random);
    store::PairFilter halves;
    std::set<std::string> alone;
    for (int i = 0; i < 200'000; ++i) {
        const auto window = "core:" + std::to_string(random.number(1, 40'000));
        const bool known = alone.contains(window);
        if (known) {
            alone.erase(window);
        } else {
            alone.insert(window);
        }
        REQUIRE(halves.pairs(window) == known);
    }
}

TEST_CASE("a full memory of halves remembers what it has and nothing new") {
    store::PairFilter halves;
    constexpr int kMore = 1'000'000;
    for (int i = 0; i < kMore; ++i) REQUIRE_FALSE(halves.pairs("core:" + std::to_string(i)));
    CHECK(halves.pairs("core:0"));
    CHECK_FALSE(halves.pairs("core:" + std::to_string(kMore - 1)));
}
