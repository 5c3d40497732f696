// The set of hashes, against one of the standard library.
#include "support/hash_set.h"

#include <set>

#include "support/catch.h"
#include "unit/random_source.h"

namespace ratectl::support {

TEST_CASE("a set of hashes knows what is in it whatever came, went and made it grow") {
    test::RandomSource random;
    SHOW_SEED(random);
    HashSet hashes(16);
    std::set<std::uint64_t> expected;
    for (int i = 0; i < 100'000; ++i) {
        // Few values of few bits, so that runs of taken slots are long and go round the end.
        const auto hash = static_cast<std::uint64_t>(random.number(1, 3000)) * 7;
        if (random.number(1, 5) <= 2) {
            REQUIRE(hashes.erase(hash) == (expected.erase(hash) == 1));
        } else {
            REQUIRE(hashes.insert(hash) == expected.insert(hash).second);
        }
        REQUIRE(hashes.contains(hash) == expected.contains(hash));
        REQUIRE(hashes.size() == expected.size());
    }
    hashes.keep([](std::uint64_t hash) { return hash % 2 == 0; });
    for (std::uint64_t hash = 0; hash <= 21'000; hash += 7) {
        CHECK(hashes.contains(hash) == (hash % 2 == 0 && expected.contains(hash)));
    }
}

TEST_CASE("a set of hashes that may not grow keeps what it has") {
    HashSet hashes(16, 16);
    for (std::uint64_t hash = 1; hash <= 12; ++hash) {
        CHECK_FALSE(hashes.is_full());
        CHECK(hashes.insert(hash));
    }
    CHECK(hashes.is_full());
    CHECK_FALSE(hashes.insert(13));
    CHECK_FALSE(hashes.contains(13));
    CHECK(hashes.contains(12));
    CHECK(hashes.erase(12));
    CHECK(hashes.insert(13));
}

TEST_CASE("a set of hashes knows a hash of zero and forgets all when it is cleared") {
    HashSet hashes;
    CHECK_FALSE(hashes.contains(0));
    CHECK(hashes.insert(0));
    CHECK(hashes.contains(0));
    hashes.clear();
    CHECK(hashes.size() == 0);
    CHECK_FALSE(hashes.contains(0));
}

}  // namespace ratectl::support
