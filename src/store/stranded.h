// What a Redis Cluster has lost sight of: keys on nodes that no client is led to for them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "domain/node.h"
#include "store/store.h"

namespace ratectl::store {

/// Keys of a window on a primary of a Redis Cluster that does not have their slot, and to which the node that has it
/// sends no client, as a move that was broken off leaves them; or no node has the slot. Their names are all that is
/// shown of them.
struct StrandedWindow {
    std::string key;
    std::vector<std::string> names;
    std::uint16_t slot = 0;
    domain::Node node;
    bool ownerless = false;  // no node has the slot
};
struct StrandedWindows {
    std::vector<StrandedWindow> windows;  // in the order of their keys
    std::vector<NodeFailure> failures;    // primaries that did not tell
};

}  // namespace ratectl::store
