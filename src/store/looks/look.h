// Looks at named keys, all nodes at once: as a stream, or a question's all in one go.
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
std::unique_ptr<LookStream> start_looks(const std::shared_ptr<Core>& core, LookOrder order);

}  // namespace ratectl::store
