// Templates and policies for tests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "domain/policy.h"

namespace ratectl::domain {

inline KeyTemplate template_of(std::string_view text) { return support::value_or_throw(KeyTemplate::parse(text)); }

/// With a limit or without.
inline Policy policy(std::string name, std::string_view key, std::optional<std::int64_t> limit) {
    Policy p;
    p.name = std::move(name);
    p.key = template_of(key);
    p.limit = limit;
    return p;
}

}  // namespace ratectl::domain
