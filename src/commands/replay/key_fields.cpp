// The columns of a replayed key: what became of its requests.
#include "commands/replay/key_fields.h"

#include <array>

namespace ratectl::commands::replay {

namespace {

using output::Cell;
using output::CellType;
using output::Field;
using output::Null;
using output::TextView;
using output::Tone;
using output::Word;
using Shown = output::Column::Shown;

template <class T>
Cell or_null(const std::optional<T>& value) {
    return value ? Cell{*value} : Cell{Null{}};
}

template <std::uint64_t Counts::*Number>
Cell number(const KeyRow& row) {
    return static_cast<std::int64_t>(row.record.counts.*Number);
}

/// The worst that happened to a request of this key.
Cell status(const KeyRow& row) {
    const Counts& counts = row.record.counts;
    if (counts.unknown + counts.refunds_unknown > 0) return Word{"unknown", Tone::bad};
    if (counts.refused > 0) return Word{"refused", Tone::bad};
    if (counts.not_attempted + counts.refunds_missed > 0) return Word{"partial", Tone::warning};
    return row.dry_run ? Word{"planned", Tone::plain} : Word{"applied", Tone::good};
}

Cell first_over_line(const KeyRow& row) {
    const std::uint64_t line = row.record.first_over_line;
    return line == 0 ? Cell{Null{}} : Cell{static_cast<std::int64_t>(line)};
}

}  // namespace

std::span<const Field<KeyRow>> key_fields() {
    static const std::array<Field<KeyRow>, 16> fields{{
        {{"key", CellType::key, "KEY", "the key that the template gave", Shown::table},
         [](const KeyRow& r) -> Cell { return output::BytesView{r.record.key}; }},
        {{"deployment", CellType::text, "DEPLOYMENT", "the deployment counted into", Shown::machine},
         [](const KeyRow& r) -> Cell { return TextView{r.deployment}; }},
        {{"shard", CellType::text, "SHARD", "the shard that has the key", Shown::table},
         [](const KeyRow& r) -> Cell { return TextView{r.shard}; }},
        {{"status", CellType::word, "STATUS", "applied, planned, partial, refused or unknown", Shown::table}, status},
        {{"limit", CellType::integer, "LIMIT", "requests allowed in one window", Shown::table},
         [](const KeyRow& r) { return or_null(r.record.limit); }},
        {{"requests", CellType::integer, "REQUESTS", "requests of this key in the log", Shown::table},
         number<&Counts::requests>},
        {{"counted", CellType::integer, "COUNTED", "requests that were counted", Shown::table},
         number<&Counts::counted>},
        {{"refunded", CellType::integer, "REFUNDED", "counted requests that were given back", Shown::wide},
         number<&Counts::refunded>},
        {{"over", CellType::integer, "OVER", "requests over the limit; with --enforce these were rejected",
          Shown::table},
         number<&Counts::over>},
        {{"rejected", CellType::integer, "REJECTED", "requests that --enforce did not count", Shown::machine},
         number<&Counts::rejected>},
        {{"windows", CellType::integer, "WINDOWS", "different windows counted into", Shown::wide},
         number<&Counts::windows>},
        {{"first_over_at", CellType::time, "FIRST OVER", "time in the log of the first request over the limit",
          Shown::table},
         [](const KeyRow& r) { return or_null(r.record.first_over_at); }},
        {{"first_over_line", CellType::integer, "LINE", "line of the log of the first request over the limit",
          Shown::wide},
         first_over_line},
        {{"refused", CellType::integer, "REFUSED", "requests that were not counted because of what is stored",
          Shown::machine},
         number<&Counts::refused>},
        {{"unknown", CellType::integer, "UNKNOWN", "requests that were sent and whose reply was lost", Shown::machine},
         number<&Counts::unknown>},
        {{"not_attempted", CellType::integer, "NOT ATTEMPTED", "requests that were not sent", Shown::machine},
         number<&Counts::not_attempted>},
    }};
    return fields;
}

}  // namespace ratectl::commands::replay
