// Hash functions against published check values.

#include "sharding/hash_functions.h"

#include "support/catch.h"

namespace ratectl::sharding::hashes {

TEST_CASE("checksums have their catalogued check values") {
    CHECK(crc32("123456789").words[0] == 0xCBF43926);
    CHECK(crc32_inverted("123456789").words[0] == 0x340BC6D9);
    CHECK(crc32_15_bits("123456789").words[0] == 0x4BF4);
    CHECK(crc16("123456789").words[0] == 0x31C3);
    CHECK(byte_swapped(crc32_bzip2_swapped("123456789").words[0]) == 0xFC891918);
    CHECK(adler32("123456789").words[0] == 0x091E01DE);
    CHECK(crc32_signed_abs("123456789").words[0] == 0x340BC6DA);
}

TEST_CASE("digests have their catalogued values and widths") {
    CHECK(md5("").text(Order::natural) == "0xd41d8cd98f00b204e9800998ecf8427e");
    CHECK(sha1("abc").text(Order::natural) == "0xa9993e364706816aba3e25717850c26c9cd0d89d");
    CHECK(sha256("abc").text(Order::natural) == "0xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    // Lengths around the end of a block, where the padding needs a block of its own.
    CHECK(md5(std::string(55, 'a')).text(Order::natural) == "0xef1772b6dff9a122358552954ad0df65");
    CHECK(md5(std::string(56, 'a')).text(Order::natural) == "0x3b0c8ac703f828b04c6c197006d17218");
    CHECK(md5(std::string(64, 'a')).text(Order::natural) == "0x014842d480b571495a4a0363793f7367");
    CHECK(sha1(std::string(56, 'a')).text(Order::natural) == "0xc2db330f6083854c99d4b5bfb6e8f29f201be699");
    CHECK(sha256(std::string(119, 'a')).text(Order::natural) ==
          "0x31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb");
    CHECK(sha256(std::string(120, 'a')).text(Order::natural) ==
          "0x2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c");
    CHECK(md5_be32("").words[0] == 0xd41d8cd9);
    CHECK(md5_le32("").words[0] == 0xd98c1dd4);
    CHECK(md5_first_7_hex("").words[0] == 0xd41d8cd);
    CHECK(md5_first_15_hex("").leading_64() == 0xd41d8cd98f00b20);
    CHECK(md5_last_8_hex("").words[0] == 0xecf8427e);
}

TEST_CASE("byte loops and block hashes have their published values") {
    CHECK(fnv1a_32("foobar").words[0] == 0xbf9cf968);
    CHECK(fnv1_32("foobar").words[0] == 0x31f0b262);
    CHECK(fnv1a_64("foobar").leading_64() == 0x85944171f73967e8);
    CHECK(fnv1_64("foobar").leading_64() == 0x340d8765a4dda9c2);
    CHECK(one_at_a_time("a").words[0] == 0xca2e9442);
    CHECK(murmur3_32("").words[0] == 0);
    CHECK(murmur3_seeded("").words[0] == 0);
    CHECK(murmur3_seeded("foobar").words[0] == 0x876b2160);  // as libhashkit 1.1.4 says
    CHECK(murmur3_seeded("\xff").words[0] == 0x780f613e);
    CHECK(xxh64("foo").leading_64() == 3728699739546630719U);
    CHECK(murmur64a_envoy("foo").leading_64() == 9631199822919835226U);
    CHECK(xxh32("").words[0] == 0x02CC5D05);
}

TEST_CASE("only bytes from 0x80 up tell signed from unsigned char") {
    CHECK(fnv1a_32_signed("plain").words[0] == fnv1a_32("plain").words[0]);
    CHECK(fnv1a_32_signed("\x80").words[0] != fnv1a_32("\x80").words[0]);
    CHECK(hsieh_signed("ab\x80").words[0] != hsieh("ab\x80").words[0]);
    CHECK(hsieh_signed("\x80").words[0] == hsieh("\x80").words[0]);
    CHECK(one_at_a_time_signed("\xff").words[0] != one_at_a_time("\xff").words[0]);
}

TEST_CASE("products are rounded before they are added to") {
    // A fused multiply-add would keep the bits that the product loses, and give rings other numbers of points.
    const volatile float single = 1.0F + 0x1p-12F;
    const float square = single * single;
    CHECK(single * single - square == 0.0F);
    const volatile double twice = 1.0 + 0x1p-30;
    const double product = twice * twice;
    CHECK(twice * twice - product == 0.0);
}

TEST_CASE("bytes from 0x80 up are the same whatever the compiler takes char for") {
    CHECK(fnv1a_32("\xff").words[0] == (2166136261U ^ 0xffU) * 16777619U);
    CHECK(fnv1a_32_signed("\xff").words[0] == (2166136261U ^ 0xffffffffU) * 16777619U);
    CHECK(fnv1_32("\x80").words[0] == ((2166136261U * 16777619U) ^ 0x80U));
    CHECK(fnv1_32_signed("\x80").words[0] == ((2166136261U * 16777619U) ^ 0xffffff80U));
    CHECK(crc16("\xff").words[0] == 0x1ef0);
    CHECK(crc32("\xff").words[0] == 0xff000000);
    CHECK(crc32_bzip2_swapped("\xff").words[0] == 0xff000000);
    CHECK(murmur3_32("\xff").words[0] == 0xfd6cf10d);
    CHECK(java_hashcode("\xC3\xBF").words[0] == 0xff);
}

TEST_CASE("wide numbers are divided as a whole") {
    HashValue value;
    value.count = 3;
    value.words = {1, 0, 5};  // 2^64 + 5
    CHECK(value.modulo(10) == 1);
    CHECK(HashValue::of_64(UINT64_MAX).modulo(7) == 1);
    CHECK(HashValue::of_32(9).modulo(4) == 1);
}

TEST_CASE("an order is its own inverse and puts negative numbers first") {
    const auto minus_one = HashValue::of_64(UINT64_MAX);
    const auto one = HashValue::of_64(1);
    CHECK(one < minus_one);
    CHECK(minus_one.reordered(Order::signed_64) < one.reordered(Order::signed_64));
    CHECK(minus_one.reordered(Order::signed_64).reordered(Order::signed_64) == minus_one);
    CHECK(minus_one.text(Order::signed_64) == "-1");
    CHECK(minus_one.text(Order::natural) == "18446744073709551615");
}

TEST_CASE("Latin-1 is taken only where the text has nothing beyond it") {
    CHECK(as_latin_1("na\xC3\xAFve") == "na\xEFve");
    CHECK(as_latin_1("\xE2\x82\xAC") == "\xE2\x82\xAC");
    CHECK(as_latin_1("\xC3") == "\xC3");
}

}  // namespace ratectl::sharding::hashes
