// What keys of Python's limits say of themselves: their names end in `/100/1/minute`, which is the limit, how many units
// the period has, and the unit; those of a sliding window in `/100/1/minute}`.
#pragma once

#include <optional>
#include <string_view>

#include "domain/limiter.h"

namespace ratectl::schemes {

/// Null: the name ends in nothing of the kind.
std::optional<domain::Limiter::Quota> named_quota(std::string_view key);

}  // namespace ratectl::schemes
