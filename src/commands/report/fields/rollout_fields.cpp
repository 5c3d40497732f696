// The lists of the columns of rollout who and rollout show, one each.
#include "commands/report/fields/rollout_fields.h"

#include <array>

#include "support/number_text.h"

namespace ratectl::commands {
namespace {

using domain::FeatureGate;
using output::Cell;
using output::CellType;
using output::Field;
using output::Null;
using output::Tone;
using output::Word;
using Shown = output::Column::Shown;

Cell moves(const RolloutRow& row) {
    if (!row.then) return Null{};
    if (*row.then == row.on) return Word{"stays", Tone::dim};
    return *row.then ? Word{"in", Tone::good} : Word{"out", Tone::warning};
}

const std::array<Field<RolloutRow>, 6> kRolloutFields{{
    {{"actor", CellType::bytes, "ACTOR", "who it is, as the application calls them"},
     [](const RolloutRow& r) -> Cell { return output::BytesView{r.actor}; }},
    {{"bucket", CellType::integer, "BUCKET", "which of the 100,000 buckets they are in"},
     [](const RolloutRow& r) -> Cell { return std::int64_t{r.bucket}; }},
    {{"from", CellType::number, "ON FROM",
      "the least percentage, of three decimals, at which the feature is on for them", Shown::machine},
     [](const RolloutRow& r) -> Cell { return domain::on_from(r.bucket); }},
    {{"on", CellType::boolean, "ON", "whether it is on for them at --at"},
     [](const RolloutRow& r) -> Cell { return r.on; }},
    {{"then", CellType::boolean, "THEN", "whether it is at --then"},
     [](const RolloutRow& r) { return output::or_null(r.then); }},
    {{"moves", CellType::word, "MOVES", "in, out or stays, from one percentage to the other"}, moves},
}};

/// As Flipper says it.
Cell state(const FeatureRow& row) {
    if (!row.answered) return Null{};
    if (!row.gates) return Word{"absent", Tone::dim};
    if (row.gates->is_fully_on()) return Word{"on", Tone::good};
    bool is_clear = true;
    for (const auto gate : {FeatureGate::actors, FeatureGate::time}) {
        const auto share = support::parse_percent(row.gates->of(gate).value_or("0"));
        const bool is_share = share && *share <= 100;
        if (is_share && *share > 0) return Word{"conditional"};
        is_clear = is_clear && is_share;
    }
    return is_clear ? Word{"off", Tone::dim} : Word{"unclear", Tone::warning};
}

/// Null also for what is no number: no row says what Flipper's program would make of that.
template <FeatureGate Gate>
Cell share(const FeatureRow& row) {
    if (!row.gates || !row.gates->of(Gate)) return Null{};
    const auto number = support::parse_percent(*row.gates->of(Gate));
    return number ? Cell{*number} : Cell{Null{}};
}

Cell stored(const FeatureRow& row) {
    return row.gates ? Cell{output::Bytes{domain::words_of(*row.gates)}} : Cell{Null{}};
}

const std::array<Field<FeatureRow>, 6> kFeatureFields{{
    {{"feature", CellType::bytes, "FEATURE", "its name"},
     [](const FeatureRow& r) -> Cell { return output::BytesView{r.feature}; }},
    {{"state", CellType::word, "STATE",
      "on: for all; conditional: for a share of actors or of the time; off: but for actors and groups that are named; "
      "unclear: so is what is stored as a share and is no percentage; absent: no such feature; null: no answer"},
     state},
    {{"percentage_of_actors", CellType::number, "% OF ACTORS", "for how many of its actors it is on; null: not set"},
     share<FeatureGate::actors>},
    {{"percentage_of_time", CellType::number, "% OF TIME", "in how many of all cases, for any actor; null: not set"},
     share<FeatureGate::time>},
    {{"stored", CellType::bytes, "STORED", "what is stored, in words, with all its digits"}, stored},
    {{"node", CellType::text, "NODE", "the server that said so", Shown::wide},
     [](const FeatureRow& r) -> Cell { return output::TextView{r.node}; }},
}};

}  // namespace

std::span<const Field<RolloutRow>> rollout_fields() { return kRolloutFields; }
std::span<const Field<FeatureRow>> feature_fields() { return kFeatureFields; }

}  // namespace ratectl::commands
