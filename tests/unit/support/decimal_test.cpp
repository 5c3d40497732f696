// Strict decimals.
#include "support/decimal.h"

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
