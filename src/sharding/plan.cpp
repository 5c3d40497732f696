// Splits keys by shard in one pass; within a shard their order stays.

#include "sharding/plan.h"

#include <algorithm>

namespace ratectl::sharding {

std::vector<Batch> plan(std::span<const std::string> keys, const ShardMap& map) {
    std::vector<Batch> batches(map.shard_count());
    for (std::size_t shard = 0; shard < batches.size(); ++shard) batches[shard].shard = shard;
    for (std::size_t key = 0; key < keys.size(); ++key) batches[map.shard_of(keys[key])].keys.push_back(key);
    const auto unused =
        std::remove_if(batches.begin(), batches.end(), [](const Batch& batch) { return batch.keys.empty(); });
    batches.erase(unused, batches.end());
    return batches;
}

}  // namespace ratectl::sharding
