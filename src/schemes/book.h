// The schemes by name: a deployment's layout says which one keeps its windows.
#pragma once

#include <span>

#include "domain/limiter.h"
#include "domain/policy.h"
#include "schemes/scheme.h"

namespace ratectl::schemes {

/// Made once a layout, and there as long as the process. Throws Failure (configuration) that lists the names there are.
const Scheme& scheme_of(const domain::Layout& layout);
/// The same where policies may have a scheme of their own: each window has that of the first policy that matches its
/// key.
const Scheme& scheme_of(const domain::Layout& layout, std::span<const domain::Policy> policies);

/// What a limiter is besides: all of them are schemes.
const Scheme& scheme_of(const domain::Limiter& limiter);

}  // namespace ratectl::schemes
