// The columns of sharding verify (a verified shard a row) and sharding guess (a guess a row).
#include "commands/report/fields/sharding_fields.h"

#include <fmt/format.h>

#include "sharding/options.h"
#include "support/percent.h"

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
    {{"shard", CellType::text, "SHARD", "the shard"}, [](const V& v) -> Cell { return TextView{v.shard->name}; }},
    {{"node", CellType::text, "NODE", "the node that was read; null: none could be", Shown::table, 1}, [](const V& v) -> Cell { return v.node ? Cell{Text{v.node->name()}} : Cell{Null{}}; }},
    {{"sampled", CellType::integer, "SAMPLED", "windows found there and looked at"}, [](const V& v) { return count(v.sampled); }},
    {{"in_place", CellType::integer, "IN PLACE", "those that the configured rule puts there"}, [](const V& v) { return count(v.in_place); }},
    {{"misplaced", CellType::integer, "MISPLACED", "those that it puts on another shard"}, [](const V& v) { return count(v.sampled - v.in_place); }},
    {{"in_place_percent", CellType::percent, "%", "the share of those in place; null: nothing was found"}, [](const V& v) { return percent(v.in_place, v.sampled); }},
    {{"complete", CellType::boolean, "COMPLETE", "whether these are all windows of the shard", Shown::wide}, [](const V& v) -> Cell { return v.complete; }},
    {{"stray", CellType::key, "STRAY", "a misplaced key"}, [](const V& v) -> Cell { return v.stray ? Cell{BytesView{*v.stray}} : Cell{Null{}}; }},
    {{"belongs_on", CellType::text, "BELONGS ON", "the shard that the rule names for it"}, [](const V& v) { return text_unless_empty(v.stray_belongs_on); }},
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

}  // namespace

std::optional<double> share_of(std::size_t part, std::size_t whole) {
    return support::percent_of(static_cast<std::int64_t>(part), static_cast<std::int64_t>(whole));
}

std::span<const Field<VerifiedShard>> verified_shard_fields() { return kVerified; }
std::span<const Field<RankedGuess>> ranked_guess_fields() { return kRanked; }

}  // namespace ratectl::commands
