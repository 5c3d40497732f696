// Windows that cannot be one in a Redis Cluster: their keys are in different slots.
#pragma once

#include <optional>
#include <string_view>

#include "store/core.h"

namespace ratectl::store {

/// What people are told of a window there; null: all its keys are in one slot, or keys have no slots.
std::optional<support::Error> scattered(const Core& core, std::string_view key);

}  // namespace ratectl::store
