// The columns of compare, one getter each; of a node that gave no answer most are null.
#include "commands/look/compare_fields.h"

#include <array>

#include "commands/report/fields/window_fields.h"
#include "domain/diagnosis/difference_causes.h"
#include "domain/diagnosis/look_difference.h"

namespace ratectl::commands {
namespace {

using domain::NodeFacts;
using output::BytesView;
using output::Cell;
using output::CellType;
using output::Field;
using output::Null;
using output::or_null;
using output::text_or_null;
using output::Tone;
using output::Word;
using Part = const domain::StoredKey& (*)(const domain::WindowLook&);
using Shown = output::Column::Shown;

template <Part Which>
Cell stored(const CompareRow& row) {
    return row.look != nullptr && Which(*row.look).value ? Cell{BytesView{*Which(*row.look).value}} : Cell{Null{}};
}

template <Part Which>
Cell expires(const CompareRow& row) {
    if (row.look == nullptr) return Null{};
    const auto moment = domain::expires_at(Which(*row.look), row.view.read_at, domain::facts_of(row.view));
    return moment ? Cell{support::WallTime{support::Milliseconds{moment->at_ms}}} : Cell{Null{}};
}

template <Part Which>
Cell ttl(const CompareRow& row) {
    if (row.look == nullptr) return Null{};
    const auto& ms = Which(*row.look).ttl_ms;
    return ms && *ms >= 0 ? Cell{support::Milliseconds{*ms}} : Cell{Null{}};
}

/// No node of the Redis Cluster has the key's slot.
bool is_nowhere(const CompareRow& row) { return row.view.node.shard.empty(); }

Cell role(const CompareRow& row) {
    if (!row.view.facts && !row.view.look) return Null{};
    const auto acting = domain::acting_role(row.view);
    return Word{domain::name_of(acting), acting == row.view.node.role ? Tone::plain : Tone::bad};
}

Cell link(const CompareRow& row) {
    if (domain::acting_role(row.view) == domain::Role::primary || (!row.view.facts && !row.view.look)) return Null{};
    return domain::is_link_down(row.view) ? Word{"down", Tone::bad} : Word{"up", Tone::good};
}

Cell link_down(const CompareRow& row) {
    const NodeFacts* facts = domain::facts_of(row.view);
    if (facts == nullptr || !facts->link_down_for) return Null{};
    return support::Milliseconds{*facts->link_down_for};
}

Cell clock_doubt(const CompareRow& row) {
    const auto server = domain::server_time(row.view.read_at, domain::facts_of(row.view));
    return server ? Cell{server->doubt} : Cell{Null{}};
}

Cell cause(const CompareRow& row) {
    const auto what = row.difference.cause;
    if (what == domain::Cause::none) return Null{};
    return Word{domain::name_of(what), row.difference.differs == false ? Tone::warning : Tone::bad};
}

const std::array<Field<CompareRow>, 32> kCompareFields{{
    {{"key", CellType::key, "KEY", "the key of the counter"},
     [](const CompareRow& r) -> Cell { return BytesView{r.window.key}; }},
    {{"shard", CellType::text, "SHARD", "the shard of the node", Shown::wide},
     [](const CompareRow& r) { return text_or_null(r.view.node.shard); }},
    {{"node", CellType::text, "NODE", "the server that was read"},
     [](const CompareRow& r) { return is_nowhere(r) ? Cell{Null{}} : Cell{output::Text{r.view.node.name()}}; }},
    {{"role", CellType::word, "ROLE", "primary or replica, as the server sees itself", Shown::table, 1}, role},
    {{"configured_role", CellType::word, "CONFIGURED",
      "primary or replica, as the configuration, the sentinels or the nodes of a Redis Cluster have it",
      Shown::machine},
     [](const CompareRow& r) { return is_nowhere(r) ? Cell{Null{}} : Cell{Word{domain::name_of(r.view.node.role)}}; }},
    {{"counts", CellType::boolean, "COUNTS", "whether this is the node that the others are compared with", Shown::wide},
     [](const CompareRow& r) -> Cell { return r.counts; }},
    {{"look", CellType::word, "LOOK", "full: plain reads; script: through Lua, where that shows something else",
      Shown::wide},
     [](const CompareRow& r) -> Cell { return Word{r.is_script ? "script" : "full"}; }},
    {{"state", CellType::word, "STATE", "what the window is at this second; null: the node gave no answer"},
     [](const CompareRow& r) -> Cell { return r.look != nullptr ? Cell{state_word(r.judged.state)} : Cell{Null{}}; }},
    {{"used", CellType::integer, "USED", "requests counted in this window"},
     [](const CompareRow& r) { return or_null(r.judged.used); }},
    {{"limit", CellType::integer, "LIMIT", "requests allowed in a window; null when unknown", Shown::wide},
     [](const CompareRow& r) { return or_null(r.window.limit); }},
    {{"remaining", CellType::integer, "REMAINING", "requests left; null when the limit is unknown", Shown::wide},
     [](const CompareRow& r) { return or_null(r.judged.remaining); }},
    {{"reset_at", CellType::time, "RESET AT", "the second at which the window ends"},
     [](const CompareRow& r) { return or_null(r.judged.reset_at); }},
    {{"used_delta", CellType::integer, "DELTA", "used here less used on the node that counts", Shown::wide},
     [](const CompareRow& r) { return or_null(r.difference.used_delta); }},
    {{"differs", CellType::boolean, "DIFFERS",
      "whether it shows something else than the node that counts; null: it gave no answer", Shown::wide},
     [](const CompareRow& r) { return or_null(r.difference.differs); }},
    {{"cause", CellType::word, "CAUSE",
      "why it differs, or what could soon make it differ: lag, cut-off, clock, missing-ttl, masked-expiry, "
      "two-primaries, wrong-role, changing, unreachable, moving, ownerless-slot, bad-key, misplaced, unknown"},
     cause},
    {{"link", CellType::word, "LINK", "a replica's link to its primary: up or down", Shown::wide}, link},
    {{"link_down", CellType::duration_s, "LINK DOWN", "for how long that link has been down", Shown::machine},
     link_down},
    {{"lag_bytes", CellType::integer, "LAG", "bytes that a replica is behind the node that counts", Shown::wide},
     [](const CompareRow& r) { return or_null(r.difference.lag_bytes); }},
    {{"clock_skew", CellType::duration_ms, "SKEW", "the server's clock less ours", Shown::wide},
     [](const CompareRow& r) -> Cell { return r.view.facts ? or_null(r.view.facts->clock_skew) : Cell{Null{}}; }},
    {{"detail", CellType::bytes, "DETAIL", "the same in words and figures", Shown::wide},
     [](const CompareRow& r) -> Cell {
         return r.difference.detail.empty() ? Cell{Null{}} : Cell{BytesView{r.difference.detail}};
     }},
    {{"clock_doubt", CellType::duration_ms, "WITHIN", "how wrong that can be: the round trip bounds it",
      Shown::machine},
     clock_doubt},
    {{"counter_expires_at", CellType::wall_time, "COUNTER EXPIRES", "when the counter expires, by the server's clock",
      Shown::machine},
     expires<domain::first_key>},
    {{"expiry_expires_at", CellType::wall_time, "EXPIRY EXPIRES", "when the expiry half expires, by the server's clock",
      Shown::machine},
     expires<domain::stored_reset>},
    {{"counter_ttl", CellType::duration_ms, "COUNTER TTL", "what is left of the counter's TTL", Shown::machine},
     ttl<domain::first_key>},
    {{"expiry_ttl", CellType::duration_ms, "EXPIRY TTL", "what is left of the expiry half's TTL", Shown::machine},
     ttl<domain::stored_reset>},
    {{"stored_used", CellType::bytes, "STORED USED", "the counter as stored", Shown::machine},
     stored<domain::stored_used>},
    {{"stored_reset_at", CellType::bytes, "STORED RESET", "the expiry half as stored", Shown::machine},
     stored<domain::stored_reset>},
    {{"looks", CellType::integer, "LOOKS", "how often it was looked at: again where nodes differed", Shown::machine},
     [](const CompareRow& r) -> Cell {
         return static_cast<std::int64_t>(r.view.earlier.size()) + (r.view.look ? 1 : 0);
     }},
    {{"read_at", CellType::wall_time, "READ AT", "our clock when the reply came", Shown::machine},
     [](const CompareRow& r) -> Cell { return r.look != nullptr ? Cell{r.view.read_at} : Cell{Null{}}; }},
    {{"deployment", CellType::text, "DEPLOYMENT", "the deployment of the configuration", Shown::machine},
     [](const CompareRow& r) { return text_or_null(r.deployment); }},
    {{"error", CellType::bytes, "ERROR", "why the node gave no answer", Shown::machine},
     [](const CompareRow& r) -> Cell {
         return r.view.look ? Cell{Null{}} : Cell{BytesView{r.view.look.error().message}};
     }},
    {kLayoutColumn, [](const CompareRow& r) { return r.look != nullptr ? layout_cell(*r.look) : Cell{Null{}}; }},
}};

}  // namespace

std::span<const Field<CompareRow>> compare_fields() { return kCompareFields; }

}  // namespace ratectl::commands
