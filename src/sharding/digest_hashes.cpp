// CRCs from zlib, digests, and the parts of them that sharding libraries use as numbers.

#include <cstddef>
#include <cstdint>

#include <zlib.h>

#include "sharding/hash_functions.h"
#include "support/digest.h"

namespace ratectl::sharding::hashes {

namespace {

const std::uint8_t* as_octets(std::string_view bytes) { return reinterpret_cast<const std::uint8_t*>(bytes.data()); }

HashValue whole(const support::Digest& digest) { return {digest.words, digest.count}; }

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

HashValue md5(std::string_view bytes) { return whole(support::md5(bytes)); }

HashValue sha1(std::string_view bytes) { return whole(support::sha1(bytes)); }

HashValue sha256(std::string_view bytes) { return whole(support::sha256(bytes)); }

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
