// A thousand interrupted bulk changes of each kind; RATECTL_SOAK_RUNS says another number.
#include <cstdlib>
#include <iostream>

#include "fault/interrupted_bulk.h"

namespace ratectl::test {
namespace {

TEST_CASE("a thousand interrupted bulk changes of each kind report what was written") {
    const char* wanted = std::getenv("RATECTL_SOAK_RUNS");
    const int runs = wanted == nullptr ? 1000 : std::atoi(wanted);
    for (const auto kind : kBulkKinds) {
        const auto seed = std::random_device{}();
        INFO("seed " << seed);
        InterruptedBulk bulk(kind, 1200, seed);
        const int interrupted = bulk.interrupt(runs);
        std::cout << name_of(kind) << ": " << interrupted << " of " << runs << " interrupted" << std::endl;
        CHECK(interrupted * 3 > runs);
    }
}

}  // namespace
}  // namespace ratectl::test
