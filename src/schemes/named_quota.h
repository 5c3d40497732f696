// Keys that end in `/100/1/minute`: the limit, how many units the period has, and the unit, as Python's limits writes
// them.
#pragma once

#include <optional>
#include <string_view>

#include "domain/limiter.h"

namespace ratectl::schemes {

/// Null: the key ends otherwise.
std::optional<domain::Limiter::Quota> named_quota(std::string_view key);

}  // namespace ratectl::schemes
