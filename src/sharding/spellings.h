// How an application may have spelled its servers, as far as the configuration lets one guess.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sharding/shard_map.h"

namespace ratectl::sharding {

/// The servers under other names, and what was done to them.
struct Spelling {
    std::string about;  // empty: as configured
    std::vector<Server> servers;
};

/// As configured first; then addresses, names and URLs as labels, localhost for 127.0.0.1 and the other way round, and
/// usual series of names.
std::vector<Spelling> spellings(std::span<const Server> servers);

}  // namespace ratectl::sharding
