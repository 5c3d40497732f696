// FNV, one-at-a-time and SuperFastHash: hashes that walk byte by byte, with plain char signed or not as the caller
// says.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "sharding/hash_functions.h"
#include "support/fnv.h"

namespace ratectl::sharding::hashes {

namespace {

/// The byte as C code sees it that adds a plain `char` to an unsigned word.
template <class Char, class Word>
Word widened(char c) {
    return static_cast<Word>(static_cast<Char>(c));
}

/// What is left of the 64-bit numbers in 32 bits.
constexpr support::Fnv<std::uint32_t> kFnvLow{static_cast<std::uint32_t>(support::kFnv64.start),
                                              static_cast<std::uint32_t>(support::kFnv64.prime)};

template <class Char, class Word>
Word fnv1(std::string_view bytes, const support::Fnv<Word>& fnv) {
    return fnv.template fnv1<Char>(bytes, fnv.start);
}

template <class Char, class Word>
Word fnv1a(std::string_view bytes, const support::Fnv<Word>& fnv) {
    return fnv.template fnv1a<Char>(bytes, fnv.start);
}

template <class Char>
HashValue one_at_a_time_with(std::string_view bytes) {
    std::uint32_t value = 0;
    for (const char c : bytes) {
        value += widened<Char, std::uint32_t>(c);
        value += value << 10;
        value ^= value >> 6;
    }
    value += value << 3;
    value ^= value >> 11;
    value += value << 15;
    return HashValue::of_32(value);
}

std::uint32_t le16(std::string_view bytes, std::size_t at) {
    return widened<unsigned char, std::uint32_t>(bytes[at]) |
           (widened<unsigned char, std::uint32_t>(bytes[at + 1]) << 8);
}

/// The 1 to 3 bytes after the last whole group of four; only the third of three is added as a plain char.
template <class Char>
std::uint32_t hsieh_tail(std::uint32_t hash, std::string_view tail) {
    if (tail.size() == 3) {
        hash += le16(tail, 0);
        hash ^= hash << 16;
        hash ^= widened<Char, std::uint32_t>(tail[2]) << 18;
        hash += hash >> 11;
    } else if (tail.size() == 2) {
        hash += le16(tail, 0);
        hash ^= hash << 11;
        hash += hash >> 17;
    } else if (tail.size() == 1) {
        hash += widened<unsigned char, std::uint32_t>(tail[0]);
        hash ^= hash << 10;
        hash += hash >> 1;
    }
    return hash;
}

template <class Char>
HashValue hsieh_with(std::string_view bytes) {
    if (bytes.empty()) return HashValue::of_32(0);
    std::uint32_t hash = 0;
    while (bytes.size() >= 4) {
        hash += le16(bytes, 0);
        hash = (hash << 16) ^ (le16(bytes, 2) << 11) ^ hash;
        hash += hash >> 11;
        bytes.remove_prefix(4);
    }
    hash = hsieh_tail<Char>(hash, bytes);
    hash ^= hash << 3;
    hash += hash >> 5;
    hash ^= hash << 4;
    hash += hash >> 17;
    hash ^= hash << 25;
    hash += hash >> 6;
    return HashValue::of_32(hash);
}

/// One character of UTF-8 taken off the front; U+FFFD for a byte that begins none.
std::uint32_t take_character(std::string_view& bytes) {
    const auto octet = [&bytes](std::size_t i) {
        return i < bytes.size() ? std::uint32_t{static_cast<unsigned char>(bytes[i])} : 0U;
    };
    const std::uint32_t lead = octet(0);
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xC2 ? 0
                               : lead < 0xE0 ? 2
                               : lead < 0xF0 ? 3
                               : lead < 0xF5 ? 4
                                             : 0;
    std::uint32_t character = length < 2 ? lead : lead & (0x7fU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((octet(i) & 0xC0U) != 0x80U) {
            bytes.remove_prefix(1);
            return 0xFFFD;
        }
        character = (character << 6) | (octet(i) & 0x3FU);
    }
    bytes.remove_prefix(std::max<std::size_t>(length, 1));
    return length == 0 ? 0xFFFD : character;
}

std::uint32_t java_hash(std::string_view bytes) {
    std::uint32_t hash = 0;
    while (!bytes.empty()) {
        const std::uint32_t character = take_character(bytes);
        if (character >= 0x10000) {
            hash = hash * 31 + (0xD800U + ((character - 0x10000U) >> 10));
            hash = hash * 31 + (0xDC00U + ((character - 0x10000U) & 0x3FFU));
        } else {
            hash = hash * 31 + character;
        }
    }
    return hash;
}

}  // namespace

std::string as_latin_1(std::string_view utf8) {
    std::string latin;
    for (std::size_t i = 0; i < utf8.size(); ++i) {
        const auto lead = static_cast<unsigned char>(utf8[i]);
        if (lead < 0x80) {
            latin += utf8[i];
            continue;
        }
        const unsigned next = i + 1 < utf8.size() ? static_cast<unsigned char>(utf8[i + 1]) : 0U;
        if ((lead != 0xC2 && lead != 0xC3) || (next & 0xC0U) != 0x80U) return std::string(utf8);
        latin += static_cast<char>(((lead & 0x03U) << 6) | (next & 0x3FU));
        ++i;
    }
    return latin;
}

HashValue fnv1_32(std::string_view bytes) { return HashValue::of_32(fnv1<unsigned char>(bytes, support::kFnv32)); }
HashValue fnv1a_32(std::string_view bytes) { return HashValue::of_32(fnv1a<unsigned char>(bytes, support::kFnv32)); }
HashValue fnv1_64(std::string_view bytes) { return HashValue::of_64(fnv1<unsigned char>(bytes, support::kFnv64)); }
HashValue fnv1a_64(std::string_view bytes) { return HashValue::of_64(fnv1a<unsigned char>(bytes, support::kFnv64)); }
HashValue fnv1_32_signed(std::string_view bytes) { return HashValue::of_32(fnv1<signed char>(bytes, support::kFnv32)); }
HashValue fnv1a_32_signed(std::string_view bytes) {
    return HashValue::of_32(fnv1a<signed char>(bytes, support::kFnv32));
}
HashValue fnv1_64_low(std::string_view bytes) { return HashValue::of_32(fnv1<unsigned char>(bytes, kFnvLow)); }
HashValue fnv1a_64_low(std::string_view bytes) { return HashValue::of_32(fnv1a<unsigned char>(bytes, kFnvLow)); }
HashValue fnv1_64_low_signed(std::string_view bytes) { return HashValue::of_32(fnv1<signed char>(bytes, kFnvLow)); }
HashValue fnv1a_64_low_signed(std::string_view bytes) { return HashValue::of_32(fnv1a<signed char>(bytes, kFnvLow)); }
HashValue one_at_a_time(std::string_view bytes) { return one_at_a_time_with<unsigned char>(bytes); }
HashValue one_at_a_time_signed(std::string_view bytes) { return one_at_a_time_with<signed char>(bytes); }
HashValue hsieh(std::string_view bytes) { return hsieh_with<unsigned char>(bytes); }
HashValue hsieh_signed(std::string_view bytes) { return hsieh_with<signed char>(bytes); }

HashValue java_hashcode(std::string_view bytes) { return HashValue::of_32(java_hash(bytes)); }
HashValue java_hashcode_abs(std::string_view bytes) {
    const std::uint32_t hash = java_hash(bytes);
    return HashValue::of_32((hash & 0x80000000U) != 0 ? 0U - hash : hash);
}
HashValue java_hashcode_masked(std::string_view bytes) { return HashValue::of_32(java_hash(bytes) & 0x7fffffffU); }

}  // namespace ratectl::sharding::hashes
