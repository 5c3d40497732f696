// What a Redis Cluster has lost sight of: keys on nodes that no client is led to for them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "domain/node.h"
#include "store/store.h"

namespace ratectl::store {

/// Keys of a window on a primary of a Redis Cluster that neither has their slot nor takes it in, as a move that was
/// broken off leaves them. Their names are all that it shows of them.
struct StrandedWindow {
    std::string key;
    std::vector<std::string> names;
    std::uint16_t slot = 0;
    domain::Node node;
};
struct StrandedWindows {
    std::vector<StrandedWindow> windows;  // in the order of their keys
    std::vector<NodeFailure> failures;    // primaries that did not tell
};

}  // namespace ratectl::store
