// The columns of locate: where a key lives, and the steps that lead there.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "domain/limiter.h"
#include "domain/node.h"
#include "domain/policy.h"
#include "output/field.h"
#include "sharding/shard_map.h"

namespace ratectl::commands {

/// What rows say about a shard, written once instead of a million times.
struct LocatedShard {
    std::string name;
    std::string node;
    std::string replicas;  // `auto`: the primary is asked; empty: none

    explicit LocatedShard(const domain::Shard& shard);
};

/// A view: everything it points to outlives the row.
struct LocateRow {
    std::string_view key;
    const LocatedShard& shard;
    const std::optional<domain::PolicyMatch>& match;
    const sharding::Steps* steps = nullptr;  // null: not asked for
    std::span<const LocatedShard> shards;    // all of them, for the steps to name
    const domain::Limiter& limiter;
    std::string_view slot_state = {};  // of a Redis Cluster: `settled`, or where the slot goes; empty: not known
};

/// Where a key lives: the columns there always are.
std::span<const output::Field<LocateRow>> place_fields();
/// The same, and the steps after them.
std::span<const output::Field<LocateRow>> step_fields();

}  // namespace ratectl::commands
