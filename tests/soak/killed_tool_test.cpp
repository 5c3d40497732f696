// A bulk reset of 10,000 windows, killed at hundreds of points.
#include "fault/killed_tool.h"

namespace ratectl::test {
namespace {

TEST_CASE("a reset of ten thousand windows that is killed at hundreds of points accounts for every one") {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) try_points(seed, 10'000, 50);
}

}  // namespace
}  // namespace ratectl::test
