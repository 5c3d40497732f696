// Values of keys of a Redis Cluster, each asked for where it is, whatever way its slot goes meanwhile.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/core.h"

namespace ratectl::store {

/// What strings hold, in the order of the names; null: there is no such key. An error as soon as one of them cannot be
/// had within one exchange's time.
support::Result<std::vector<std::optional<std::string>>> get_keys(const std::shared_ptr<Core>& core,
                                                                  std::span<const std::string> names);

}  // namespace ratectl::store
