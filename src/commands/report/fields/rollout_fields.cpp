// The lists of the columns of rollout who and rollout show, one each.
#include "commands/report/fields/rollout_fields.h"

#include <array>

#include "commands/report/fields/window_fields.h"
#include "commands/report/key_mask.h"
#include "support/number_text.h"

namespace ratectl::commands {
namespace {

using domain::FeatureGate;
using output::BytesView;
using output::Cell;
using output::CellType;
using output::Field;
using output::Null;
using output::or_null;
using output::text_or_null;
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

const std::array<Field<FeatureRow>, 9> kFeatureFields{{
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
     [](const FeatureRow& r) -> Cell { return output::Text{r.node.name()}; }},
    {{"role", CellType::word, "ROLE", "whether that is a primary or a replica", Shown::wide},
     [](const FeatureRow& r) -> Cell { return Word{domain::name_of(r.node.role)}; }},
    {{"stale", CellType::boolean, "STALE", "read from a replica that had lost its primary", Shown::machine},
     [](const FeatureRow& r) -> Cell { return r.stale; }},
    {{"shard", CellType::text, "SHARD", "the shard that was read", Shown::wide},
     [](const FeatureRow& r) { return text_or_null(r.shard); }},
}};

}  // namespace

std::span<const Field<RolloutRow>> rollout_fields() { return kRolloutFields; }
std::span<const Field<FeatureRow>> feature_fields() { return kFeatureFields; }

namespace {

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
    const bool loses = row.moved.value_or(true) && row.given_anew.value_or(0) > 0;
    return Word{row.standing, loses ? Tone::warning : Tone::plain};
}

constexpr auto kOld = &RolloutPair::old_window;
constexpr auto kNew = &RolloutPair::new_window;

const std::array<Field<RolloutPair>, 17> kPairFields{{
    {{"key", CellType::key, "KEY", "the key of the counter"},
     [](const RolloutPair& r) -> Cell { return BytesView{r.key}; }},
    {{"client", CellType::bytes, "CLIENT", "whose window it is, as its policy tells", Shown::wide},
     [](const RolloutPair& r) -> Cell { return client_cell(r.match); }},
    {{"actor", CellType::bytes, "ACTOR",
      "what the application calls it where it asks for the feature; null: the key does not tell", Shown::wide},
     [](const RolloutPair& r) -> Cell { return r.actor.empty() ? Cell{Null{}} : Cell{BytesView{r.actor}}; }},
    {{"bucket", CellType::integer, "BUCKET", "which of the feature's 100,000 buckets it is in", Shown::wide},
     [](const RolloutPair& r) { return or_null(r.bucket); }},
    {{"moved", CellType::boolean, "MOVED", "whether the new deployment serves it", Shown::machine},
     [](const RolloutPair& r) -> Cell { return r.moved ? Cell{*r.moved} : Cell{Null{}}; }},
    {{"served_by", CellType::text, "SERVED BY", "the deployment that serves it; null: its actor is not known"},
     [](const RolloutPair& r) { return text_or_null(r.served_by); }},
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
      "counter without an end in the old one, which cannot be carried over; corrupt: what one of the two counts cannot "
      "be read; null: that is not known"},
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
