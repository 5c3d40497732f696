// Cells of one column, in order.
#include "output/cell.h"

#include "support/catch.h"

using namespace ratectl::output;

TEST_CASE("cells stand in the order of their values with null at the end") {
    CHECK(stands_before(std::int64_t{9}, std::int64_t{10}, false));
    CHECK(stands_before(std::int64_t{10}, std::int64_t{9}, true));
    CHECK(stands_before(std::int64_t{9}, Null{}, false));
    CHECK(stands_before(std::int64_t{9}, Null{}, true));
    CHECK_FALSE(stands_before(Null{}, Null{}, true));
    CHECK_FALSE(stands_before(Null{}, std::int64_t{9}, true));
    CHECK(stands_before(BytesView{"a"}, Bytes{"b"}, false));
    CHECK(std::holds_alternative<Bytes>(owned(BytesView{"a"})));
}
