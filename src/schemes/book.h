// The schemes by name: a deployment's layout says which one keeps its windows.
#pragma once

#include "domain/limiter.h"
#include "schemes/scheme.h"

namespace ratectl::schemes {

/// Made once a layout, and there as long as the process. Throws Failure (configuration) that lists the names there are.
const Scheme& scheme_of(const domain::Layout& layout);

}  // namespace ratectl::schemes
