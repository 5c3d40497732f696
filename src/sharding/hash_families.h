// The hash names that each family of libraries knows: twemproxy's `crc32` is not that of other libraries.
#pragma once

#include <iterator>
#include <span>
#include <string_view>

#include "sharding/hash_functions.h"

namespace ratectl::sharding {

/// A hash under the name that one family of libraries gives it: twemproxy's `crc32` is not that of other libraries.
struct NamedHash {
    std::string_view name;
    HashFunction hash = nullptr;
    HashFunction unsigned_chars = nullptr;  // the same code where plain char is unsigned (ARM); null: no difference
    HashFunction points = nullptr;          // the hash of virtual nodes that belongs to it; null: the same
};

/// The variants of `key hash % servers` that people write by hand; a bare `md5` or `sha1` is deliberately not among
/// them.
inline constexpr NamedHash kPlainHashes[] = {
    {"crc32", hashes::crc32},
    {"fnv1a_64", hashes::fnv1a_64},
    {"md5_first4le", hashes::md5_le32},
    {"md5_first8hex", hashes::md5_be32},
    {"md5_first15hex", hashes::md5_first_15_hex},
    {"md5_last8hex", hashes::md5_last_8_hex},
    {"md5_int128", hashes::md5},
    {"sha1_first8hex", hashes::sha1_be32},
    {"sha1_int160", hashes::sha1},
    {"crc32_signed_abs", hashes::crc32_signed_abs},
    {"crc32_shift16_7fff", hashes::crc32_15_bits},
    {"fnv1_32", hashes::fnv1_32},
    {"fnv1a_32", hashes::fnv1a_32},
    {"fnv1_64", hashes::fnv1_64},
    {"murmur3_32", hashes::murmur3_32},
    {"xxh32", hashes::xxh32},
    {"xxh64", hashes::xxh64},
    {"adler32", hashes::adler32},
    {"java_hashcode_abs", hashes::java_hashcode_abs},
    {"java_hashcode_masked", hashes::java_hashcode_masked},
};

/// The MEMCACHED_HASH_ values of libmemcached, 32 bits each.
inline constexpr NamedHash kLibmemcachedHashes[] = {
    {"fnv1a_64", hashes::fnv1a_64_low_signed, hashes::fnv1a_64_low},
    {"fnv1_64", hashes::fnv1_64_low_signed, hashes::fnv1_64_low},
    {"fnv1a_32", hashes::fnv1a_32_signed, hashes::fnv1a_32},
    {"fnv1_32", hashes::fnv1_32_signed, hashes::fnv1_32},
    {"md5", hashes::md5_le32},
    {"murmur", hashes::murmur2},
    {"crc32", hashes::crc32_15_bits},
    {"crc32a", hashes::crc32},
    {"crc16", hashes::crc16_uncut},
    {"jenkins", hashes::jenkins},
    {"hsieh", hashes::hsieh_signed, hashes::hsieh},
    {"one_at_a_time", hashes::one_at_a_time_signed, hashes::one_at_a_time},
    {"murmur3", hashes::murmur3_seeded},
};

/// The `hash:` values of twemproxy, whose hashes were libmemcached's before that had its last one, murmur3.
inline constexpr std::span<const NamedHash> kTwemproxyHashes =
    std::span(kLibmemcachedHashes).first(std::size(kLibmemcachedHashes) - 1);

/// Jedis: both as 64-bit numbers.
inline constexpr NamedHash kJedisHashes[] = {{"murmur", hashes::murmur64a_jedis}, {"md5", hashes::md5_le32_as_64}};

/// RedisArray: `none` is what it does without the option `algorithm`, the rest are values of that option.
inline constexpr NamedHash kRedisArrayHashes[] = {
    {"none", hashes::crc32_inverted},
    {"crc32", hashes::redis_array<hashes::crc32_bzip2_swapped>},
    {"crc32b", hashes::redis_array<hashes::crc32>},
    {"adler32", hashes::redis_array<hashes::adler32>},
    {"fnv132", hashes::redis_array<hashes::fnv1_32>},
    {"fnv1a32", hashes::redis_array<hashes::fnv1a_32>},
    {"fnv1a64", hashes::redis_array<hashes::fnv1a_64>},
    {"joaat", hashes::redis_array<hashes::one_at_a_time>},
    {"md5", hashes::redis_array<hashes::md5>},
    {"sha1", hashes::redis_array<hashes::sha1>},
    {"murmur3a", hashes::redis_array<hashes::murmur3_32>},
    {"xxh32", hashes::redis_array<hashes::xxh32>},
    {"xxh64", hashes::redis_array<hashes::xxh64>},
};

/// zhihu/redis-shard: the whole digest as a number, of the key in Latin-1.
inline constexpr NamedHash kLatinDigestHashes[] = {{"crc32", hashes::of_latin_1<hashes::crc32>},
                                                   {"md5", hashes::of_latin_1<hashes::md5>},
                                                   {"sha1", hashes::of_latin_1<hashes::sha1>}};

/// Libraries that know crypto hashes only: the whole digest.
inline constexpr NamedHash kCryptoDigestHashes[] = {{"md5", hashes::md5}, {"sha1", hashes::sha1}};

/// npm hashring: a crypto hash, its first four bytes little-endian; four points from each of its digests.
inline constexpr NamedHash kDigestLeHashes[] = {{"md5", hashes::md5_le32, nullptr, hashes::md5},
                                                {"sha1", hashes::sha1_le32, nullptr, hashes::sha1}};

/// stathat/consistent.
inline constexpr NamedHash kStathatHashes[] = {{"crc32", hashes::crc32}, {"fnv1a_32", hashes::fnv1a_32}};

/// Jump hashing: the 64-bit number it starts from.
inline constexpr NamedHash kJumpHashes[] = {
    {"fnv1a_64", hashes::fnv1a_64}, {"sha1_first16hex", hashes::sha1_be64}, {"xxh64", hashes::xxh64}};

/// Envoy's hash_function, which is about the ring's points: keys always go through the same murmur hash.
inline constexpr NamedHash kEnvoyPointHashes[] = {{"xx_hash", hashes::xxh64},
                                                  {"murmur_hash_2", hashes::murmur64a_envoy}};

/// Hashes that people take as signed numbers.
inline constexpr NamedHash kSignedHashes[] = {{"crc32", hashes::crc32}, {"java_hashcode", hashes::java_hashcode}};

}  // namespace ratectl::sharding
