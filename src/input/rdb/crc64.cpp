// Computes a dump file's CRC-64 eight bytes at a time, with a table for each of the eight places.
#include "input/rdb/crc64.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

namespace ratectl::input {
namespace {

constexpr std::uint64_t kReflectedPolynomial = 0x95ac9329ac4bc9b5;
constexpr std::size_t kStep = 8;
using Tables = std::array<std::array<std::uint64_t, 256>, kStep>;

/// tables[n][b]: what byte b does to the remainder when n more bytes of its step come after it.
constexpr Tables make_tables() {
    Tables tables{};
    for (std::uint64_t byte = 0; byte < 256; ++byte) {
        std::uint64_t remainder = byte;
        for (int bit = 0; bit < 8; ++bit)
            remainder = (remainder >> 1) ^ ((remainder & 1) != 0 ? kReflectedPolynomial : 0);
        tables[0][byte] = remainder;
    }
    for (std::size_t byte = 0; byte < 256; ++byte) {
        for (std::size_t n = 1; n < kStep; ++n) {
            const std::uint64_t before = tables[n - 1][byte];
            tables[n][byte] = (before >> 8) ^ tables[0][before & 0xff];
        }
    }
    return tables;
}

constexpr Tables kTables = make_tables();

std::uint64_t little_endian(const char* bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    return word;
}

}  // namespace

std::uint64_t crc64(std::uint64_t crc, std::span<const char> bytes) {
    const char* at = bytes.data();
    std::size_t left = bytes.size();
    for (; left >= kStep; left -= kStep, at += kStep) {
        const std::uint64_t word = crc ^ little_endian(at);
        crc = kTables[7][word & 0xff] ^ kTables[6][(word >> 8) & 0xff] ^ kTables[5][(word >> 16) & 0xff] ^
              kTables[4][(word >> 24) & 0xff] ^ kTables[3][(word >> 32) & 0xff] ^ kTables[2][(word >> 40) & 0xff] ^
              kTables[1][(word >> 48) & 0xff] ^ kTables[0][word >> 56];
    }
    for (; left > 0; --left, ++at) crc = kTables[0][(crc ^ static_cast<unsigned char>(*at)) & 0xff] ^ (crc >> 8);
    return crc;
}

}  // namespace ratectl::input
