// The one list of the columns of rollout who.
#include "commands/report/fields/rollout_fields.h"

#include <array>

#include "domain/rollout.h"

namespace ratectl::commands {
namespace {

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

}  // namespace

std::span<const Field<RolloutRow>> rollout_fields() { return kRolloutFields; }

}  // namespace ratectl::commands
