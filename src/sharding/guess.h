// Which preset explains where keys really are: every preset, hash, tag rule, spelling of the servers and order, tried
// on a sample.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sharding/shard_map.h"

namespace ratectl::sharding {

/// A key and the shard it was found on.
struct Sighting {
    std::string_view key;
    std::size_t shard = 0;
};

/// One way to place keys, and how well it explains the sample.
struct Guess {
    Options options;
    std::string spelling;             // how servers are called, where it is not as configured; for people
    std::vector<std::string> labels;  // then: the label of each server, in the order of the configuration
    bool weights_ignored = false;     // the configuration has weights, and this preset knows none
    std::size_t in_place = 0;
    std::vector<std::string> same;  // other presets and options that place every key of the sample as this one does
};

struct Ranking {
    std::vector<Guess> guesses;   // best first; no two place the sample alike
    std::size_t tried = 0;        // combinations
    std::size_t evidence = 0;     // keys that the first explains and the second does not
    bool decided = false;         // the first explains most of the sample, and there is evidence enough
    std::vector<Server> servers;  // those of the configuration, as the first one spells them
};

/// `most` guesses at best. Of ways that place the sample alike the nearest to the configuration leads, then the first
/// in the table of presets.
Ranking guess(std::span<const Server> servers, std::span<const Sighting> sample, std::size_t most = 10);

}  // namespace ratectl::sharding
