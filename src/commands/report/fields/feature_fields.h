// The columns of rollout show: for whom a feature is on.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "domain/rollout.h"
#include "output/field.h"

namespace ratectl::commands {

/// A view of the name.
struct FeatureRow {
    std::string_view feature;
    std::string node;
    bool answered = false;
    std::optional<domain::FeatureGates> gates;  // null: no such feature
};

std::span<const output::Field<FeatureRow>> feature_fields();

}  // namespace ratectl::commands
