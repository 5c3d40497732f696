// The columns of check, client, scan and everything else that prints windows.
#include "commands/report/fields/window_fields.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "commands/report/key_mask.h"
#include "commands/report/wording.h"
#include "domain/limiter.h"
#include "support/number_text.h"

namespace ratectl::commands {
namespace {

using domain::WindowState;
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

Cell stored(const domain::StoredKey& part) { return part.value ? Cell{BytesView{*part.value}} : Cell{Null{}}; }

/// PTTL as asked: no TTL and no key are both null, the state says which.
Cell ttl(const domain::StoredKey& part) {
    return part.ttl_ms && *part.ttl_ms >= 0 ? Cell{support::Milliseconds{*part.ttl_ms}} : Cell{Null{}};
}

Cell reset_in(const WindowRow& row) {
    return row.window.reset_at ? distance_cell(*row.window.reset_at, row.now) : Cell{Null{}};
}

Cell reset_kind(const WindowRow& row) {
    if (!row.window.reset_at || row.look.limiter == nullptr) return Null{};
    return Word{row.look.limiter->of(row.look.key).reset_kind()};
}

/// Hundredths are all that a person needs of a request that is not there yet; never as many as would be one.
Cell remaining(const domain::Window& window) {
    const double part = std::floor(window.part_left * 100) / 100;
    if (!window.remaining || part <= 0) return or_null(window.remaining);
    return static_cast<double>(*window.remaining) + part;
}

Cell limited(const WindowRow& row) {
    const bool unknown = !row.window.limit && !row.meaning.exempt();
    if (row.window.state == WindowState::corrupt || unknown) return Null{};
    return row.window.exhausted || (row.window.limit && *row.window.limit <= 0);
}

/// Why a window is corrupt; null for the other states, which say all there is to say.
Cell fault(const WindowRow& row) {
    if (row.window.state != WindowState::corrupt) return Null{};
    return output::Text{row.look.limiter->corruption(row.look)};
}

const std::array<Field<WindowRow>, 29> kWindowFields{{
    {{"key", CellType::key, "KEY", "the key of the counter"},
     [](const WindowRow& r) { return key_cell(r.look.key, r.meaning.match); },
     kFactsOfItsOwn},
    {{"state", CellType::word, "STATE", "what the window is at this second"},
     [](const WindowRow& r) -> Cell { return state_word(r.window.state); },
     kFactsOfState},
    {{"used", CellType::integer, "USED", "requests counted in this window"},
     [](const WindowRow& r) { return or_null(r.window.used); },
     kFactsOfItsOwn},
    {{"limit", CellType::integer, "LIMIT", "requests allowed in a window; null when unknown, or without end",
      Shown::table, 3},
     [](const WindowRow& r) { return or_null(r.window.limit); },
     kFactsOfPolicy},
    {{"remaining", CellType::integer, "REMAINING", "requests left; null when the limit is unknown", Shown::table, 1,
      "LEFT"},
     [](const WindowRow& r) { return remaining(r.window); },
     kFactsBeyondLimits},
    {{"percent", CellType::percent, "%", "used as a share of the limit", Shown::wide},
     [](const WindowRow& r) { return or_null(percent_of(r.window)); },
     kFactsBeyondLimits},
    {{"reset_at", CellType::time, "RESET AT", "the second at which the window ends"},
     [](const WindowRow& r) { return or_null(r.window.reset_at); },
     kFactsOfReset},
    {{"reset_in", CellType::duration_s, "RESET IN", "time until then", Shown::machine}, reset_in, kFactsOfReset},
    {{"reset_kind", CellType::word, "RESET FROM", "where that comes from: stored, ttl, computed", Shown::machine},
     reset_kind,
     kFactsOfReset | kFactsOfPolicy},
    {{"limited", CellType::boolean, "LIMITED", "would the next request be refused; null when the limit is unknown",
      Shown::machine},
     limited,
     kFactsOfState | kFactsOfPolicy},
    {{"shard", CellType::text, "SHARD", "the shard that was read", Shown::table, 2},
     [](const WindowRow& r) { return text_or_null(r.shard); },
     kFactsOfLook},
    {{"node", CellType::text, "NODE", "the server that was read", Shown::wide},
     [](const WindowRow& r) { return text_or_null(r.node); },
     kFactsOfLook},
    {{"role", CellType::word, "ROLE", "whether that is a primary or a replica", Shown::wide},
     [](const WindowRow& r) -> Cell { return r.role ? Cell{Word{name_of(*r.role)}} : Cell{Null{}}; },
     kFactsOfLook},
    {{"stale", CellType::boolean, "STALE", "read from a replica that had lost its primary", Shown::machine},
     [](const WindowRow& r) -> Cell { return r.stale; },
     kFactsOfLook},
    {{"deployment", CellType::text, "DEPLOYMENT", "the deployment of the configuration", Shown::machine},
     [](const WindowRow& r) { return text_or_null(r.deployment); },
     kFactsOfLook},
    {{"policy", CellType::text, "POLICY", "the policy that matches the key", Shown::wide},
     [](const WindowRow& r) { return r.meaning.match ? text_or_null(r.meaning.match->policy->name) : Cell{Null{}}; },
     kFactsOfPolicy},
    {{"client", CellType::bytes, "CLIENT", "the client in the key", Shown::machine},
     [](const WindowRow& r) { return client_cell(r.meaning.match); },
     kFactsBeyondLimits},
    {{"client_class", CellType::text, "CLASS", "the client's class", Shown::machine},
     [](const WindowRow& r) { return r.meaning.match ? text_or_null(r.meaning.match->client_class) : Cell{Null{}}; },
     kFactsOfPolicy},
    {{"limit_source", CellType::text, "LIMIT FROM",
      "where the limit comes from: stored, flag, key, policy:NAME, class:NAME, exempt ...", Shown::machine},
     [](const WindowRow& r) { return text_or_null(r.meaning.limit_source); },
     kFactsOfPolicy},
    {{"look", CellType::word, "LOOK", "how much was asked: light or full", Shown::wide},
     [](const WindowRow& r) -> Cell { return Word{name_of(r.look.depth)}; },
     kFactsOfLook},
    {{"read_at", CellType::wall_time, "READ AT", "our clock when the reply came", Shown::wide},
     [](const WindowRow& r) -> Cell { return r.read_at; },
     kFactsOfLook},
    {{"stored_used", CellType::bytes, "STORED USED", "the counter as stored", Shown::machine},
     [](const WindowRow& r) -> Cell {
         if (const auto& value = stored_used(r.look).value) return BytesView{*value};
         auto used = shown_used(r.look, r.window);
         return used ? Cell{output::Bytes{*std::move(used)}} : Cell{Null{}};
     },
     kFactsOfItsOwn},
    {{"stored_reset_at", CellType::bytes, "STORED RESET", "the expiry half as stored", Shown::machine},
     [](const WindowRow& r) { return stored(stored_reset(r.look)); },
     kFactsOfReset,
     true},
    {{"counter_type", CellType::text, "COUNTER TYPE", "type of the counter's key (full look)", Shown::machine},
     [](const WindowRow& r) -> Cell {
         const auto& type = first_key(r.look).type;
         return type ? Cell{TextView{*type}} : Cell{Null{}};
     },
     kFactsBeyondLight},
    {{"counter_ttl", CellType::duration_ms, "COUNTER TTL", "what is left of the counter's TTL (full look)",
      Shown::machine},
     [](const WindowRow& r) { return ttl(first_key(r.look)); },
     kFactsBeyondLight},
    {{"expiry_ttl", CellType::duration_ms, "EXPIRY TTL", "what is left of the expiry half's TTL (full look)",
      Shown::machine},
     [](const WindowRow& r) { return ttl(stored_reset(r.look)); },
     kFactsBeyondLight},
    {{"binding", CellType::boolean, "BINDING",
      "with --org: does this limit bind the client, of the two of its policy (with --path: of all that the request "
      "meets): used up, or the fewest requests left",
      Shown::machine},
     [](const WindowRow& r) { return or_null(r.binding); },
     kFactsBeyondLight},
    {{"error", CellType::text, "ERROR", "why the window is corrupt", Shown::machine}, fault, kFactsBeyondLight},
    {kLayoutColumn, [](const WindowRow& r) { return layout_cell(r.look); }, kFactsOfPolicy},
}};

constexpr std::array<std::string_view, 3> kFullLookColumns{"counter_type", "counter_ttl", "expiry_ttl"};

}  // namespace

std::span<const Field<WindowRow>> window_fields() { return kWindowFields; }

bool needs_full_look(std::string_view column) {
    return std::any_of(kFullLookColumns.begin(), kFullLookColumns.end(),
                       [&](std::string_view name) { return column.starts_with(name); });
}

Cell layout_cell(const domain::WindowLook& look) {
    return look.limiter != nullptr ? Cell{output::TextView{look.limiter->layout()}} : Cell{Null{}};
}

Cell distance_cell(support::Instant t, support::Moment now) {
    const support::Seconds distance = t - now;
    if (distance > kFarthest || distance < -kFarthest) return Null{};
    return support::Milliseconds{distance};
}

Word state_word(WindowState state) {
    switch (state) {
        case WindowState::open: return {name_of(state), Tone::good};
        case WindowState::exhausted: return {name_of(state), Tone::bad};
        case WindowState::absent:
        case WindowState::closed: return {name_of(state), Tone::dim};
        default: return {name_of(state), Tone::warning};
    }
}

std::optional<double> percent_of(const domain::Window& window) {
    if (!window.used || !window.limit || *window.limit <= 0) return std::nullopt;
    return support::percent_of(*window.used, *window.limit);
}

}  // namespace ratectl::commands
