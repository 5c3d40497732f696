// Where a key lives: one of the places of a deployment.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace ratectl::domain {

/// What users call a shard, and on a cluster the key's slot, which another shard may have tomorrow.
struct Place {
    std::size_t shard = 0;
    std::optional<std::uint16_t> slot = {};

    auto operator<=>(const Place&) const = default;
};

}  // namespace ratectl::domain
