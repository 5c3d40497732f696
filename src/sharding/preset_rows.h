// The rows of the table of presets, and what several of them have in common.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sharding/label_rules.h"
#include "sharding/preset.h"

namespace ratectl::sharding {

/// Libraries that people use for sharded Redis, by how common they are.
std::span<const Preset> redis_presets();

inline constexpr std::string_view kPosition = "the server's place in the list";
inline constexpr std::string_view kAddress = "host:port as the application writes it, or the socket's path";
inline constexpr std::string_view kName = "the name the application gives the server";

inline constexpr NamedHash kCrc32[] = {{"crc32", hashes::crc32}};
inline constexpr NamedHash kMd5Le32[] = {{"md5_first4le", hashes::md5_le32}};
inline constexpr NamedHash kMd5Whole[] = {{"md5", hashes::md5}};
inline constexpr NamedHash kMd5Pair[] = {{"md5", hashes::md5_le64_pair}};
inline constexpr NamedHash kMd5SevenHex[] = {{"md5_first7hex", hashes::md5_first_7_hex}};
inline constexpr NamedHash kSha256[] = {{"sha256", hashes::sha256}};
inline constexpr NamedHash kEnvoyKeys[] = {{"murmur64a", hashes::murmur64a_envoy}};
inline constexpr NamedHash kCrc16[] = {{"crc16", hashes::crc16}};
inline constexpr NamedHash kXxh64[] = {{"xxh64", hashes::xxh64}};

inline constexpr RingRules kTwemproxyRing{.point_hash = hashes::md5,
                                          .four_points = true,
                                          .label = labels::dash,
                                          .labels = counts::twemproxy,
                                          .points = 40,
                                          .collisions = Collisions::first_added};

/// What every 32-bit ring of four little-endian points per MD5 label has in common.
constexpr RingRules md5_blocks(std::uint32_t (*labels)(const Share&), std::uint32_t points, Lookup lookup,
                               Collisions collisions) {
    return {.point_hash = hashes::md5,
            .four_points = true,
            .label = labels::dash,
            .labels = labels,
            .points = points,
            .lookup = lookup,
            .collisions = collisions};
}

/// The same, where the library lets the application choose how many.
constexpr RingRules with_points_option(RingRules ring) {
    ring.points_option = true;
    return ring;
}

constexpr RingRules redis_rb(HashFunction point_hash) {
    return {.point_hash = point_hash,
            .label = labels::colon,
            .labels = counts::fixed,
            .points_option = true,
            .lookup = Lookup::at_or_before};
}

constexpr RingRules jedis(void (*label)(std::string&, std::string_view, unsigned, std::uint32_t)) {
    return {.label = label, .labels = counts::per_weight, .order = Order::signed_64};
}

constexpr RingRules libmemcached_weighted() {
    return md5_blocks(counts::libmemcached, 40, Lookup::at_or_after, Collisions::first_added);
}

/// Without weights: one point a label, by the key's own hash.
constexpr RingRules libmemcached_plain() {
    return {.label = labels::dash,
            .labels = counts::fixed,
            .points = 100,
            .collisions = Collisions::first_added,
            .point_hashes = kLibmemcachedHashes};
}

}  // namespace ratectl::sharding
