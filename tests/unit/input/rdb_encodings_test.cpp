// The two algorithms of the dump format: its checksum, and the unpacking of its strings.
#include <string>

#include "input/rdb/bytes.h"
#include "support/catch.h"
#include "unit/input/rdb_maker.h"
#include "unit/random_source.h"

using namespace ratectl;
using namespace std::string_literals;
using input::crc64;
using input::lzf_unpack;

namespace {

/// The shortest packing that is right: literal runs, and a reference wherever the bytes stood before.
std::string pack(std::string_view text) {
    std::string packed;
    std::string run;
    const auto flush = [&] {
        for (std::size_t at = 0; at < run.size(); at += 32) {
            const auto part = run.substr(at, 32);
            packed += static_cast<char>(part.size() - 1);
            packed += part;
        }
        run.clear();
    };
    for (std::size_t at = 0; at < text.size();) {
        std::size_t best = 0;
        std::size_t distance = 0;
        for (std::size_t back = 1; back <= at && back <= 8192; ++back) {
            std::size_t same = 0;
            while (same < 264 && at + same < text.size() && text[at + same] == text[at - back + same]) ++same;
            if (same > best) best = same, distance = back;
        }
        if (best < 3) {
            run += text[at++];
            continue;
        }
        flush();
        const std::size_t length = best - 2;
        const std::size_t offset = distance - 1;
        packed += static_cast<char>((length < 7 ? length : 7) << 5 | offset >> 8);
        if (length >= 7) packed += static_cast<char>(length - 7);
        packed += static_cast<char>(offset & 0xff);
        at += best;
    }
    flush();
    return packed;
}

}  // namespace

TEST_CASE("the checksum of a dump is the one that its authors give") {
    CHECK(crc64(0, "123456789"s) == 0xe9c6d914c4b8d9ca);
    CHECK(crc64(0, ""s) == 0);
}

TEST_CASE("the checksum of any bytes is that of the polynomial in whatever pieces") {
    test::RandomSource random;
    SHOW_SEED(random);
    for (int i = 0; i < 200; ++i) {
        const std::string bytes = random.bytes("", 0, 100);
        const auto cut = static_cast<std::size_t>(random.number(0, static_cast<std::int64_t>(bytes.size())));
        CHECK(crc64(0, bytes) == test::slow_crc64(bytes));
        CHECK(crc64(crc64(0, bytes.substr(0, cut)), bytes.substr(cut)) == test::slow_crc64(bytes));
    }
}

TEST_CASE("packed strings unpack to what they were") {
    test::RandomSource random;
    SHOW_SEED(random);
    std::string text;
    for (int i = 0; i < 200; ++i) {
        const std::string bytes = random.bytes(random.one_in(2) ? "ab" : "", 1, 700);
        const std::string packed = pack(bytes);
        REQUIRE(lzf_unpack(packed, bytes.size(), text));
        CHECK(text == bytes);
        const auto part = static_cast<std::size_t>(random.number(0, static_cast<std::int64_t>(bytes.size())));
        REQUIRE(lzf_unpack(packed, part, text));
        CHECK(text == bytes.substr(0, part));
    }
}

TEST_CASE("a reference that overlaps what it writes repeats it") {
    std::string text;
    REQUIRE(
        lzf_unpack("\x00"
                   "a\xe0\xff\x00"s,
                   1 + 264, text));
    CHECK(text == std::string(265, 'a'));
}

TEST_CASE("damaged packed strings are refused") {
    std::string text;
    CHECK_FALSE(lzf_unpack(""s, 1, text));
    CHECK_FALSE(
        lzf_unpack("\x05"
                   "abc"s,
                   6, text));                       // the run is longer than what is there
    CHECK_FALSE(lzf_unpack("\x20\x00"s, 3, text));  // back to before the beginning
    CHECK_FALSE(
        lzf_unpack("\x00"
                   "a\x20"s,
                   4, text));  // no distance
    CHECK_FALSE(
        lzf_unpack("\x00"
                   "a\xe0\x01"s,
                   9, text));  // likewise, the long form
    CHECK_FALSE(
        lzf_unpack("\x02"
                   "abc"s,
                   4, text));  // ends too early
    test::RandomSource random;
    SHOW_SEED(random);
    for (int i = 0; i < 2000; ++i) {
        const bool whole = lzf_unpack(random.bytes("", 0, 40), static_cast<std::size_t>(random.number(0, 500)), text);
        CHECK((whole || text.size() <= 500));
    }
}
