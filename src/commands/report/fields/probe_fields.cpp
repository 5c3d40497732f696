// The columns of nodes --probe; delays in milliseconds, to the hundredth.
#include "commands/report/fields/probe_fields.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "domain/diagnosis/delays.h"

namespace ratectl::commands {
namespace {

using output::Cell;
using output::CellType;
using output::Field;
using output::Null;
using output::Text;
using output::Tone;
using output::Word;
using Shown = output::Column::Shown;
using Micros = std::chrono::microseconds;

Cell in_ms(Micros delay) { return std::round(static_cast<double>(delay.count()) / 10) / 100; }

template <int Percent>
Cell percentile(std::vector<Micros> delays) {
    if (delays.empty()) return Null{};
    std::ranges::sort(delays);
    return in_ms(domain::percentile(delays, Percent));
}

Cell state(const ProbeRow& row) {
    if (row.planned) return Word{"planned"};
    if (row.error) return Word{"failed", Tone::bad};
    if (row.lost > 0) return Word{"lost", Tone::bad};
    if (row.delays.empty()) return Word{"not-asked", Tone::dim};
    return Word{"seen", Tone::good};
}

Cell last(const ProbeRow& row) { return row.delays.empty() ? Cell{Null{}} : in_ms(row.delays.back()); }

constexpr std::array<Field<ProbeRow>, 13> kProbeFields{{
    {{"shard", CellType::text, "SHARD", "the shard's name"},
     [](const ProbeRow& r) -> Cell { return Text{r.node.shard}; }},
    {{"node", CellType::text, "NODE", "the replica's address"},
     [](const ProbeRow& r) -> Cell { return Text{r.node.name()}; }},
    {{"state", CellType::word, "STATE",
      "seen; lost: a write was not shown in time; failed: it could not be asked; not-asked; planned (dry run)"},
     state},
    {{"seen", CellType::integer, "SEEN", "writes that the replica showed"},
     [](const ProbeRow& r) -> Cell { return static_cast<std::int64_t>(r.delays.size()); }},
    {{"lost", CellType::integer, "LOST", "writes that it did not show within --timeout"},
     [](const ProbeRow& r) -> Cell { return static_cast<std::int64_t>(r.lost); }},
    {{"last_ms", CellType::number, "LAST MS", "from sending the last write to the answer that showed it"}, last},
    {{"p50_ms", CellType::number, "P50 MS", "half of the writes were shown within that"},
     [](const ProbeRow& r) { return percentile<50>(r.delays); }},
    {{"p90_ms", CellType::number, "P90 MS", "90 of 100 were"},
     [](const ProbeRow& r) { return percentile<90>(r.delays); }},
    {{"p99_ms", CellType::number, "P99 MS", "99 of 100 were"},
     [](const ProbeRow& r) { return percentile<99>(r.delays); }},
    {{"max_ms", CellType::number, "MAX MS", "all that were shown were shown within that"},
     [](const ProbeRow& r) { return percentile<100>(r.delays); }},
    {{"resolution_ms", CellType::number, "RESOLUTION MS",
      "so much of a delay may be our own round trips (the median); no smaller delay can be told"},
     [](const ProbeRow& r) { return percentile<50>(r.blinds); }},
    {{"key", CellType::key, "KEY", "the throw-away window", Shown::wide},
     [](const ProbeRow& r) -> Cell { return output::BytesView{r.key}; }},
    {{"error", CellType::bytes, "ERROR", "why the replica could not be asked", Shown::machine},
     [](const ProbeRow& r) { return r.error ? Cell{output::Bytes{r.error->message}} : Cell{Null{}}; }},
}};

}  // namespace

std::span<const Field<ProbeRow>> probe_fields() { return kProbeFields; }

}  // namespace ratectl::commands
