// Signs that an operation key may have disappeared before its time: counters of INFO that must stand still for "it is not there" to be an answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "redis/reply.h"
#include "redis/request.h"

namespace ratectl::store {

struct LossMarks {
    std::int64_t evicted_keys = 0;
    /// Calls of FLUSHALL, FLUSHDB, SWAPDB, and of what makes a primary take over another server's data.
    std::int64_t removals = 0;

    bool operator==(const LossMarks&) const = default;
};

/// Appends the commands; kLossMarkReplies replies come.
void ask_loss_marks(redis::Request& request);
inline constexpr std::size_t kLossMarkReplies = 2;
/// Null when the server would not say.
std::optional<LossMarks> read_loss_marks(std::span<const redis::Reply> replies);

/// What is not known counts as lost.
bool may_have_lost_keys(const std::optional<LossMarks>& before, const std::optional<LossMarks>& after);

}  // namespace ratectl::store
