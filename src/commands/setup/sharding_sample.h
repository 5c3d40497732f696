// A sample of the windows that are really on each shard: what sharding rules are proved with.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "commands/context.h"
#include "commands/outcome.h"
#include "domain/node.h"
#include "sharding/guess.h"

namespace ratectl::commands {

/// One shard's part.
struct ShardSample {
    std::size_t shard = 0;
    std::optional<domain::Node> node;  // that was read
    std::vector<std::string> keys;
    bool complete = false;  // every window of the shard is among the keys
};

struct Sample {
    std::vector<ShardSample> shards;  // one for each shard of the deployment
    Outcome outcome;                  // so far: what could not be read

    std::size_t size() const;
    /// Views of the keys: the sample outlives them.
    std::vector<sharding::Sighting> sightings() const;
};

/// `--sample N`: windows a shard; unset: 2,000. Throws Failure (usage).
std::size_t sample_size(const std::optional<std::string>& text);

/// The first pages of a SCAN of each shard, all shards at once, from where sweeps read. SCAN walks the server's hash
/// table, so that the first pages are spread over all keys whatever they are called. Only whole windows count, and
/// halves of which a policy knows the key. What failed is said on standard error and listed.
Sample take_sample(std::size_t per_shard, Context& context);

}  // namespace ratectl::commands
