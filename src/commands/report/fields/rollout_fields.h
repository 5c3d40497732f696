// The columns of rollout who: for which actors a feature is on.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "output/field.h"

namespace ratectl::commands {

/// A view of the actor.
struct RolloutRow {
    std::string_view actor;
    std::uint32_t bucket = 0;
    bool on = false;
    std::optional<bool> then;  // at the other percentage, where one was named
};

std::span<const output::Field<RolloutRow>> rollout_fields();

}  // namespace ratectl::commands
