// Writes in script calls, shard by shard: sent once, and honest about what is not known.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "redis/script.h"
#include "store/core.h"

namespace ratectl::store {

/// One kind of write over a list of items.
struct WriteRequest {
    std::string_view name;  // our word for the script: `RATE`
    std::size_t items = 0;
    std::function<const KeyAt&(std::size_t item)> at;
    std::function<redis::ScriptCall(std::span<const std::size_t> items)> call;
    const WriteOrder* order = nullptr;
};

/// One result an item, in order. Rethrows what an observer threw, when everything in flight has ended.
std::vector<WriteResult> write(const std::shared_ptr<Core>& core, const WriteRequest& request);

}  // namespace ratectl::store
