// replicas = "auto": asking a shard's primary who follows it.
#pragma once

#include <memory>
#include <span>

#include "store/core.h"

namespace ratectl::store {

/// Fills core->nodes of these shards (empty: of all) where it is still unknown, asking all primaries at once. An unreachable
/// primary leaves only itself, with a notice.
void discover(const std::shared_ptr<Core>& core, std::span<const std::size_t> shards);

}  // namespace ratectl::store
