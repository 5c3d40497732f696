// The columns of locate: where a key lives, and the steps that lead there.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "config/settings.h"
#include "domain/policy.h"
#include "output/field.h"
#include "sharding/shard_map.h"

namespace ratectl::commands {

/// A view: everything it points to outlives the row.
struct LocateRow {
    std::string_view key;
    const config::ShardSettings& shard;
    const std::optional<domain::PolicyMatch>& match;
    const sharding::Steps* steps = nullptr;  // null: not asked for
    std::string_view runner_up;              // a shard's name, or empty
};

/// Where a key lives: the columns there always are.
std::span<const output::Field<LocateRow>> place_fields();
/// The same, and the steps after them.
std::span<const output::Field<LocateRow>> step_fields();

}  // namespace ratectl::commands
