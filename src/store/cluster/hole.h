// Slots of a Redis Cluster that no node has, told from those that are on their way.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "store/directory.h"
#include "support/error.h"

namespace ratectl::store {

/// Slots that have neither a node to leave nor one to go to, in order: no primary has them, and none that has not told
/// may have them.
std::vector<std::uint16_t> ownerless_in(const OpenSlots& open);
/// What they mean for an answer about all windows; null: there are none.
std::optional<support::Error> hole_in(const OpenSlots& open);

}  // namespace ratectl::store
