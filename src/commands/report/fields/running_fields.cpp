// The one list of a running counter's columns.
#include "commands/report/fields/running_fields.h"

#include <array>
#include <cmath>

namespace ratectl::commands {
namespace {

using output::Cell;
using output::CellType;
using output::Field;
using output::Null;
using output::or_null;
using Shown = output::Column::Shown;

Cell rate(const RunningRow& row) {
    if (!row.count || row.span.count() == 0) return Null{};
    return std::round(*row.count * 1e6 / static_cast<double>(row.span.count())) / 1e3;
}

const std::array<Field<RunningRow>, 9> kRunningFields{{
    {{"name", CellType::bytes, "NAME", "what the application calls the counter"},
     [](const RunningRow& r) -> Cell { return output::BytesView{r.name}; }},
    {{"group", CellType::bytes, "GROUP", "the group that it was counted in", Shown::wide},
     [](const RunningRow& r) -> Cell { return r.group.empty() ? Cell{Null{}} : Cell{output::BytesView{r.group}}; }},
    {{"count", CellType::number, "COUNT", "what its last buckets have counted; null: that cannot be told"},
     [](const RunningRow& r) { return or_null(r.count); }},
    {{"rate", CellType::number, "A SECOND", "the same for each second that they cover"}, rate},
    {{"newest", CellType::number, "NEWEST", "what the bucket holds that is counted into now", Shown::wide},
     [](const RunningRow& r) { return or_null(r.newest); }},
    {{"buckets", CellType::integer, "BUCKETS", "how many of the last buckets are there"},
     [](const RunningRow& r) -> Cell { return r.buckets; }},
    {{"span", CellType::duration_ms, "SPAN", "how long the last buckets are together", Shown::wide},
     [](const RunningRow& r) -> Cell { return r.span; }},
    {{"counted_at", CellType::wall_time, "COUNTED AT", "when it was counted into last, as its group says"},
     [](const RunningRow& r) { return or_null(r.counted_at); }},
    {{"error", CellType::text, "ERROR", "why there is no count", Shown::wide},
     [](const RunningRow& r) { return output::text_or_null(r.fault); }},
}};

}  // namespace

std::span<const Field<RunningRow>> running_fields() { return kRunningFields; }

}  // namespace ratectl::commands
