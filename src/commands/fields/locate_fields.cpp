// The one list of locate's columns; the first of them need no steps.
#include "commands/fields/locate_fields.h"

#include <array>

#include <fmt/format.h>

namespace ratectl::commands {
namespace {

using output::BytesView;
using output::Cell;
using output::CellType;
using output::Field;
using output::Null;
using output::TextView;
using Shown = output::Column::Shown;

constexpr std::size_t kPlaceColumns = 7;

Cell text_or_null(std::string_view text) { return text.empty() ? Cell{Null{}} : Cell{TextView{text}}; }

Cell known_text(const std::optional<std::string>& text) { return text ? Cell{TextView{*text}} : Cell{Null{}}; }

Cell number_or_null(const std::optional<std::size_t>& number) {
    return number ? Cell{static_cast<std::int64_t>(*number)} : Cell{Null{}};
}

Cell replicas(const LocateRow& row) {
    const domain::Shard& shard = row.shard.shard;
    if (shard.discover_replicas) return TextView{"auto"};
    if (shard.replicas.empty()) return Null{};
    std::string text;
    for (const domain::Endpoint& replica : shard.replicas) text += (text.empty() ? "" : ", ") + replica.address();
    return output::Text{std::move(text)};
}

Cell client(const LocateRow& row) {
    return row.match && !row.match->client.empty() ? Cell{BytesView{row.match->client}} : Cell{Null{}};
}

/// A cell of the steps, null where nobody asked for them.
template <class Get>
Cell of_steps(const LocateRow& row, Get get) {
    return row.steps != nullptr ? get(*row.steps) : Cell{Null{}};
}

using R = LocateRow;
using S = sharding::Steps;

// clang-format off
const std::array<Field<LocateRow>, 15> kFields{{
    {{"key", CellType::key, "KEY", "the key, as given"}, [](const R& r) -> Cell { return BytesView{r.key}; }},
    {{"shard", CellType::text, "SHARD", "the shard that has the key"}, [](const R& r) { return text_or_null(r.shard.shard.name); }},
    {{"node", CellType::text, "NODE", "the shard's primary"}, [](const R& r) -> Cell { return output::Text{r.shard.shard.primary.address()}; }},
    {{"replicas", CellType::text, "REPLICAS", "the shard's replicas as configured; auto: the primary is asked"}, replicas},
    {{"policy", CellType::text, "POLICY", "the policy that matches the key"}, [](const R& r) { return r.match ? text_or_null(r.match->policy->name) : Cell{Null{}}; }},
    {{"client", CellType::bytes, "CLIENT", "the client in the key"}, client},
    {{"client_class", CellType::text, "CLASS", "the client's class", Shown::wide}, [](const R& r) { return r.match ? text_or_null(r.match->client_class) : Cell{Null{}}; }},
    {{"tag", CellType::bytes, "TAG", "the part of the key that is hashed; null: all of it"}, [](const R& r) { return of_steps(r, [](const S& s) { return s.tag_found ? Cell{BytesView{s.hashed}} : Cell{Null{}}; }); }},
    {{"hash", CellType::text, "HASH", "the hash function"}, [](const R& r) { return of_steps(r, [](const S& s) -> Cell { return TextView{s.hash_name}; }); }},
    {{"hash_value", CellType::text, "HASH VALUE", "what it gave: decimal up to 64 bits, hexadecimal above"}, [](const R& r) { return of_steps(r, [](const S& s) -> Cell { return TextView{s.hash_text}; }); }},
    {{"point", CellType::text, "POINT", "the point of the ring that was hit"}, [](const R& r) { return of_steps(r, [](const S& s) { return known_text(s.point_text); }); }},
    {{"label", CellType::bytes, "LABEL", "the label that this point, or the server's score, comes from"}, [](const R& r) { return of_steps(r, [](const S& s) { return s.point_label ? Cell{BytesView{*s.point_label}} : Cell{Null{}}; }); }},
    {{"bucket", CellType::integer, "BUCKET", "without a ring: the bucket, from 0"}, [](const R& r) { return of_steps(r, [](const S& s) { return number_or_null(s.bucket); }); }},
    {{"buckets", CellType::integer, "BUCKETS", "without a ring: how many buckets there are", Shown::wide}, [](const R& r) { return of_steps(r, [](const S& s) { return number_or_null(s.bucket_count); }); }},
    {{"runner_up", CellType::text, "RUNNER-UP", "the shard that would have the key without this one"}, [](const R& r) { return text_or_null(r.runner_up); }},
}};
// clang-format on

}  // namespace

std::span<const Field<LocateRow>> place_fields() { return std::span(kFields).first(kPlaceColumns); }

std::span<const Field<LocateRow>> step_fields() { return kFields; }

}  // namespace ratectl::commands
