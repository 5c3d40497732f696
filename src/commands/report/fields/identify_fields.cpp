// The one list of identify's columns; a sample shows other ones of them by default than named keys do.
#include "commands/report/fields/identify_fields.h"

#include <array>

namespace ratectl::commands {
namespace {

using output::Cell;
using output::CellType;
using output::Field;
using output::Null;
using output::Tone;
using output::Word;
using Shown = output::Column::Shown;
using Row = IdentifiedRow;

Cell system_word(const Row& row) {
    const bool is_known = row.origin.sureness.has_value();
    return Word{row.origin.system, is_known ? Tone::plain : Tone::dim};
}

Cell sureness_word(const Row& row) {
    if (!row.origin.sureness) return Null{};
    const auto tone = *row.origin.sureness == domain::Sureness::certain  ? Tone::good
                      : *row.origin.sureness == domain::Sureness::unsure ? Tone::warning
                                                                         : Tone::plain;
    return Word{domain::name_of(*row.origin.sureness), tone};
}

Cell of_policy(const Row& row, Cell (*get)(const domain::PolicyHint&)) {
    return row.origin.policy ? get(*row.origin.policy) : Cell{Null{}};
}

Cell of_node(const Row& row, Cell (*get)(const domain::Node&)) {
    return row.node != nullptr ? get(*row.node) : Cell{Null{}};
}

// clang-format off
const std::array<Field<Row>, 18> kIdentifiedFields{{
    {{"key", CellType::key, "KEY", "the key, as given; of a sample: one of those that are alike"}, [](const Row& r) -> Cell { return output::BytesView{r.key}; }},
    {{"system", CellType::word, "SYSTEM", "the limiter that wrote it, as `scheme` names it; unknown, or absent", Shown::table, 0, {}, true}, system_word},
    {{"sureness", CellType::word, "SURENESS", "certain, likely or unsure; null: unknown, or absent"}, sureness_word},
    {{"keys", CellType::integer, "KEYS", "of a sample: how many keys are alike", Shown::machine}, [](const Row& r) { return output::or_null(r.keys); }},
    {{"used", CellType::integer, "USED", "what is counted now, where it is whole"}, [](const Row& r) { return output::or_null(r.origin.used); }},
    {{"reset_at", CellType::time, "RESET", "when the window ends, or all is free again"}, [](const Row& r) { return output::or_null(r.origin.reset_at); }},
    {{"reset_kind", CellType::text, "RESET FROM", "where that comes from: stored, ttl, computed", Shown::wide}, [](const Row& r) { return output::text_or_null(r.origin.reset_kind); }},
    {{"means", CellType::text, "MEANING", "what it means now, in words"}, [](const Row& r) { return output::text_or_null(r.origin.means); }},
    {{"type", CellType::word, "TYPE", "what Redis calls the value", Shown::wide}, [](const Row& r) -> Cell { return r.held != nullptr ? Cell{Word{domain::name_of(r.held->type)}} : Cell{Null{}}; }},
    {{"ttl", CellType::duration_ms, "TTL", "time to live; null: none", Shown::wide}, [](const Row& r) -> Cell { return r.held != nullptr && r.held->ttl_ms ? Cell{support::Milliseconds{*r.held->ttl_ms}} : Cell{Null{}}; }},
    {{"shard", CellType::text, "SHARD", "the shard that has it", Shown::wide}, [](const Row& r) { return of_node(r, [](const domain::Node& node) -> Cell { return output::Text{node.shard}; }); }},
    {{"node", CellType::text, "NODE", "the server that was read", Shown::wide}, [](const Row& r) { return of_node(r, [](const domain::Node& node) -> Cell { return output::Text{node.name()}; }); }},
    {{"role", CellType::word, "ROLE", "what that server is", Shown::wide}, [](const Row& r) { return of_node(r, [](const domain::Node& node) -> Cell { return Word{domain::name_of(node.role)}; }); }},
    {{"stale", CellType::boolean, "STALE", "true: from a replica that had lost its primary", Shown::machine}, [](const Row& r) { return output::or_null(r.stale); }},
    {{"template", CellType::text, "TEMPLATE", "what a policy of such keys would call them", Shown::machine}, [](const Row& r) { return of_policy(r, [](const domain::PolicyHint& p) { return output::text_or_null(p.key); }); }},
    {{"limit", CellType::integer, "LIMIT", "the limit, where the key tells it", Shown::machine}, [](const Row& r) { return of_policy(r, [](const domain::PolicyHint& p) { return output::or_null(p.limit); }); }},
    {{"period", CellType::duration_s, "PERIOD", "the period, where the key tells it", Shown::machine}, [](const Row& r) { return of_policy(r, [](const domain::PolicyHint& p) -> Cell { return p.period ? Cell{support::Milliseconds{*p.period}} : Cell{Null{}}; }); }},
    {{"policy", CellType::text, "POLICY", "the policy's table for the configuration, in TOML", Shown::machine}, [](const Row& r) { return output::text_or_null(r.policy); }},
}};
// clang-format on

}  // namespace

std::span<const Field<Row>> identified_fields() { return kIdentifiedFields; }

}  // namespace ratectl::commands
