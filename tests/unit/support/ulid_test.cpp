// ULIDs against the numbers of their specification.
#include "support/ulid.h"

#include "support/catch.h"

namespace {

using ratectl::support::make_ulid;
using ratectl::support::Milliseconds;
using ratectl::support::WallTime;

TEST_CASE("A ULID begins with its time in the alphabet of Crockford") {
    const auto ulid = make_ulid(WallTime{Milliseconds{1469918176385}}, {});
    CHECK(ulid == "01ARYZ6S410000000000000000");
    CHECK(make_ulid(WallTime{Milliseconds{281474976710655}}, {}).substr(0, 10) == "7ZZZZZZZZZ");
}

TEST_CASE("A ULID carries all eighty random bits") {
    const WallTime zero{};
    CHECK(make_ulid(zero, {255, 255, 255, 255, 255, 255, 255, 255, 255, 255}) == "0000000000ZZZZZZZZZZZZZZZZ");
    CHECK(make_ulid(zero, {0, 0, 0, 0, 0, 0, 0, 0, 0, 33}) == "00000000000000000000000011");
    CHECK(make_ulid(zero, {8, 0, 0, 0, 0, 0, 0, 0, 0, 0}) == "00000000001000000000000000");
}

}  // namespace
