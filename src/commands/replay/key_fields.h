// The columns of a key of a replayed log.
#pragma once

#include <span>
#include <string_view>

#include "commands/replay/ledger.h"
#include "output/field.h"

namespace ratectl::commands::replay {

/// A view: everything it points to outlives the row.
struct KeyRow {
    const KeyRecord& record;
    std::string_view deployment;
    std::string_view shard;
    bool dry_run = false;
};

std::span<const output::Field<KeyRow>> key_fields();
/// The default columns of the table, and those of a replay that gives requests back.
inline constexpr std::string_view kKeyTable = "key,shard,status,limit,requests,counted,over,first_over_at";
inline constexpr std::string_view kRefundTable = "key,shard,status,limit,requests,counted,refunded,over,first_over_at";

}  // namespace ratectl::commands::replay
