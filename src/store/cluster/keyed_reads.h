// Values of keys of a Redis Cluster, each asked for where it is, whatever way its slot goes meanwhile.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <asio/awaitable.hpp>

#include "store/core.h"

namespace ratectl::store {

/// What strings hold, in the order of their names; null: there is no such key.
using Values = std::vector<std::optional<std::string>>;

/// An error as soon as one of them cannot be had within one exchange's time.
support::Result<Values> get_keys(const std::shared_ptr<Core>& core, std::span<const std::string> names);
/// The same on the loop; a wish to stop does not end it, a second one does.
asio::awaitable<support::Result<Values>> read_keys(std::shared_ptr<Core> core, std::span<const std::string> names);

}  // namespace ratectl::store
