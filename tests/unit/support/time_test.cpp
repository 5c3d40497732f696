// The application's clock: what goes by whole seconds takes a moment for its second.
#include "support/time.h"

#include "support/catch.h"

namespace ratectl::test {
namespace {

using support::from_epoch;
using support::Moment;

constexpr Moment at_ms(std::int64_t ms) { return support::WallTime{support::Milliseconds{ms}}; }

TEST_CASE("A window ends with the whole of its last second") {
    const auto end = from_epoch(100);
    CHECK(end >= at_ms(100'000));
    CHECK(end >= at_ms(100'999));
    CHECK(end < at_ms(101'000));
    CHECK_FALSE(at_ms(100'999) > end);
    CHECK(end - at_ms(98'999) == support::Seconds{2});
    CHECK(at_ms(98'999) - end == support::Seconds{-2});
    CHECK(at_ms(98'999) + support::Seconds{2} == end);
    // Before the epoch, too.
    CHECK(support::Instant(at_ms(-1)) == from_epoch(-1));
}

TEST_CASE("Two moments are the same by the millisecond") {
    CHECK(at_ms(100'999) != at_ms(100'998));
    CHECK(Moment(from_epoch(100)) == at_ms(100'000));
    CHECK(at_ms(1) != support::kWhenever);
    CHECK(support::kWhenever < from_epoch(0));
}

}  // namespace
}  // namespace ratectl::test
