// What the ring of keys remembers, and what it forgets.
#include "store/sweep/key_ring.h"

#include <string>

#include "support/catch.h"

namespace ratectl {
namespace {

std::string key(std::size_t i) { return "core:" + std::to_string(i); }

}  // namespace

TEST_CASE("the ring knows the last keys and forgets old ones") {
    constexpr std::size_t remembered = 700;
    store::KeyRing ring(remembered);
    for (std::size_t i = 0; i < 20 * remembered; ++i) {
        CHECK(ring.insert(key(i)));
        CHECK_FALSE(ring.insert(key(i)));
        if (i >= remembered - 1) CHECK_FALSE(ring.insert(key(i - (remembered - 1))));
    }
    for (std::size_t i = 0; i < remembered; ++i) CHECK(ring.insert(key(i)));
}

TEST_CASE("the ring grows without losing a key") {
    store::KeyRing ring(100'000);
    for (std::size_t i = 0; i < 100'000; ++i) CHECK(ring.insert(key(i)));
    for (std::size_t i = 0; i < 100'000; ++i) CHECK_FALSE(ring.insert(key(i)));
}

TEST_CASE("a cleared ring knows nothing and remembers as much as before") {
    store::KeyRing ring(2'000);
    for (std::size_t i = 0; i < 3'000; ++i) ring.insert(key(i));
    ring.clear();
    for (std::size_t i = 0; i < 2'000; ++i) CHECK(ring.insert(key(i)));
    for (std::size_t i = 0; i < 2'000; ++i) CHECK_FALSE(ring.insert(key(i)));
}

}  // namespace ratectl
