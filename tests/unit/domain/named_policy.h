// A policy for tests: a name, a key and perhaps a limit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "domain/policy.h"

namespace ratectl::domain {

inline Policy policy(std::string name, std::string_view key, std::optional<std::int64_t> limit) {
    Policy p;
    p.name = std::move(name);
    p.key = support::value_or_throw(KeyTemplate::parse(key));
    p.limit = limit;
    return p;
}

}  // namespace ratectl::domain
