// How far a sweep has come, in a line for people who wait.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "store/store.h"
#include "support/time.h"

namespace ratectl::commands {

/// The share of a server's keys that SCAN has passed, from 0 to 1: its cursors count upwards when their bits are read
/// backwards. 0 for a cursor that is not a number.
double passed_share(const store::ShardProgress& shard);

/// What users call the shard.
std::string swept_name(const store::ShardProgress& shard, const store::Directory& directory);

/// `[######    ] 62%, about 12s left, 12345 windows, 4000/s, 2 of 3 shards done`. `more` stands before the shards: `3
/// findings`.
std::string progress_line(std::span<const store::ShardProgress> shards, std::uint64_t windows,
                          support::Milliseconds passed, const std::string& more = {});

}  // namespace ratectl::commands
