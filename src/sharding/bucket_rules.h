// How a hash chooses one of n buckets, and how rendezvous scores a server.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sharding/hash_value.h"

namespace ratectl::sharding {

/// `count` is at least 1.
namespace buckets {

std::size_t modulo(const HashValue& hash, std::size_t count);
/// The 32-bit hash as a signed number, with Python's and Java's floorMod remainder.
std::size_t signed_floor_modulo(const HashValue& hash, std::size_t count);
/// RedisArray: the inverted hash scaled to 0..count; an inverted hash of 2^32 - 1, where the library reads past its
/// list, is the last.
std::size_t inverted_range(const HashValue& hash, std::size_t count);
/// Lamping and Veach's jump consistent hash.
std::size_t jump(const HashValue& hash, std::size_t count);

}  // namespace buckets

namespace scores {

/// go-redis: one xorshift-multiply step over the two hashes.
std::uint64_t xorshift_multiplied(std::uint64_t key, std::uint64_t server);

}  // namespace scores
}  // namespace ratectl::sharding
