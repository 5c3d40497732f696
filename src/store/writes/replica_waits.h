// Replicas of servers that made a write long ago, or over another connection: WAIT tells nothing of those by itself.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "redis/request.h"
#include "store/core.h"

namespace ratectl::store {

/// SET of a key beside our operation keys, which nothing takes for one and which ends by itself in ten minutes.
/// Where keys have slots, `id` has the number of one that is here.
redis::Request marker_request(const domain::SliceId& id);

/// See Store::await_replicas().
std::vector<std::optional<int>> await_replicas(const std::shared_ptr<Core>& core, std::span<const KeyAt> keys,
                                               const WriteOrder& order);

}  // namespace ratectl::store
