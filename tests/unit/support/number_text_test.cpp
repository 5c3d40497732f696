// Numbers to and from text.
#include "support/number_text.h"

#include <cstdint>
#include <string>

#include "support/catch.h"

using namespace ratectl::support;

TEST_CASE("canonical integers of the whole range are read exactly") {
    CHECK(parse_decimal("0") == 0);
    CHECK(parse_decimal("-1") == -1);
    CHECK(parse_decimal("9007199254740993") == 9007199254740993);
    CHECK(parse_decimal("9223372036854775807") == INT64_MAX);
    CHECK(parse_decimal("-9223372036854775808") == INT64_MIN);
    CHECK(parse_unsigned("18446744073709551615") == UINT64_MAX);
}

TEST_CASE("what only looks like an integer is refused") {
    for (const std::string text : {"", "-", "-0", "00", "010", "-010", "+5", " 7", "7 ", "1e3", "0x10", "1.0", "--1",
                                   "9223372036854775808", "-9223372036854775809", "7\n", "99999999999999999999"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_decimal(text));
    }
    CHECK_FALSE(parse_decimal(std::string_view("1\0", 2)));
    CHECK_FALSE(parse_unsigned("-1"));
    CHECK_FALSE(parse_unsigned("18446744073709551616"));
}

TEST_CASE("one byte that is no digit is refused wherever it stands") {
    const std::string number = "123456789012345678";
    for (std::size_t size = 1; size <= number.size(); ++size) {
        CHECK(parse_unsigned(std::string_view(number).substr(0, size)) == std::stoull(number.substr(0, size)));
        for (std::size_t at = 0; at < size; ++at) {
            int accepted = 0;
            for (int byte = 0; byte < 256; ++byte) {
                std::string text = number.substr(0, size);
                text[at] = static_cast<char>(byte);
                if (parse_unsigned(text)) ++accepted;
            }
            CHECK(accepted == (at == 0 && size > 1 ? 9 : 10));
        }
    }
}

TEST_CASE("an unsigned number above its maximum is refused") {
    CHECK(parse_unsigned("65535", 65535) == 65535U);
    CHECK_FALSE(parse_unsigned("65536", 65535));
}

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
