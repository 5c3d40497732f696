// The columns of stats' rows, and what each means.
#include "commands/report/fields/stats_fields.h"

#include <array>

namespace ratectl::commands {
namespace {

using output::Cell;
using output::CellType;
using output::Field;

/// As near as a number of the formats comes that has no bounds.
Cell sum_cell(domain::Sum count) {
    const auto exact = static_cast<std::int64_t>(count);
    return exact == count ? Cell{exact} : Cell{static_cast<double>(count)};
}

const std::array<Field<StatsRow>, 5> kStatsFields{{
    {{"kind", CellType::word, "KIND",
      "state, used, band, reset-in, reset-at, shard, policy: windows; shard-used, policy-used: requests; at-limit: "
      "windows that would be limited"},
     [](const StatsRow& r) -> Cell { return output::Word{r.kind}; }},
    {{"name", CellType::text, "NAME", "which state, band, shard, policy or limit; null for a bin"},
     [](const StatsRow& r) { return output::text_or_null(r.name); }},
    {{"from", CellType::integer, "FROM",
      "the bin begins here: requests, seconds from now, or an epoch second; null for none"},
     [](const StatsRow& r) { return output::or_null(r.from); }},
    {{"to", CellType::integer, "TO", "and ends here, this number included"},
     [](const StatsRow& r) { return output::or_null(r.to); }},
    {{"count", CellType::integer, "COUNT", "how many"}, [](const StatsRow& r) { return sum_cell(r.count); }},
}};

}  // namespace

std::span<const Field<StatsRow>> stats_fields() { return kStatsFields; }

}  // namespace ratectl::commands
