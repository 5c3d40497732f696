// What keys hold, whatever wrote them: bounded reads of their type, their time to live and the beginning of their
// value.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "store/core.h"

namespace ratectl::store {

struct HoldingResult {
    std::vector<HoldingAnswer> answers;
    std::vector<NodeFailure> failures;  // nodes in whose place another one answered
};

HoldingResult hold_keys(const std::shared_ptr<Core>& core, const HoldingQuestion& question);
std::vector<NameSample> sample_names(const std::shared_ptr<Core>& core, std::span<const std::size_t> shards,
                                     const domain::ReadFrom& from, std::size_t most);

}  // namespace ratectl::store
