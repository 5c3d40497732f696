// The columns of headers, one getter each.
#include "commands/report/fields/header_fields.h"

#include <array>

#include "commands/report/fields/window_fields.h"

namespace ratectl::commands {
namespace {

using domain::ClaimVerdict;
using output::BytesView;
using output::Cell;
using output::CellType;
using output::Field;
using output::Null;
using output::or_null;
using output::text_or_null;
using output::TextView;
using output::Tone;
using output::Word;
using Shown = output::Column::Shown;
using H = HeaderRow;
using C = ClaimRow;

constexpr std::array kHeaderFields{
    Field<H>{{"key", CellType::key, "KEY", "the key of the counter"},
             [](const H& row) -> Cell { return BytesView{row.key}; }},
    Field<H>{{"policy", CellType::text, "POLICY", "the policy that matches the key"},
             [](const H& row) { return text_or_null(row.policy); }},
    Field<H>{{"dialect", CellType::word, "DIALECT", "github, legacy, draft-7, draft-8 or retry-after", Shown::wide},
             [](const H& row) -> Cell { return Word{domain::name_of(row.dialect)}; }},
    Field<H>{{"name", CellType::text, "NAME", "the header's name"},
             [](const H& row) -> Cell { return TextView{row.line.name}; }},
    Field<H>{{"value", CellType::bytes, "VALUE", "the header's value"},
             [](const H& row) -> Cell { return BytesView{row.line.value}; }},
    Field<H>{{"shard", CellType::text, "SHARD", "the shard that was asked", Shown::wide},
             [](const H& row) -> Cell { return row.node ? Cell{TextView{row.node->shard}} : Cell{Null{}}; }},
    Field<H>{{"node", CellType::text, "NODE", "the node that was asked", Shown::wide},
             [](const H& row) -> Cell { return row.node ? Cell{output::Text{row.node->name()}} : Cell{Null{}}; }},
    Field<H>{{"read_at", CellType::wall_time, "READ AT", "when it answered", Shown::machine},
             [](const H& row) -> Cell { return row.read_at; }},
    Field<H>{{"stale", CellType::boolean, "STALE", "from a replica that should not be believed", Shown::machine},
             [](const H& row) -> Cell { return row.stale; }},
    Field<H>{{"state", CellType::word, "STATE", "what the window was then", Shown::machine},
             [](const H& row) -> Cell { return state_word(row.window.state); }},
    Field<H>{{"reset_at", CellType::time, "RESET AT", "the second at which the window ends", Shown::machine},
             [](const H& row) { return or_null(row.window.reset_at); }},
    Field<H>{{"stored_used", CellType::bytes, "STORED USED", "the counter as stored", Shown::machine},
             [](const H& row) { return output::bytes_or_null(stored_used(row.look).value); }},
    Field<H>{{"stored_reset_at", CellType::bytes, "STORED RESET", "the expiry half as stored", Shown::machine},
             [](const H& row) { return output::bytes_or_null(stored_reset(row.look).value); }},
    Field<H>{kLayoutColumn, [](const H& row) { return layout_cell(row.look); }},
};

Tone tone_of(ClaimVerdict verdict) {
    if (domain::is_sound(verdict)) return Tone::good;
    return verdict == ClaimVerdict::never ? Tone::bad : Tone::warning;
}

template <auto Member>
Cell claimed(const C& row) {
    return or_null(row.claim.*Member);
}

constexpr std::array kClaimFields{
    Field<C>{{"line", CellType::integer, "LINE", "where the response begins in the input"},
             [](const C& row) -> Cell { return static_cast<std::int64_t>(row.line); }},
    Field<C>{
        {"key", CellType::key, "KEY", "the window that it is compared with; null: it can be about none of several"},
        [](const C& row) -> Cell { return row.key.empty() ? Cell{Null{}} : Cell{BytesView{row.key}}; }},
    Field<C>{{"verdict", CellType::word, "VERDICT",
              "now, earlier, earlier-window, stale-replica, if-changed, never or too-little"},
             [](const C& row) -> Cell {
                 return Word{domain::name_of(row.judgement.verdict), tone_of(row.judgement.verdict)};
             }},
    Field<C>{{"detail", CellType::text, "WHY", "why, in a sentence"},
             [](const C& row) -> Cell { return TextView{row.judgement.detail}; }},
    Field<C>{
        {"node", CellType::text, "NODE", "stale-replica: which one says so", Shown::wide},
        [](const C& row) -> Cell { return row.judgement.node ? Cell{TextView{*row.judgement.node}} : Cell{Null{}}; }},
    Field<C>{{"date", CellType::time, "DATE", "the response's Date", Shown::wide}, claimed<&domain::HeaderClaim::date>},
    Field<C>{{"limit", CellType::integer, "LIMIT", "the limit that the headers name", Shown::wide},
             claimed<&domain::HeaderClaim::limit>},
    Field<C>{{"remaining", CellType::integer, "REMAINING", "what they say is left", Shown::wide},
             claimed<&domain::HeaderClaim::remaining>},
    Field<C>{{"used", CellType::integer, "USED", "what they say is used", Shown::wide},
             claimed<&domain::HeaderClaim::used>},
    Field<C>{{"reset_at", CellType::time, "RESET AT", "the reset, where they name it as a time", Shown::wide},
             claimed<&domain::HeaderClaim::reset_at>},
    Field<C>{{"used_now", CellType::integer, "USED NOW", "used at the node that counts", Shown::machine},
             [](const C& row) { return or_null(row.used_now); }},
    Field<C>{{"reset_at_now", CellType::time, "RESET NOW", "the reset there", Shown::machine},
             [](const C& row) { return or_null(row.reset_at_now); }},
};

}  // namespace

std::span<const output::Field<HeaderRow>> header_fields() { return kHeaderFields; }

std::span<const output::Field<ClaimRow>> claim_fields() { return kClaimFields; }

}  // namespace ratectl::commands
