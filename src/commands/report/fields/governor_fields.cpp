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

/// Figures that are computed have four decimals.
Cell figure(const std::optional<double>& number) {
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
    {{"throttle", CellType::bytes, "THROTTLE", "what the application calls it"},
     [](const GovernorRow& r) -> Cell {
         return r.throttle.empty() ? Cell{Null{}} : Cell{output::BytesView{r.throttle}};
     }},
    {{"load", CellType::number, "LOAD", "what was measured; null: nothing good, or of several inputs"},
     [](const GovernorRow& r) { return figure(r.load); }},
    {{"load_share", CellType::number, "OF SET POINT", "the same as a multiple of the set point", Shown::wide},
     [](const GovernorRow& r) { return r.sample ? figure(r.sample->load) : Cell{Null{}}; }},
    {{"measured_at", CellType::wall_time, "MEASURED AT", "when the load was that", Shown::wide},
     [](const GovernorRow& r) -> Cell { return r.sample && r.at ? Cell{r.sample->at} : Cell{Null{}}; }},
    {{"before", CellType::number, "BEFORE", "rps as it stood: 0 stopped, -1 unlimited; null: there were no knobs"},
     [](const GovernorRow& r) { return output::or_null(r.before); }},
    {{"rps", CellType::number, "RPS", "requests a second from now on"},
     [](const GovernorRow& r) -> Cell { return r.decision.rps < 0 ? -1 : governor::rounded(r.decision.rps); }},
    {{"why", CellType::word, "WHY",
      "began, settled, adjusted, held (no fresh load), tripped, blind (none for too long), open, rearmed, stopped or "
      "unlimited (by another writer)"},
     [](const GovernorRow& r) -> Cell {
         return Word{governor::name_of(r.decision.why), tone_of(r.decision.why)};
     }},
    {{"bound", CellType::word, "BOUND", "what kept it from more or less: min, max, rise or fall; none"},
     [](const GovernorRow& r) -> Cell { return Word{governor::name_of(r.decision.bound)}; }},
    {{"p", CellType::number, "P", "what the change of the error adds, as a share of what stood", Shown::wide},
     [](const GovernorRow& r) { return figure(r.decision.p); }},
    {{"i", CellType::number, "I", "what the error adds", Shown::wide},
     [](const GovernorRow& r) { return figure(r.decision.i); }},
    {{"d", CellType::number, "D", "what the slope of the load adds", Shown::wide},
     [](const GovernorRow& r) { return figure(r.decision.d); }},
    {{"turned", CellType::boolean, "TURNED", "another writer had changed the knobs since", Shown::wide},
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
    {{"reason", CellType::text, "REASON", "why it was not written", Shown::wide},
     [](const GovernorRow& r) { return output::text_or_null(r.reason); }},
    {{"op", CellType::text, "OP", "the operation that wrote it, for `undo`", Shown::wide},
     [](const GovernorRow& r) { return output::text_or_null(r.op); }},
    {{"deployment", CellType::text, "DEPLOYMENT", "where", Shown::wide},
     [](const GovernorRow& r) { return output::text_or_null(r.deployment); }},
    {{"shard", CellType::text, "SHARD", "of the throttle", Shown::wide},
     [](const GovernorRow& r) { return output::text_or_null(r.shard); }},
}};

}  // namespace

std::span<const Field<GovernorRow>> governor_fields() { return kGovernorFields; }

}  // namespace ratectl::commands
