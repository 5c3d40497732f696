// What every node says about itself.
#pragma once

#include <memory>
#include <vector>

#include "store/core.h"

namespace ratectl::store {

/// One report a node, shards in order, primary first; asked all at once.
std::vector<NodeReport> report_nodes(const std::shared_ptr<Core>& core);

}  // namespace ratectl::store
