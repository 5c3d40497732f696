// What the stored keys of a deployment mean, for looks that no server answered: dump files, plans, rows that are read
// back.
#pragma once

#include "domain/limiter.h"

namespace ratectl::store {

/// There as long as the process. Throws Failure (configuration) where no scheme has this name.
const domain::Limiter& limiter_of(const domain::Layout& layout);

}  // namespace ratectl::store
