// The columns of rollout who and rollout show: for which actors a feature is on, and for whom as it is stored.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "domain/rollout.h"
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

/// A view of the name.
struct FeatureRow {
    std::string_view feature;
    std::string node;
    bool answered = false;
    std::optional<domain::FeatureGates> gates;  // null: no such feature
};

std::span<const output::Field<FeatureRow>> feature_fields();

}  // namespace ratectl::commands
