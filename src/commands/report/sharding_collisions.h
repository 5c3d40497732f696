// Ring points that two shards share: rare, and worth a word wherever a command relies on where keys live.
#pragma once

#include "commands/context.h"
#include "sharding/shard_map.h"

namespace ratectl::commands {

/// A warning for points that the library decides by chance; nothing when there are none.
void warn_of_open_collisions(Context& context, const sharding::ShardMap& map);
/// The same, and a notice for points that it decides by a rule.
void report_collisions(Context& context, const sharding::ShardMap& map);

}  // namespace ratectl::commands
