// Signs that an operation key may have disappeared before its time: counters of INFO that must stand still for "it is
// not there" to be an answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "domain/node.h"
#include "redis/reply.h"
#include "redis/request.h"
#include "store/nodes/info_text.h"

namespace ratectl::store {

struct EvictionMarks {
    std::int64_t evicted_keys = 0;
    /// Calls of FLUSHALL, FLUSHDB, SWAPDB, of what makes a primary take over another server's data, and of CONFIG
    /// RESETSTAT.
    std::int64_t removals = 0;
    /// Calls of DEL, UNLINK and whatever else takes single keys away. Applications have their own reasons for them.
    std::int64_t deletions = 0;
    /// Of all kinds of command; fewer of one than before: the counters were reset.
    CallCounts calls = {};
    /// Whose counters these are: a server that goes on with this history has its keys, but counts anew.
    domain::History history = {};
};

/// Appends the commands; kEvictionMarkReplies replies come.
void ask_eviction_marks(redis::Request& request);
inline constexpr std::size_t kEvictionMarkReplies = 3;
/// Null when the server would not say.
std::optional<EvictionMarks> read_eviction_marks(std::span<const redis::Reply> replies);

/// What is not known counts as lost.
bool may_have_lost_keys(const std::optional<EvictionMarks>& before, const std::optional<EvictionMarks>& after);
/// Single keys may have been taken away; perhaps none of ours. Both are known.
bool may_have_deleted_keys(const EvictionMarks& before, const EvictionMarks& after);

}  // namespace ratectl::store
