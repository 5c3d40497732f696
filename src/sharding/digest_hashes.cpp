// CRCs from zlib, MD5 and SHA from libmd, and the parts of them that sharding libraries use as numbers.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <md5.h>
#include <sha1.h>
#include <sha2.h>
#include <sys/types.h>
#include <zlib.h>

#include "sharding/hash_functions.h"

namespace ratectl::sharding::hashes {

namespace {

const std::uint8_t* as_octets(std::string_view bytes) { return reinterpret_cast<const std::uint8_t*>(bytes.data()); }

constexpr std::size_t kBlock = 64;
constexpr std::size_t kLength = 8;

enum class ByteOrder { little, big };

/// MD5, SHA-1 and SHA-256 differ in their state, their step and a byte order. Padding here instead of through libmd's streaming calls
/// makes the short labels of large rings twice as fast.
template <std::size_t Words, ByteOrder Bytes, class Step>
HashValue digest(std::array<std::uint32_t, Words> state, std::string_view bytes, Step step) {
    std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
    for (; bytes.size() >= kBlock; bytes.remove_prefix(kBlock)) step(state.data(), as_octets(bytes));
    std::array<std::uint8_t, 2 * kBlock> tail{};
    std::copy(bytes.begin(), bytes.end(), tail.begin());
    tail[bytes.size()] = 0x80;
    const std::size_t end = bytes.size() + 1 + kLength <= kBlock ? kBlock : 2 * kBlock;
    for (std::size_t i = 0; i < kLength; ++i, bits >>= 8) {
        tail[Bytes == ByteOrder::little ? end - kLength + i : end - 1 - i] = static_cast<std::uint8_t>(bits);
    }
    for (std::size_t at = 0; at < end; at += kBlock) step(state.data(), tail.data() + at);
    HashValue hash;
    hash.count = Words;
    for (std::size_t i = 0; i < Words; ++i)
        hash.words[i] = Bytes == ByteOrder::little ? byte_swapped(state[i]) : state[i];
    return hash;
}

constexpr std::array<std::uint32_t, 4> kMd5Start{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
constexpr std::array<std::uint32_t, 5> kSha1Start{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
constexpr std::array<std::uint32_t, 8> kSha256Start{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

std::uint32_t crc32_of(std::string_view bytes) {
    return static_cast<std::uint32_t>(::crc32_z(0, as_octets(bytes), bytes.size()));
}

std::uint32_t crc16_step(std::uint32_t crc, unsigned char byte) {
    std::uint32_t entry = (((crc >> 8) ^ byte) & 0xffU) << 8;
    for (int bit = 0; bit < 8; ++bit) entry = (entry & 0x8000U) != 0 ? (entry << 1) ^ 0x1021U : entry << 1;
    return (crc << 8) ^ (entry & 0xffffU);
}

}  // namespace

HashValue crc32(std::string_view bytes) { return HashValue::of_32(crc32_of(bytes)); }
HashValue crc32_inverted(std::string_view bytes) { return HashValue::of_32(~crc32_of(bytes)); }
HashValue crc32_15_bits(std::string_view bytes) { return HashValue::of_32((crc32_of(bytes) >> 16) & 0x7fffU); }
HashValue crc32_signed_abs(std::string_view bytes) {
    const std::uint32_t crc = crc32_of(bytes);
    return HashValue::of_32((crc & 0x80000000U) != 0 ? 0U - crc : crc);
}

HashValue crc32_bzip2_swapped(std::string_view bytes) {
    std::uint32_t crc = 0xffffffffU;
    for (const char c : bytes) {
        crc ^= std::uint32_t{static_cast<unsigned char>(c)} << 24;
        for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x80000000U) != 0 ? (crc << 1) ^ 0x04c11db7U : crc << 1;
    }
    return HashValue::of_32(byte_swapped(~crc));
}

HashValue adler32(std::string_view bytes) {
    return HashValue::of_32(static_cast<std::uint32_t>(::adler32_z(1, as_octets(bytes), bytes.size())));
}

HashValue crc16(std::string_view bytes) {
    std::uint32_t crc = 0;
    for (const char c : bytes) crc = crc16_step(crc, static_cast<unsigned char>(c)) & 0xffffU;
    return HashValue::of_32(crc);
}

HashValue crc16_uncut(std::string_view bytes) {
    std::uint32_t crc = 0;
    for (const char c : bytes) crc = crc16_step(crc, static_cast<unsigned char>(c));
    return HashValue::of_32(crc);
}

HashValue md5(std::string_view bytes) { return digest<4, ByteOrder::little>(kMd5Start, bytes, ::MD5Transform); }

HashValue sha1(std::string_view bytes) { return digest<5, ByteOrder::big>(kSha1Start, bytes, ::SHA1Transform); }

HashValue sha256(std::string_view bytes) { return digest<8, ByteOrder::big>(kSha256Start, bytes, ::SHA256Transform); }

HashValue md5_le32(std::string_view bytes) { return HashValue::of_32(byte_swapped(md5(bytes).words[0])); }
HashValue md5_be32(std::string_view bytes) { return HashValue::of_32(md5(bytes).words[0]); }
HashValue md5_le32_as_64(std::string_view bytes) { return HashValue::of_64(byte_swapped(md5(bytes).words[0])); }
HashValue md5_first_7_hex(std::string_view bytes) { return HashValue::of_32(md5(bytes).words[0] >> 4); }
HashValue md5_first_15_hex(std::string_view bytes) { return HashValue::of_64(md5(bytes).leading_64() >> 4); }
HashValue md5_last_8_hex(std::string_view bytes) { return HashValue::of_32(md5(bytes).words[3]); }

HashValue md5_le64_pair(std::string_view bytes) {
    const HashValue digest = md5(bytes);
    HashValue pair;
    pair.count = 4;
    pair.words = {byte_swapped(digest.words[1]), byte_swapped(digest.words[0]), byte_swapped(digest.words[3]),
                  byte_swapped(digest.words[2])};
    return pair;
}

HashValue sha1_be32(std::string_view bytes) { return HashValue::of_32(sha1(bytes).words[0]); }
HashValue sha1_le32(std::string_view bytes) { return HashValue::of_32(byte_swapped(sha1(bytes).words[0])); }
HashValue sha1_be64(std::string_view bytes) { return HashValue::of_64(sha1(bytes).leading_64()); }

}  // namespace ratectl::sharding::hashes
