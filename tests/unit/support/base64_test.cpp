// Base64 and hexadecimal.
#include "support/base64.h"

#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "unit/random_source.h"

using namespace ratectl::support;

TEST_CASE("base64 has the texts of RFC 4648") {
    const std::vector<std::pair<std::string, std::string>> vectors{{"", ""},
                                                                   {"f", "Zg=="},
                                                                   {"fo", "Zm8="},
                                                                   {"foo", "Zm9v"},
                                                                   {"foob", "Zm9vYg=="},
                                                                   {"fooba", "Zm9vYmE="},
                                                                   {"foobar", "Zm9vYmFy"}};
    for (const auto& [bytes, text] : vectors) {
        CHECK(to_base64(bytes) == text);
        CHECK(from_base64(text) == bytes);
    }
    CHECK(to_base64("\xfb\xff\xfe") == "+//+");
}

TEST_CASE("base64 that no encoder writes is refused") {
    for (const std::string text :
         {"Z", "Zg", "Zg=", "Zg===", "====", "Zh==", "Zm9=", "Zm9v\n", "Zm 9v", "Zg==Zg==", "Zm-_", "=Zg="}) {
        CAPTURE(text);
        CHECK_FALSE(from_base64(text));
    }
}

TEST_CASE("any bytes survive base64 and hexadecimal") {
    ratectl::test::RandomSource random;
    SHOW_SEED(random);
    for (int i = 0; i < 2000; ++i) {
        const std::string bytes = random.bytes({}, 0, 40);
        CHECK(from_base64(to_base64(bytes)) == bytes);
        CHECK(from_hex(to_hex(bytes)) == bytes);
    }
}

TEST_CASE("hexadecimal is written lower case and read in either") {
    CHECK(to_hex(std::string_view("\x00\xffK\x1b", 4)) == "00ff4b1b");
    CHECK(from_hex("00FF4b1B") == std::string("\x00\xffK\x1b", 4));
    CHECK(from_hex("") == "");
    for (const std::string text : {"0", "0g", "0x00", " 00", "000"}) CHECK_FALSE(from_hex(text));
}
