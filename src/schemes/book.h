// The schemes by name: a deployment's layout says which one keeps its windows.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "domain/limiter.h"
#include "schemes/scheme.h"

namespace ratectl::schemes {

using MakeScheme = std::function<std::unique_ptr<Scheme>(const domain::Layout&)>;

/// Beside those that are there, and before the first question.
void add_scheme(std::string name, MakeScheme make);
/// Made once a layout, and there as long as the process. Throws Failure (configuration) that lists the names there are.
const Scheme& scheme_of(const domain::Layout& layout);

}  // namespace ratectl::schemes
