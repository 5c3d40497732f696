// Amounts of memory.
#include "support/byte_units.h"

#include <cstdint>

#include "support/catch.h"

using ratectl::support::format_bytes;

TEST_CASE("memory is printed in the largest unit that fits") {
    CHECK(format_bytes(0) == "0 B");
    CHECK(format_bytes(1023) == "1023 B");
    CHECK(format_bytes(1024) == "1.0 KiB");
    CHECK(format_bytes(1536) == "1.5 KiB");
    CHECK(format_bytes(1'048'575) == "1.0 MiB");
    CHECK(format_bytes(1'288'490'189) == "1.2 GiB");
    CHECK(format_bytes(-2048) == "-2.0 KiB");
    CHECK(format_bytes(INT64_MAX) == "8.0 EiB");
    CHECK(format_bytes(INT64_MIN) == "-8.0 EiB");
}
