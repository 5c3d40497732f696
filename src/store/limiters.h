// What the stored keys of a deployment mean, for looks that no server answered: dump files, plans, rows that are read
// back.
#pragma once

#include <string>

#include "domain/limiter.h"

namespace ratectl::store {

/// There as long as the process.
const domain::Limiter& limiter_of(const std::string& expiry_suffix);

}  // namespace ratectl::store
