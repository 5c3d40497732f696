// Shares: none, all, and what is neither.
#include "support/percent.h"

#include "support/catch.h"

using namespace ratectl::support;

TEST_CASE("a share is rounded to the hundredth and is none or all only where it is") {
    CHECK_FALSE(percent_of(0, 0));
    CHECK_FALSE(percent_of(5, -1));
    CHECK(percent_of(0, 3) == 0.0);
    CHECK(percent_of(1, 3) == 33.33);
    CHECK(percent_of(2, 3) == 66.67);
    CHECK(percent_of(3, 3) == 100.0);
    CHECK(percent_of(6, 3) == 200.0);
    CHECK(percent_of(1, 5'000'000) == 0.01);
    CHECK(percent_of(4'999'999, 5'000'000) == 99.99);
    CHECK(percent_of(9'007'199'254'740'990, 9'007'199'254'740'991) == 99.99);
}

TEST_CASE("people are told a tenth and never nothing of something or all of less") {
    CHECK(percent_text(0) == "0");
    CHECK(percent_text(0.01) == "<0.1");
    CHECK(percent_text(0.05) == "0.1");
    CHECK(percent_text(41) == "41.0");
    CHECK(percent_text(66.67) == "66.7");
    CHECK(percent_text(99.94) == "99.9");
    CHECK(percent_text(99.99) == ">99.9");
    CHECK(percent_text(100) == "100");
    CHECK(percent_text(250.5) == "250.5");
    CHECK(percent_text(0.2, 0) == "<1");
    CHECK(percent_text(79.6, 0) == "80");
    CHECK(percent_text(99.6, 0) == ">99");
}

TEST_CASE("a share is rounded once") {
    CHECK(share_text(15, 448) == "3.3");  // 3.348 would be 3.4 by way of 3.35
    CHECK(share_text(0, 0) == "0");
    CHECK(share_text(1, 100'000) == "<0.1");
    CHECK(share_text(99'999, 100'000) == ">99.9");
    CHECK(share_text(9'007'199'254'740'990, 9'007'199'254'740'991) == ">99.9");
    CHECK(share_text(7, 7) == "100");
}

TEST_CASE("percentages are digits and perhaps a few decimals") {
    CHECK(parse_percent("80") == 80.0);
    CHECK(parse_percent("99.5") == 99.5);
    for (const char* wrong : {"", "80%", "-1", "+1", "1.", ".5", "1e3", "0.1234567"}) {
        CAPTURE(wrong);
        CHECK_FALSE(parse_percent(wrong));
    }
}
