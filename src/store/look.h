// Looks at named keys, batch by batch, all nodes at once.
#pragma once

#include <memory>
#include <vector>

#include "store/core.h"

namespace ratectl::store {

struct LookResult {
    std::vector<LookAnswer> answers;
    std::vector<NodeFailure> failures;  // nodes in whose place another one answered
};

LookResult look_at(const std::shared_ptr<Core>& core, const LookQuestion& question);

}  // namespace ratectl::store
