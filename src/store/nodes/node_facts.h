// What every node says about itself.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "store/core.h"

namespace ratectl::store {

/// One report a node of these shards (empty: of all), in their order, primary first; asked all at once.
std::vector<NodeReport> report_nodes(const std::shared_ptr<Core>& core, std::span<const std::size_t> shards,
                                     Trials trials);

}  // namespace ratectl::store
