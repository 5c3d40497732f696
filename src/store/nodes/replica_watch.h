// Replicas asked for one counter each, again and again, until they show what has just been written on their primary.
#pragma once

#include <memory>
#include <span>

#include "store/core.h"

namespace ratectl::store {

/// Returns when every replica of these shards has answered once, or has failed to.
std::unique_ptr<ReplicaWatch> start_watch(const std::shared_ptr<Core>& core, std::span<const AwaitedCount> counts);

}  // namespace ratectl::store
