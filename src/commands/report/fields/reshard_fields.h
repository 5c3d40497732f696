// The columns of reshard: what would go from where to where, and what became of each window that was moved.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "commands/report/fields/write_fields.h"
#include "output/field.h"
#include "support/time.h"

namespace ratectl::commands {

/// Either the windows between two shards, or one window whose client would notice.
struct ForecastRow {
    std::string_view row;  // static: `shards` or `window`
    std::string_view from;
    std::string_view to;
    std::optional<std::int64_t> windows;  // of a pair of shards
    std::optional<std::int64_t> moved;
    std::optional<double> share;          // percent of the source shard's live windows
    std::optional<std::string_view> key;  // of a window
    std::string_view policy;
    std::string_view client;
    std::optional<std::int64_t> used;
    std::optional<std::int64_t> limit;
    std::optional<double> percent;
    std::optional<support::Instant> reset_at;
};
std::span<const output::Field<ForecastRow>> forecast_fields();
/// The tables' columns for either kind of row.
inline constexpr std::string_view kForecastShards = "from,to,windows,moved,share";
inline constexpr std::string_view kForecastWindows = "key,used,limit,percent,from,to,reset_at";

/// One window of reshard apply.
struct MoveRow {
    std::string key;
    std::string new_key;  // what it is called in the new deployment
    std::string from;     // shards
    std::string to;
    RowStatus status = RowStatus::not_attempted;
    std::string reason;
    std::string_view because;  // what --reason said, of all rows of the command
    std::optional<support::Error> error;
    domain::StoredWindow window;  // as it was copied, or is at its source
    int copies = 0;               // how often it was copied until it stood still
};
std::span<const output::Field<MoveRow>> move_fields();
/// The default columns of the table: where keys become others, and of a command with --reason, there are more.
std::string move_table(bool renames, bool has_reason);

}  // namespace ratectl::commands
