// MurmurHash 2, 3 and 64A, Jenkins lookup3 and xxHash: hashes that read whole words, always little-endian.

#include <bit>
#include <cstddef>
#include <cstdint>

#include <xxhash.h>

#include "sharding/hash_functions.h"

namespace ratectl::sharding::hashes {

namespace {

/// Up to sizeof(Word) bytes as a little-endian number; missing ones are zero.
template <class Word>
Word little_endian(std::string_view bytes) {
    Word word = 0;
    for (std::size_t i = 0; i < sizeof(Word) && i < bytes.size(); ++i) {
        word |= static_cast<Word>(static_cast<Word>(static_cast<unsigned char>(bytes[i])) << (8 * i));
    }
    return word;
}

constexpr std::uint64_t kMurmurFactor64 = 0xc6a4a7935bd1e995U;
constexpr int kMurmurShift = 47;
constexpr std::uint32_t kMurmurFactor32 = 0x5bd1e995U;
constexpr std::uint32_t kJenkinsSeed = 13;

std::uint64_t murmur64a(std::string_view bytes, std::uint64_t seed) {
    std::uint64_t hash = seed ^ (bytes.size() * kMurmurFactor64);
    for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
        auto word = little_endian<std::uint64_t>(bytes.substr(0, 8));
        word *= kMurmurFactor64;
        word ^= word >> kMurmurShift;
        word *= kMurmurFactor64;
        hash = (hash ^ word) * kMurmurFactor64;
    }
    if (!bytes.empty()) hash = (hash ^ little_endian<std::uint64_t>(bytes)) * kMurmurFactor64;
    hash ^= hash >> kMurmurShift;
    hash *= kMurmurFactor64;
    hash ^= hash >> kMurmurShift;
    return hash;
}

/// What twemproxy and libmemcached seed their murmur hashes with.
std::uint32_t seed_of_length(std::string_view bytes) { return 0xdeadbeefU * static_cast<std::uint32_t>(bytes.size()); }

HashValue murmur3(std::string_view bytes, std::uint32_t seed) {
    const auto scrambled = [](std::uint32_t word) { return std::rotl(word * 0xcc9e2d51U, 15) * 0x1b873593U; };
    const auto length = static_cast<std::uint32_t>(bytes.size());
    std::uint32_t hash = seed;
    for (; bytes.size() >= 4; bytes.remove_prefix(4)) {
        hash ^= scrambled(little_endian<std::uint32_t>(bytes.substr(0, 4)));
        hash = std::rotl(hash, 13) * 5 + 0xe6546b64U;
    }
    hash ^= scrambled(little_endian<std::uint32_t>(bytes));
    hash ^= length;
    hash = (hash ^ (hash >> 16)) * 0x85ebca6bU;
    hash = (hash ^ (hash >> 13)) * 0xc2b2ae35U;
    return HashValue::of_32(hash ^ (hash >> 16));
}

struct Trio {
    std::uint32_t a, b, c;
};

void jenkins_mix(Trio& t) {
    t.a -= t.c;
    t.a ^= std::rotl(t.c, 4);
    t.c += t.b;
    t.b -= t.a;
    t.b ^= std::rotl(t.a, 6);
    t.a += t.c;
    t.c -= t.b;
    t.c ^= std::rotl(t.b, 8);
    t.b += t.a;
    t.a -= t.c;
    t.a ^= std::rotl(t.c, 16);
    t.c += t.b;
    t.b -= t.a;
    t.b ^= std::rotl(t.a, 19);
    t.a += t.c;
    t.c -= t.b;
    t.c ^= std::rotl(t.b, 4);
    t.b += t.a;
}

void jenkins_finish(Trio& t) {
    t.c ^= t.b;
    t.c -= std::rotl(t.b, 14);
    t.a ^= t.c;
    t.a -= std::rotl(t.c, 11);
    t.b ^= t.a;
    t.b -= std::rotl(t.a, 25);
    t.c ^= t.b;
    t.c -= std::rotl(t.b, 16);
    t.a ^= t.c;
    t.a -= std::rotl(t.c, 4);
    t.b ^= t.a;
    t.b -= std::rotl(t.a, 14);
    t.c ^= t.b;
    t.c -= std::rotl(t.b, 24);
}

void jenkins_add(Trio& t, std::string_view block) {
    t.a += little_endian<std::uint32_t>(block);
    t.b += block.size() > 4 ? little_endian<std::uint32_t>(block.substr(4)) : 0;
    t.c += block.size() > 8 ? little_endian<std::uint32_t>(block.substr(8)) : 0;
}

}  // namespace

HashValue murmur2(std::string_view bytes) {
    const auto length = static_cast<std::uint32_t>(bytes.size());
    std::uint32_t hash = seed_of_length(bytes) ^ length;
    for (; bytes.size() >= 4; bytes.remove_prefix(4)) {
        auto word = little_endian<std::uint32_t>(bytes.substr(0, 4));
        word *= kMurmurFactor32;
        word ^= word >> 24;
        word *= kMurmurFactor32;
        hash = (hash * kMurmurFactor32) ^ word;
    }
    if (!bytes.empty()) hash = (hash ^ little_endian<std::uint32_t>(bytes)) * kMurmurFactor32;
    hash ^= hash >> 13;
    hash *= kMurmurFactor32;
    hash ^= hash >> 15;
    return HashValue::of_32(hash);
}

HashValue murmur3_32(std::string_view bytes) { return murmur3(bytes, 0); }
HashValue murmur3_seeded(std::string_view bytes) { return murmur3(bytes, seed_of_length(bytes)); }

HashValue murmur64a_jedis(std::string_view bytes) { return HashValue::of_64(murmur64a(bytes, 0x1234ABCD)); }
HashValue murmur64a_envoy(std::string_view bytes) { return HashValue::of_64(murmur64a(bytes, 0xc70f6907)); }

HashValue jenkins(std::string_view bytes) {
    const std::uint32_t start = 0xdeadbeefU + static_cast<std::uint32_t>(bytes.size()) + kJenkinsSeed;
    Trio t{start, start, start};
    if (bytes.empty()) return HashValue::of_32(t.c);
    for (; bytes.size() > 12; bytes.remove_prefix(12)) {
        jenkins_add(t, bytes.substr(0, 12));
        jenkins_mix(t);
    }
    jenkins_add(t, bytes);
    jenkins_finish(t);
    return HashValue::of_32(t.c);
}

HashValue xxh32(std::string_view bytes) { return HashValue::of_32(XXH32(bytes.data(), bytes.size(), 0)); }
HashValue xxh64(std::string_view bytes) { return HashValue::of_64(XXH64(bytes.data(), bytes.size(), 0)); }
HashValue xxh64_seed_1(std::string_view bytes) { return HashValue::of_64(XXH64(bytes.data(), bytes.size(), 1)); }

}  // namespace ratectl::sharding::hashes
