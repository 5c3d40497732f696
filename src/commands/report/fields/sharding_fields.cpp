// The columns of sharding verify (a verified shard a row) and sharding guess (a guess a row).
#include "commands/report/fields/sharding_fields.h"

#include <array>
#include <string>

#include <fmt/format.h>

#include "sharding/options.h"
#include "support/number_text.h"

namespace ratectl::commands {
namespace {

using output::BytesView;
using output::Cell;
using output::CellType;
using output::Field;
using output::Null;
using output::Text;
using output::TextView;
using Shown = output::Column::Shown;

using V = VerifiedShard;
using G = RankedGuess;

Cell count(std::size_t number) { return static_cast<std::int64_t>(number); }

Cell percent(std::size_t part, std::size_t whole) {
    const auto share = share_of(part, whole);
    return share ? Cell{*share} : Cell{Null{}};
}

Cell text_unless_empty(std::string text) { return text.empty() ? Cell{Null{}} : Cell{Text{std::move(text)}}; }

/// The options beside the preset: hash=md5,key_tag={}.
Cell options(const G& g) {
    const std::string text = sharding::text_of(g.guess->options);
    const auto comma = text.find(',');
    return comma == std::string::npos ? Cell{Null{}} : Cell{Text{text.substr(comma + 1)}};
}

// clang-format off
const Field<VerifiedShard> kVerified[] = {
    {{"shard", CellType::text, "SHARD", "the shard"}, [](const V& v) -> Cell { return TextView{v.shard}; }},
    {{"node", CellType::text, "NODE", "the node that was read; null: none could be", Shown::table, 1}, [](const V& v) -> Cell { return v.node ? Cell{Text{v.node->name()}} : Cell{Null{}}; }},
    {{"sampled", CellType::integer, "SAMPLED", "windows found there and looked at"}, [](const V& v) { return count(v.sampled); }},
    {{"in_place", CellType::integer, "IN PLACE", "those that the configured rule puts there"}, [](const V& v) { return count(v.in_place); }},
    {{"misplaced", CellType::integer, "MISPLACED", "those that it puts on another shard"}, [](const V& v) { return count(v.sampled - v.in_place); }},
    {{"in_place_percent", CellType::percent, "%", "the share of those in place; null: nothing was found"}, [](const V& v) { return percent(v.in_place, v.sampled); }},
    {{"complete", CellType::boolean, "COMPLETE", "whether these are all windows of the shard", Shown::wide}, [](const V& v) -> Cell { return v.complete; }},
    {{"stray", CellType::key, "STRAY", "a misplaced key"}, [](const V& v) -> Cell { return v.stray ? Cell{BytesView{*v.stray}} : Cell{Null{}}; }},
    {{"belongs_on", CellType::text, "BELONGS ON", "the shard that the rule names for it"}, [](const V& v) { return text_unless_empty(v.stray_belongs_on); }},
    {{"stranded", CellType::integer, "STRANDED", "of a Redis Cluster: windows there, sampled or not, that no client is led to, because the node does not have their slot; null: no cluster, or it did not tell", Shown::wide}, [](const V& v) { return v.stranded ? count(*v.stranded) : Cell{Null{}}; }},
};

const Field<RankedGuess> kRanked[] = {
    {{"rank", CellType::integer, "RANK", "from 1, the best"}, [](const G& g) { return count(g.rank); }},
    {{"preset", CellType::text, "PRESET", "the preset"}, [](const G& g) -> Cell { return TextView{g.guess->options.preset}; }},
    {{"options", CellType::text, "OPTIONS", "what it has to be told beside its name"}, options},
    {{"servers", CellType::text, "SERVERS", "how the application spells its servers, where not as configured"}, [](const G& g) { return text_unless_empty(g.guess->spelling); }},
    {{"in_place", CellType::integer, "IN PLACE", "sampled keys that are where this puts them"}, [](const G& g) { return count(g.guess->in_place); }},
    {{"in_place_percent", CellType::percent, "%", "their share"}, [](const G& g) { return percent(g.guess->in_place, g.sampled); }},
    {{"evidence", CellType::integer, "EVIDENCE", "keys that the first explains and the second does not", Shown::wide}, [](const G& g) { return g.evidence ? count(*g.evidence) : Cell{Null{}}; }},
    {{"sampled", CellType::integer, "SAMPLED", "keys in the sample", Shown::wide}, [](const G& g) { return count(g.sampled); }},
    {{"same", CellType::text, "SAME", "what else puts every sampled key on the same shard", Shown::wide}, [](const G& g) { return text_unless_empty(fmt::format("{}", fmt::join(g.guess->same, "; "))); }},
};
// clang-format on

using sharding::Lookup;
using sharding::Preset;

Cell hashes(const Preset& preset) {
    std::string names;
    for (const auto& hash : preset.hashes) names += (names.empty() ? "" : ", ") + std::string(hash.name);
    return output::Text{std::move(names)};
}

Cell default_hash(const Preset& preset) {
    return TextView{preset.default_hash.empty() ? preset.hashes.front().name : preset.default_hash};
}

std::string_view lookup_text(Lookup lookup) {
    switch (lookup) {
        case Lookup::at_or_after: return "first point at or after the hash, else the first";
        case Lookup::after: return "first point after the hash, else the first";
        case Lookup::after_or_last: return "first point after the hash, else the last";
        case Lookup::at_or_before: return "last point at or before the hash, else the last";
        case Lookup::last_probe: return "where the library's binary search stops";
    }
    return {};
}

Cell rule(const Preset& preset) {
    if (preset.ring) return TextView{lookup_text(preset.ring->lookup)};
    if (preset.rendezvous) return TextView{"the server with the highest score"};
    if (preset.buckets->slots != 0) return TextView{"a slot, and the server that has it"};
    return TextView{preset.buckets->maglev ? "a bucket of the maglev table" : "a bucket by the hash"};
}

Cell points(const Preset& preset) {
    return preset.ring ? Cell{std::int64_t{preset.ring->points} * (preset.ring->four_points ? 4 : 1)} : Cell{Null{}};
}

Cell first_label(const Preset& preset) {
    if (!preset.ring) return Null{};
    std::string label;
    preset.ring->label(label, "NODE", 1, 0);
    return output::Text{std::move(label)};
}

Cell collisions(const Preset& preset) {
    if (!preset.ring) return Null{};
    switch (preset.ring->collisions) {
        case sharding::Collisions::last_added: return TextView{"the later server's"};
        case sharding::Collisions::first_added: return TextView{"the earlier server's"};
        case sharding::Collisions::undefined: break;
    }
    return TextView{"open: the library's sort decides"};
}

// clang-format off
const std::array<Field<Preset>, 13> kPresetFields{{
    {{"preset", CellType::text, "PRESET", "the name for --sharding and the configuration"}, [](const Preset& p) -> Cell { return TextView{p.name}; }},
    {{"about", CellType::text, "LIBRARY", "whose rule it is"}, [](const Preset& p) -> Cell { return TextView{p.about}; }},
    {{"labels", CellType::text, "SERVERS ARE KNOWN BY", "what identifies a server to it; label = overrides it", Shown::wide}, [](const Preset& p) -> Cell { return TextView{p.labels_are}; }},
    {{"hash", CellType::text, "HASH", "the key's hash when the configuration names none", Shown::wide}, default_hash},
    {{"hashes", CellType::text, "HASHES", "the hashes it can be told to use", Shown::machine}, hashes},
    {{"key_tag", CellType::text, "KEY TAG", "its rule for key tags; key_tag = overrides it", Shown::wide}, [](const Preset& p) -> Cell { return output::Text{describe(sharding::KeyTag{p.tag})}; }},
    {{"weights", CellType::boolean, "WEIGHTS", "whether servers may have weights", Shown::wide}, [](const Preset& p) -> Cell { return p.weights; }},
    {{"points", CellType::integer, "POINTS", "points of a server on the ring, as a rule; null without a ring", Shown::machine}, points},
    {{"rule", CellType::text, "RULE", "where a hash goes", Shown::machine}, rule},
    {{"label", CellType::text, "LABEL", "the first label of server NODE that is hashed for the ring; null without a ring", Shown::machine}, first_label},
    {{"order", CellType::text, "ORDER", "the order in which it takes the servers", Shown::machine}, [](const Preset& p) -> Cell { return TextView{name_of(p.order)}; }},
    {{"collisions", CellType::text, "COLLISIONS", "whose a ring point is that two servers have", Shown::machine}, collisions},
    {{"options", CellType::text, "OPTIONS", "what the configuration may say beside its name", Shown::wide}, [](const Preset& p) -> Cell { return output::Text{fmt::format("{}", fmt::join(sharding::options_of(p), ", "))}; }},
}};
// clang-format on

}  // namespace

std::optional<double> share_of(std::size_t part, std::size_t whole) {
    return support::percent_of(static_cast<std::int64_t>(part), static_cast<std::int64_t>(whole));
}

std::span<const Field<VerifiedShard>> verified_shard_fields() { return kVerified; }
std::span<const Field<RankedGuess>> ranked_guess_fields() { return kRanked; }

std::span<const Field<Preset>> preset_fields() { return kPresetFields; }

}  // namespace ratectl::commands
