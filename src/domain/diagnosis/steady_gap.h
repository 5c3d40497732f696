// Two nodes that count the same window and never meet: a difference that stays while the figures move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "domain/diagnosis/divergence.h"

namespace ratectl::domain {

/// True when counting does not explain the difference: the view was ahead at every look, which a node that only follows
/// never is, or, once it has what was written, its distance stays the same for three looks or more. Both views have a
/// look; `arrived_at`: index of the earlier look after which its offset said so.
bool stays_apart(const NodeView& view, const NodeView& reference, std::optional<std::size_t> arrived_at,
                 std::int64_t min_delta);

}  // namespace ratectl::domain
