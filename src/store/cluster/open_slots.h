// Slots that are on their way from one node of a Redis Cluster to another, and those that no node has.
#pragma once

#include <memory>
#include <optional>

#include <asio/awaitable.hpp>

#include "store/cluster/cluster_view.h"
#include "store/core.h"

namespace ratectl::store {

/// What this node says of its own slots; null: it does not answer, or not that.
asio::awaitable<std::optional<OwnSlots>> ask_own_slots(std::shared_ptr<Core> core, domain::Node node);

/// As the primaries tell it, all of them asked at once; none where keys have no slots.
OpenSlots find_open_slots(const std::shared_ptr<Core>& core);

}  // namespace ratectl::store
