// Ring points that two shards share: rare, and worth a word wherever somebody relies on where keys live.
#pragma once

#include "commands/context.h"
#include "sharding/shard_map.h"

namespace ratectl::commands {

/// A warning for points that the library decides by chance, a notice for those that it decides by a rule; nothing when there are none.
void warn_of_collisions(Context& context, const sharding::ShardMap& map);

}  // namespace ratectl::commands
