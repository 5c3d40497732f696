// The result of a hash function, 32 to 256 bits wide, as a number that can be compared, divided and shown.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace ratectl::sharding {

/// How the bits of a hash are ordered on a ring.
enum class Order {
    natural,         // one unsigned number
    signed_64,       // one signed 64-bit number (Java's long)
    signed_64_pair,  // two signed 64-bit numbers, the first decides
};

/// An unsigned number of `count` 32-bit words, most significant first; the words after them are zero.
/// Numbers are compared only with numbers of the same width.
struct HashValue {
    std::array<std::uint32_t, 8> words{};
    std::uint32_t count = 1;

    static HashValue of_32(std::uint32_t value) {
        HashValue hash;
        hash.words[0] = value;
        return hash;
    }
    static HashValue of_64(std::uint64_t value) {
        HashValue hash;
        hash.words[0] = static_cast<std::uint32_t>(value >> 32);
        hash.words[1] = static_cast<std::uint32_t>(value);
        hash.count = 2;
        return hash;
    }

    /// The leading 64 bits; the whole number when it is that narrow.
    std::uint64_t leading_64() const { return count == 1 ? words[0] : (std::uint64_t{words[0]} << 32) | words[1]; }
    /// The remainder of the whole number. `divisor` is not 0.
    std::uint32_t modulo(std::uint32_t divisor) const {
        std::uint64_t rest = 0;
        for (std::size_t i = 0; i < count; ++i) rest = ((rest << 32) | words[i]) % divisor;
        return static_cast<std::uint32_t>(rest);
    }
    /// The number whose natural order is `order`. Its own inverse.
    HashValue reordered(Order order) const {
        HashValue hash = *this;
        if (order != Order::natural) hash.words[0] ^= 0x80000000U;
        if (order == Order::signed_64_pair) hash.words[2] ^= 0x80000000U;
        return hash;
    }
    /// Decimal up to 64 bits (signed where the order is), hexadecimal above.
    std::string text(Order order) const {
        if (count == 1) return fmt::format("{}", words[0]);
        if (count == 2 && order == Order::signed_64) return fmt::format("{}", static_cast<std::int64_t>(leading_64()));
        if (count == 2) return fmt::format("{}", leading_64());
        std::string text = "0x";
        for (std::size_t i = 0; i < count; ++i) text += fmt::format("{:08x}", words[i]);
        return text;
    }

    bool operator==(const HashValue&) const = default;
    std::strong_ordering operator<=>(const HashValue& other) const {
        for (std::size_t i = 0; i < count; ++i) {
            if (words[i] != other.words[i]) return words[i] <=> other.words[i];
        }
        return std::strong_ordering::equal;
    }
};

}  // namespace ratectl::sharding
