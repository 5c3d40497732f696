// Hash functions, each exactly as the library in question computes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sharding/hash_value.h"

namespace ratectl::sharding {

using HashFunction = HashValue (*)(std::string_view bytes);

namespace hashes {

// ---- checksums
HashValue crc32(std::string_view bytes);
HashValue crc32_inverted(std::string_view bytes);
HashValue crc32_15_bits(std::string_view bytes);
HashValue crc32_signed_abs(std::string_view bytes);
/// bzip2's CRC with its bytes in little-endian order: what PHP calls `crc32`.
HashValue crc32_bzip2_swapped(std::string_view bytes);
HashValue adler32(std::string_view bytes);
/// XMODEM, 16 bits: Redis Cluster's.
HashValue crc16(std::string_view bytes);
/// twemproxy's: the same step in a word that is never cut to 16 bits.
HashValue crc16_uncut(std::string_view bytes);

// ---- digests: the whole, or the part that a library takes
HashValue md5(std::string_view bytes);
HashValue md5_le32(std::string_view bytes);
HashValue md5_be32(std::string_view bytes);
HashValue md5_le32_as_64(std::string_view bytes);
HashValue md5_first_7_hex(std::string_view bytes);
HashValue md5_first_15_hex(std::string_view bytes);
HashValue md5_last_8_hex(std::string_view bytes);
HashValue md5_le64_pair(std::string_view bytes);
HashValue sha1(std::string_view bytes);
HashValue sha1_be32(std::string_view bytes);
HashValue sha1_le32(std::string_view bytes);
HashValue sha1_be64(std::string_view bytes);
HashValue sha256(std::string_view bytes);

// ---- byte loops; `signed` ones extend the sign of bytes from 0x80 up
HashValue fnv1_32(std::string_view bytes);
HashValue fnv1a_32(std::string_view bytes);
HashValue fnv1_64(std::string_view bytes);
HashValue fnv1a_64(std::string_view bytes);
HashValue one_at_a_time(std::string_view bytes);
HashValue hsieh(std::string_view bytes);
HashValue fnv1_32_signed(std::string_view bytes);
HashValue fnv1a_32_signed(std::string_view bytes);
HashValue one_at_a_time_signed(std::string_view bytes);
HashValue hsieh_signed(std::string_view bytes);
/// Java's String.hashCode of the key as UTF-8; bytes that are none count as U+FFFD.
HashValue java_hashcode(std::string_view bytes);
HashValue java_hashcode_abs(std::string_view bytes);     // Math.abs(hash % n)
HashValue java_hashcode_masked(std::string_view bytes);  // (hash & 0x7fffffff) % n
/// The low 32 bits of the 64-bit hashes, which is all that twemproxy and libmemcached keep.
HashValue fnv1_64_low(std::string_view bytes);
HashValue fnv1a_64_low(std::string_view bytes);
HashValue fnv1_64_low_signed(std::string_view bytes);
HashValue fnv1a_64_low_signed(std::string_view bytes);

// ---- block hashes
/// MurmurHash2 with seed 0xdeadbeef * length, as twemproxy and libmemcached call it.
HashValue murmur2(std::string_view bytes);
HashValue murmur3_32(std::string_view bytes);
/// The same with seed 0xdeadbeef * length, as libmemcached calls it.
HashValue murmur3_seeded(std::string_view bytes);
HashValue murmur64a_jedis(std::string_view bytes);
HashValue murmur64a_envoy(std::string_view bytes);
HashValue jenkins(std::string_view bytes);
HashValue xxh32(std::string_view bytes);
HashValue xxh64(std::string_view bytes);
/// xxh64 with seed 1: Envoy's second maglev hash.
HashValue xxh64_seed_1(std::string_view bytes);

/// A word read from the other end.
inline std::uint32_t byte_swapped(std::uint32_t word) {
    return (word >> 24) | ((word >> 8) & 0xff00U) | ((word << 8) & 0xff0000U) | (word << 24);
}

/// The text in Latin-1 where its UTF-8 holds nothing beyond; else the bytes as they are (redis-shard refuses such
/// keys).
std::string as_latin_1(std::string_view utf8);

template <HashFunction Hash>
HashValue of_latin_1(std::string_view bytes) {
    return Hash(as_latin_1(bytes));
}

/// RedisArray's use of a PHP digest: its first eight bytes little-endian, modulo 2^32 - 1.
template <HashFunction Digest>
HashValue redis_array(std::string_view bytes) {
    const HashValue digest = Digest(bytes);
    std::uint64_t number = byte_swapped(digest.words[0]);
    if (digest.count > 1) number |= std::uint64_t{byte_swapped(digest.words[1])} << 32;
    return HashValue::of_32(static_cast<std::uint32_t>(number % 0xffffffffU));
}

}  // namespace hashes
}  // namespace ratectl::sharding
