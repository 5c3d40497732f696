// Looks at named keys, all nodes at once: as a stream, or a question's all in one go.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "store/core.h"

namespace ratectl::store {

struct LookResult {
    std::vector<LookAnswer> answers;
    std::vector<NodeFailure> failures;  // nodes in whose place another one answered
};

LookResult look_at(const std::shared_ptr<Core>& core, const LookQuestion& question);
std::unique_ptr<LookStream> start_looks(const std::shared_ptr<Core>& core, LookOrder order);

/// These keys with their places as they are now: one that has gone to another node before its slot is there ahead of
/// it, and so is one that is nowhere. Slots that are on their way alone are asked for; where keys have no slots nothing
/// is, and nothing changes.
std::vector<FoundKey> find_keys(const std::shared_ptr<Core>& core, std::span<const KeyAt> keys);

}  // namespace ratectl::store
