// The columns of a sharding preset, in words: what it is for first, the engine's rules after.
#include "commands/report/fields/preset_fields.h"

#include <array>
#include <string>

#include <fmt/format.h>

#include "sharding/options.h"

namespace ratectl::commands {
namespace {

using output::Cell;
using output::CellType;
using output::Field;
using output::Null;
using output::TextView;
using sharding::Lookup;
using sharding::Preset;
using Shown = output::Column::Shown;

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
        case Lookup::at_or_after:
            return "first point at or after the hash, else the first";
        case Lookup::after:
            return "first point after the hash, else the first";
        case Lookup::after_or_last:
            return "first point after the hash, else the last";
        case Lookup::at_or_before:
            return "last point at or before the hash, else the last";
        case Lookup::last_probe:
            return "where the library's binary search stops";
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
        case sharding::Collisions::last_added:
            return TextView{"the later server's"};
        case sharding::Collisions::first_added:
            return TextView{"the earlier server's"};
        case sharding::Collisions::undefined:
            break;
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

std::span<const Field<Preset>> preset_fields() { return kPresetFields; }

}  // namespace ratectl::commands
