// The warning about ring points that two shards share.
#include "commands/report/sharding_collisions.h"

#include <algorithm>

#include <fmt/format.h>

namespace ratectl::commands {
namespace {

std::string described(Context& context, const sharding::Collision& collision) {
    const auto& places = context.directory().places();
    return fmt::format("'{}' and '{}' share point {}", places[collision.first].name, places[collision.second].name,
                       collision.point_text);
}

void say(Context& context, std::span<const sharding::Collision> all, bool decided) {
    std::size_t count = 0;
    std::string first;
    for (const sharding::Collision& collision : all) {
        if (collision.decided != decided) continue;
        if (count++ == 0) first = described(context, collision);
    }
    if (count == 0) return;
    const std::string others = count == 1 ? "" : fmt::format(", and {} more", count - 1);
    if (decided) {
        context.messages().notice(fmt::format("two shards on one ring point: {}{}", first, others),
                                  "the library has a rule for it, and so has this answer");
    } else {
        context.messages().warning(
            fmt::format("two shards on one ring point: {}{}; the library leaves open which of them has its keys", first,
                        others),
            "a key whose point is one of them may be on the other shard");
    }
}

}  // namespace

void warn_of_open_collisions(Context& context, const sharding::ShardMap& map) { say(context, map.collisions(), false); }

void report_collisions(Context& context, const sharding::ShardMap& map) {
    warn_of_open_collisions(context, map);
    say(context, map.collisions(), true);
}

}  // namespace ratectl::commands
