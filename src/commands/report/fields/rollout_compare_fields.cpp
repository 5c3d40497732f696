// The one list of the columns of rollout compare.
#include "commands/report/fields/rollout_compare_fields.h"

#include <array>

#include "commands/report/fields/window_fields.h"
#include "commands/report/key_mask.h"

namespace ratectl::commands {
namespace {

using output::BytesView;
using output::Cell;
using output::CellType;
using output::Field;
using output::Null;
using output::or_null;
using output::TextView;
using output::Tone;
using output::Word;
using Shown = output::Column::Shown;
using Side = std::optional<domain::Window> RolloutPair::*;

template <Side Of>
Cell state(const RolloutPair& row) {
    return row.*Of ? Cell{state_word((row.*Of)->state)} : Cell{Null{}};
}
template <Side Of>
Cell used(const RolloutPair& row) {
    return row.*Of ? or_null((row.*Of)->used) : Cell{Null{}};
}
template <Side Of>
Cell remaining(const RolloutPair& row) {
    return row.*Of ? or_null((row.*Of)->remaining) : Cell{Null{}};
}
template <Side Of>
Cell reset_at(const RolloutPair& row) {
    return row.*Of ? or_null((row.*Of)->reset_at) : Cell{Null{}};
}

Cell standing(const RolloutPair& row) {
    if (row.standing.empty()) return Null{};
    const bool loses = row.moved && row.given_anew.value_or(0) > 0;
    return Word{row.standing, loses ? Tone::warning : Tone::plain};
}

constexpr auto kOld = &RolloutPair::old_window;
constexpr auto kNew = &RolloutPair::new_window;

const std::array<Field<RolloutPair>, 17> kPairFields{{
    {{"key", CellType::key, "KEY", "the key of the counter"},
     [](const RolloutPair& r) -> Cell { return BytesView{r.key}; }},
    {{"client", CellType::bytes, "CLIENT", "whose window it is, as its policy tells", Shown::wide},
     [](const RolloutPair& r) -> Cell { return client_cell(r.match); }},
    {{"actor", CellType::bytes, "ACTOR", "what the application calls it where it asks for the feature", Shown::wide},
     [](const RolloutPair& r) -> Cell { return BytesView{r.actor}; }},
    {{"bucket", CellType::integer, "BUCKET", "which of the feature's 100,000 buckets it is in", Shown::wide},
     [](const RolloutPair& r) -> Cell { return std::int64_t{r.bucket}; }},
    {{"moved", CellType::boolean, "MOVED", "whether the new deployment serves it", Shown::machine},
     [](const RolloutPair& r) -> Cell { return r.moved; }},
    {{"served_by", CellType::text, "SERVED BY", "the deployment that serves it"},
     [](const RolloutPair& r) -> Cell { return TextView{r.served_by}; }},
    {{"old_state", CellType::word, "OLD", "what its window is in the old deployment; null: no answer"}, state<kOld>},
    {{"old_used", CellType::integer, "USED", "requests counted there"}, used<kOld>},
    {{"old_remaining", CellType::integer, "LEFT", "requests left there; null where no limit is known", Shown::wide},
     remaining<kOld>},
    {{"old_reset_at", CellType::time, "RESET AT", "when that window ends"}, reset_at<kOld>},
    {{"new_state", CellType::word, "NEW", "the same in the new deployment"}, state<kNew>},
    {{"new_used", CellType::integer, "USED", "requests counted there"}, used<kNew>},
    {{"new_remaining", CellType::integer, "LEFT", "requests left there; null where no limit is known", Shown::wide},
     remaining<kNew>},
    {{"new_reset_at", CellType::time, "RESET AT", "when that window ends"}, reset_at<kNew>},
    {{"standing", CellType::word, "STANDING",
      "none: no window is open; old-only, new-only; carried: a copy has opened the new one, and all of the old one has "
      "been carried over; behind: not all; short: it counts less than was carried into it, as where it was lost, reset "
      "or refunded since; apart: no copy is known to have opened the new one, or the old one has begun anew; orphan: a "
      "counter without an end in the old one, which cannot be carried over; null: that is not known"},
     standing},
    {{"given_anew", CellType::integer, "ANEW",
      "how many requests it has made that the new deployment does not count, and it may make once more there"},
     [](const RolloutPair& r) { return or_null(r.given_anew); }},
    {{"limit", CellType::integer, "LIMIT", "requests allowed in a window; null when unknown", Shown::wide},
     [](const RolloutPair& r) { return or_null(r.limit); }},
}};

}  // namespace

std::span<const Field<RolloutPair>> rollout_compare_fields() { return kPairFields; }

}  // namespace ratectl::commands
