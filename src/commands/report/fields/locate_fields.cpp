// The one list of locate's columns; the first of them are there without --steps, too.
#include "commands/report/fields/locate_fields.h"

#include <array>

#include <fmt/format.h>

#include "commands/report/key_mask.h"
#include "output/formats/machine_text.h"
#include "support/digest.h"

namespace ratectl::commands {
namespace {

using output::BytesView;
using output::Cell;
using output::CellType;
using output::Field;
using output::Null;
using output::text_or_null;
using output::TextView;
using Shown = output::Column::Shown;

constexpr std::size_t kPlaceColumns = 9;

Cell known_text(const std::optional<std::string>& text) { return text ? Cell{TextView{*text}} : Cell{Null{}}; }

Cell number_or_null(const std::optional<std::size_t>& number) {
    return number ? Cell{static_cast<std::int64_t>(*number)} : Cell{Null{}};
}

/// A part of the key, or its fingerprint where the key is not shown.
Cell part_cell(const LocateRow& row, std::string_view part) {
    const bool masked = row.match && row.match->policy->masked;
    return masked ? Cell{output::Bytes{support::fingerprint(part)}} : Cell{BytesView{part}};
}

/// A cell of the steps, null where they were not asked for.
template <class Get>
Cell of_steps(const LocateRow& row, Get get) {
    return row.steps != nullptr ? get(*row.steps) : Cell{Null{}};
}

/// The name of a shard that the steps know by number.
Cell shard_name(const LocateRow& row, const std::optional<std::size_t>& shard) {
    return shard ? Cell{TextView{row.shards[*shard].name}} : Cell{Null{}};
}

using S = sharding::Steps;
using Beside = std::optional<sharding::Neighbour> S::*;

template <Beside Side>
Cell beside_point(const LocateRow& row) {
    return of_steps(row, [](const S& s) { return s.*Side ? Cell{TextView{(s.*Side)->point_text}} : Cell{Null{}}; });
}
template <Beside Side>
Cell beside_label(const LocateRow& row) {
    return of_steps(row, [](const S& s) { return s.*Side ? Cell{BytesView{(s.*Side)->label}} : Cell{Null{}}; });
}
template <Beside Side>
Cell beside_shard(const LocateRow& row) {
    return of_steps(
        row, [&row](const S& s) { return s.*Side ? Cell{TextView{row.shards[(s.*Side)->shard].name}} : Cell{Null{}}; });
}

Cell reset_key(const LocateRow& row) {
    return of_steps(row, [&row](const S&) -> Cell {
        const Cell key = key_cell(row.key, row.match);
        const auto part = row.limiter.reset_part();
        return part ? Cell{output::Bytes{row.limiter.part_key(*output::text_of(key), *part)}} : Cell{output::Null{}};
    });
}

// clang-format off
const std::array<Field<LocateRow>, 27> kLocateFields{{
    {{"key", CellType::key, "KEY", "the key, as given"}, [](const LocateRow& r) { return key_cell(r.key, r.match); }},
    {{"shard", CellType::text, "SHARD", "the shard that has the key"}, [](const LocateRow& r) { return text_or_null(r.shard.name); }},
    {{"node", CellType::text, "NODE", "the shard's primary; null: its address is not known, no node has the slot, or no server takes the key"}, [](const LocateRow& r) { return r.shard.node.empty() ? Cell{Null{}} : Cell{TextView{r.shard.node}}; }},
    {{"replicas", CellType::text, "REPLICAS", "the shard's replicas as configured; auto: the primary is asked"}, [](const LocateRow& r) { return text_or_null(r.shard.replicas); }},
    {{"policy", CellType::text, "POLICY", "the policy that matches the key"}, [](const LocateRow& r) { return r.match ? text_or_null(r.match->policy->name) : Cell{Null{}}; }},
    {{"client", CellType::bytes, "CLIENT", "the client in the key"}, [](const LocateRow& r) { return client_cell(r.match); }},
    {{"client_class", CellType::text, "CLASS", "the client's class", Shown::wide}, [](const LocateRow& r) { return r.match ? text_or_null(r.match->client_class) : Cell{Null{}}; }},
    {{"limit", CellType::integer, "LIMIT", "requests allowed in a window; null when unknown, or without end", Shown::wide}, [](const LocateRow& r) { return r.match ? output::or_null(r.match->limit) : Cell{Null{}}; }},
    {{"limit_source", CellType::text, "LIMIT FROM", "where the limit comes from: policy:NAME, class:NAME, exempt ...", Shown::machine}, [](const LocateRow& r) { return r.match ? text_or_null(r.match->limit_source) : Cell{Null{}}; }},
    {{"tag", CellType::bytes, "TAG", "the part of the key that is hashed; null: all of it"}, [](const LocateRow& r) { return of_steps(r, [&r](const S& s) { return s.tag_found ? part_cell(r, s.hashed) : Cell{Null{}}; }); }},
    {{"hash", CellType::text, "HASH", "the hash function"}, [](const LocateRow& r) { return of_steps(r, [](const S& s) -> Cell { return TextView{s.hash_name}; }); }},
    {{"hash_value", CellType::text, "HASH VALUE", "what it gave: decimal up to 64 bits, hexadecimal above"}, [](const LocateRow& r) { return of_steps(r, [](const S& s) -> Cell { return TextView{s.hash_text}; }); }},
    {{"point", CellType::text, "POINT", "the point of the ring that was hit"}, [](const LocateRow& r) { return of_steps(r, [](const S& s) { return known_text(s.point_text); }); }},
    {{"label", CellType::bytes, "LABEL", "the label that this point, or the server's score, comes from"}, [](const LocateRow& r) { return of_steps(r, [](const S& s) { return s.point_label ? Cell{BytesView{*s.point_label}} : Cell{Null{}}; }); }},
    {{"bucket", CellType::integer, "BUCKET", "without a ring: the bucket or slot, from 0"}, [](const LocateRow& r) { return of_steps(r, [](const S& s) { return number_or_null(s.bucket); }); }},
    {{"buckets", CellType::integer, "BUCKETS", "without a ring: how many buckets there are", Shown::wide}, [](const LocateRow& r) { return of_steps(r, [](const S& s) { return number_or_null(s.bucket_count); }); }},
    {{"runner_up", CellType::text, "RUNNER-UP", "the shard that would have the key without this one"}, [](const LocateRow& r) { return of_steps(r, [&r](const S& s) { return shard_name(r, s.runner_up); }); }},
    {{"expiry_key", CellType::key, "EXPIRY HALF", "the window's other key: on memcached it is hashed by itself, else both live where the first one does", Shown::machine}, reset_key},
    {{"hashed", CellType::bytes, "HASHED", "the bytes that were hashed: the tag, or the key without a stripped prefix", Shown::machine}, [](const LocateRow& r) { return of_steps(r, [&r](const S& s) { return part_cell(r, s.hashed); }); }},
    {{"before_point", CellType::text, "POINT BEFORE", "the ring's next lower point", Shown::machine}, beside_point<&S::before>},
    {{"before_label", CellType::bytes, "LABEL BEFORE", "the label it comes from", Shown::machine}, beside_label<&S::before>},
    {{"before_shard", CellType::text, "SHARD BEFORE", "the shard that has it", Shown::machine}, beside_shard<&S::before>},
    {{"after_point", CellType::text, "POINT AFTER", "the ring's next higher point", Shown::machine}, beside_point<&S::after>},
    {{"after_label", CellType::bytes, "LABEL AFTER", "the label it comes from", Shown::machine}, beside_label<&S::after>},
    {{"after_shard", CellType::text, "SHARD AFTER", "the shard that has it", Shown::machine}, beside_shard<&S::after>},
    {{"shared_with", CellType::text, "SHARED WITH", "another shard on the very point that was hit", Shown::machine}, [](const LocateRow& r) { return of_steps(r, [&r](const S& s) { return shard_name(r, s.rival); }); }},
    {{"slot_state", CellType::text, "SLOT STATE", "of a Redis Cluster: settled, where the slot is on its way, or that no node has it", Shown::machine}, [](const LocateRow& r) { return r.slot_state.empty() ? Cell{Null{}} : Cell{TextView{r.slot_state}}; }},
}};
// clang-format on

}  // namespace

LocatedShard::LocatedShard(const domain::Shard& shard) : name(shard.name) {
    if (!name.empty() && !shard.primary.is_to_be_told()) node = shard.primary.address();
    if (shard.discover_replicas) replicas = "auto";
    for (const domain::Endpoint& replica : shard.replicas)
        replicas += (replicas.empty() ? "" : ", ") + replica.address();
}

std::span<const Field<LocateRow>> place_fields() { return std::span(kLocateFields).first(kPlaceColumns); }

std::span<const Field<LocateRow>> step_fields() { return kLocateFields; }

}  // namespace ratectl::commands
