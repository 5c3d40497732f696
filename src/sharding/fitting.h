// A preset, its options and the servers, once they are known to fit each other.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sharding/placement.h"
#include "sharding/preset.h"
#include "sharding/shard_map.h"
#include "support/error.h"

namespace ratectl::sharding {

struct Fitted {
    const Preset* preset = nullptr;
    NamedHash hash;
    HashFunction key_hash = nullptr;    // with the sign of char as the options have it
    HashFunction point_hash = nullptr;  // rings only
    KeyTag tag;
    std::vector<Member> members;  // in the order the library adds them
};

/// Errors: those of ShardMap::make().
support::Result<Fitted> fit(const Options& options, std::span<const Server> servers);
/// Builds what fits.
std::unique_ptr<Placement> place(Fitted parts, const Options& options);
/// What is hashed when a key has nothing to hash is each library's own affair.
inline HashValue hash_of_key(const Fitted& parts, std::string_view bytes) {
    return bytes.empty() && parts.preset->empty_key_is_zero ? HashValue::of_32(0) : parts.key_hash(bytes);
}

}  // namespace ratectl::sharding
