// The one list of a decision's columns.
#include "commands/report/fields/governor_fields.h"

#include <array>
#include <cmath>

namespace ratectl::commands {
namespace {

using output::Cell;
using output::CellType;
using output::Field;
using output::Null;
using output::Tone;
using output::Word;
using Shown = output::Column::Shown;
namespace governor = domain::governor;

/// Figures that are computed have four decimals, as far as a double has any.
Cell figure(const std::optional<double>& number) {
    if (number && !(std::abs(*number) < 1e12)) return *number;
    return number ? Cell{std::round(*number * 1e4) / 1e4 + 0.0} : Cell{Null{}};
}

Tone tone_of(governor::Why why) {
    switch (why) {
        case governor::Why::tripped:
        case governor::Why::blind:
        case governor::Why::open: return Tone::bad;
        case governor::Why::held:
        case governor::Why::stopped:
        case governor::Why::unlimited: return Tone::warning;
        default: return Tone::plain;
    }
}

const std::array<Field<GovernorRow>, 22> kGovernorFields{{
    {{"at", CellType::wall_time, "AT", "when it was decided; null: of the model, which has no clock"},
     [](const GovernorRow& r) { return output::or_null(r.at); }},
    {{"second", CellType::number, "SECOND", "since the simulation began", Shown::machine},
     [](const GovernorRow& r) { return output::or_null(r.second); }},
    {{"throttle", CellType::bytes, "THROTTLE", "what the application calls it", Shown::table, 0, {}, true},
     [](const GovernorRow& r) -> Cell {
         return r.throttle.empty() ? Cell{Null{}} : Cell{output::BytesView{r.throttle}};
     }},
    {{"load", CellType::number, "LOAD", "what was measured; null: nothing good, or of several inputs"},
     [](const GovernorRow& r) { return figure(r.load); }},
    {{"load_share", CellType::number, "OF SET POINT", "the same as a multiple of the set point", Shown::wide},
     [](const GovernorRow& r) { return r.sample ? figure(r.sample->load) : Cell{Null{}}; }},
    {{"measured_at", CellType::wall_time, "MEASURED AT", "when the load was that, also where that is too long ago",
      Shown::wide},
     [](const GovernorRow& r) -> Cell {
         if (r.measured_at) return *r.measured_at;
         return r.sample && r.at ? Cell{r.sample->at} : Cell{Null{}};
     }},
    {{"before", CellType::number, "BEFORE",
      "rps as it stood, by the knobs or without: 0 stopped, -1 unlimited; null: nothing says it"},
     [](const GovernorRow& r) { return output::or_null(r.before); }},
    {{"rps", CellType::number, "RPS", "requests a second from now on; null: held, and nothing says what stands"},
     [](const GovernorRow& r) -> Cell {
         const bool is_unknown = !r.throttle.empty() && !r.before && r.decision.why == governor::Why::held;
         if (is_unknown) return Null{};
         return r.decision.rps < 0 ? -1 : governor::rounded(r.decision.rps);
     }},
    {{"why", CellType::word, "WHY",
      "began, settled, adjusted, held (no fresh load), tripped, blind (none for too long), open, rearmed, stopped or "
      "unlimited (by another writer)"},
     [](const GovernorRow& r) -> Cell {
         return Word{governor::name_of(r.decision.why), tone_of(r.decision.why)};
     }},
    {{"bound", CellType::word, "BOUND",
      "what kept it from more or less: min, max, rise, fall, or that the load is below its set point (not lowered) or "
      "above (not raised); none"},
     [](const GovernorRow& r) -> Cell { return Word{governor::name_of(r.decision.bound)}; }},
    {{"p", CellType::number, "P", "what the change of the error has added, as a share", Shown::wide},
     [](const GovernorRow& r) { return figure(r.decision.p); }},
    {{"i", CellType::number, "I", "what the error has added", Shown::wide},
     [](const GovernorRow& r) { return figure(r.decision.i); }},
    {{"d", CellType::number, "D", "what the change of its slope has added", Shown::wide},
     [](const GovernorRow& r) { return figure(r.decision.d); }},
    {{"turned", CellType::boolean, "TURNED",
      "what stands is not what was decided last: another writer has changed the knobs, or they are gone", Shown::wide},
     [](const GovernorRow& r) -> Cell { return r.decision.turned; }},
    {{"store_load", CellType::number, "STORE LOAD", "of the model: as it is, and not as it was measured",
      Shown::machine},
     [](const GovernorRow& r) { return figure(r.store_load); }},
    {{"offered", CellType::number, "OFFERED", "of the model: requests a second that callers make", Shown::machine},
     [](const GovernorRow& r) { return figure(r.offered); }},
    {{"admitted", CellType::number, "ADMITTED", "of the model: those that the throttle let through", Shown::machine},
     [](const GovernorRow& r) { return figure(r.admitted); }},
    {{"status", CellType::word, "STATUS",
      "applied, planned (a dry run), unchanged, window-changed, refused, failed or unknown; null: of a simulation"},
     [](const GovernorRow& r) -> Cell { return r.status.text.empty() ? Cell{Null{}} : Cell{r.status}; }},
    {{"reason", CellType::text, "REASON", "why there was no load to go by, or it was not written", Shown::wide},
     [](const GovernorRow& r) { return output::text_or_null(r.reason); }},
    {{"op", CellType::text, "OP", "the operation that wrote it, for `undo`", Shown::wide},
     [](const GovernorRow& r) { return output::text_or_null(r.op); }},
    {{"deployment", CellType::text, "DEPLOYMENT", "where", Shown::wide},
     [](const GovernorRow& r) { return output::text_or_null(r.deployment); }},
    {{"shard", CellType::text, "SHARD", "of the throttle", Shown::wide},
     [](const GovernorRow& r) { return output::text_or_null(r.shard); }},
}};

Cell governed_word(const GovernedRow& r) {
    if (r.lease.actor.empty()) return Word{"never", Tone::dim};
    if (r.lease.until <= r.lease.server_now) return Word{"free", Tone::dim};
    return r.lease.token.empty() ? Word{"reserved"} : Word{"governed", Tone::good};
}

Cell moment_or_null(support::WallTime at) { return at == support::WallTime{} ? Cell{Null{}} : Cell{at}; }

const std::array<Field<GovernedRow>, 12> kGovernedFields{{
    {{"throttle", CellType::bytes, "THROTTLE", "what the application calls it"},
     [](const GovernedRow& r) -> Cell { return output::BytesView{r.throttle}; }},
    {{"governed", CellType::word, "GOVERNED",
      "governed (by a run), reserved (between two of step), free (by none now), or never"},
     governed_word},
    {{"actor", CellType::bytes, "ACTOR", "who does, or did last"},
     [](const GovernedRow& r) -> Cell { return output::BytesView{r.lease.actor}; }},
    {{"host", CellType::bytes, "HOST", "from where"},
     [](const GovernedRow& r) -> Cell { return output::BytesView{r.lease.host}; }},
    {{"since", CellType::wall_time, "SINCE", "on the server's clock"},
     [](const GovernedRow& r) { return moment_or_null(r.lease.since); }},
    {{"until", CellType::wall_time, "UNTIL", "when the lease is over, on the server's clock"},
     [](const GovernedRow& r) { return moment_or_null(r.lease.until); }},
    {{"decided_at", CellType::wall_time, "DECIDED AT", "when the last decision was made"},
     [](const GovernedRow& r) { return r.last ? output::or_null(r.last->next.decided_at) : Cell{Null{}}; }},
    {{"rps", CellType::number, "RPS", "what it came to; -1: unlimited"},
     [](const GovernedRow& r) -> Cell {
         if (!r.last) return Null{};
         return r.last->rps < 0 ? -1 : governor::rounded(r.last->rps);
     }},
    {{"why", CellType::word, "WHY", "as `governor step` has it"},
     [](const GovernedRow& r) -> Cell {
         return r.last ? Cell{Word{governor::name_of(r.last->why), tone_of(r.last->why)}} : Cell{Null{}};
     }},
    {{"bound", CellType::word, "BOUND", "as `governor step` has it", Shown::wide},
     [](const GovernedRow& r) -> Cell { return r.last ? Cell{Word{governor::name_of(r.last->bound)}} : Cell{Null{}}; }},
    {{"load_share", CellType::number, "OF SET POINT", "the last load, as a multiple of the set point", Shown::wide},
     [](const GovernedRow& r) { return r.last && r.last->next.last ? figure(r.last->next.last->load) : Cell{Null{}}; }},
    {{"breaker_open", CellType::boolean, "OPEN", "the breaker is", Shown::wide},
     [](const GovernedRow& r) -> Cell { return r.last ? Cell{r.last->next.open} : Cell{Null{}}; }},
}};

}  // namespace

std::span<const Field<GovernedRow>> governed_fields() { return kGovernedFields; }

std::span<const Field<GovernorRow>> governor_fields() { return kGovernorFields; }

}  // namespace ratectl::commands
