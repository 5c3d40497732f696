// Splits a list of keys by shard, keeping the order within each.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sharding/shard_map.h"

namespace ratectl::sharding {

/// The keys of one shard: indices into the list that was planned, ascending.
struct Batch {
    std::size_t shard = 0;
    std::vector<std::size_t> keys;
};

/// One batch for each shard that has keys, in shard order.
std::vector<Batch> plan(std::span<const std::string> keys, const ShardMap& map);

}  // namespace ratectl::sharding
