// CRCs from zlib, MD5 and SHA from libmd, and the parts of them that sharding libraries use as numbers.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <md5.h>
#include <sha1.h>
#include <sha2.h>
#include <sys/types.h>
#include <zlib.h>

#include "sharding/hash_functions.h"

namespace ratectl::sharding::hashes {

namespace {

const std::uint8_t* as_octets(std::string_view bytes) { return reinterpret_cast<const std::uint8_t*>(bytes.data()); }

HashValue big_endian(std::span<const std::uint8_t> digest) {
    HashValue hash;
    hash.count = static_cast<std::uint32_t>(digest.size() / 4);
    for (std::size_t i = 0; i < digest.size(); ++i) hash.words[i / 4] = (hash.words[i / 4] << 8) | digest[i];
    return hash;
}

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

HashValue md5(std::string_view bytes) {
    MD5_CTX context;
    std::array<std::uint8_t, MD5_DIGEST_LENGTH> digest{};
    MD5Init(&context);
    MD5Update(&context, as_octets(bytes), bytes.size());
    MD5Final(digest.data(), &context);
    return big_endian(digest);
}

HashValue sha1(std::string_view bytes) {
    SHA1_CTX context;
    std::array<std::uint8_t, SHA1_DIGEST_LENGTH> digest{};
    SHA1Init(&context);
    SHA1Update(&context, as_octets(bytes), bytes.size());
    SHA1Final(digest.data(), &context);
    return big_endian(digest);
}

HashValue sha256(std::string_view bytes) {
    SHA2_CTX context;
    std::array<std::uint8_t, SHA256_DIGEST_LENGTH> digest{};
    SHA256Init(&context);
    SHA256Update(&context, as_octets(bytes), bytes.size());
    SHA256Final(digest.data(), &context);
    return big_endian(digest);
}

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
