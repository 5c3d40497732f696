// Replicas whose link is up and that stay behind all the same.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commands/context.h"
#include "store/store.h"

namespace ratectl::commands::doctor {

struct Lag {
    domain::Node node;
    std::int64_t bytes = 0;         // behind its primary, when last asked
    support::Milliseconds seen{0};  // for so long it has lacked what its primary had
};

/// A replica that is behind is asked again until it has what its primary had then; a lag is one that lasts for a
/// second. That second is only waited for where some replica is behind.
std::vector<Lag> find_lags(std::span<const store::NodeReport> reports, Context& context);

}  // namespace ratectl::commands::doctor
