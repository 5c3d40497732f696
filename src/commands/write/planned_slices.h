// Cuts the planned keys of a command into script calls, the same way every time: that is what makes a repeated command
// harmless.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "commands/write/planned_keys.h"
#include "domain/limiter.h"
#include "store/writes/slices.h"

namespace ratectl::commands {

/// How many planned keys are cut into slices at a time, in the end. A repeated operation finds its slices only if it is
/// cut at the same places.
inline constexpr std::size_t kChunk = 5000;

/// How many the chunk of this number (from 0) has, where `usual` is the number in the end: the first are small, so that
/// the servers are not idle until 5,000 keys are planned and recorded.
std::size_t chunk_size(std::size_t number, std::size_t usual);

/// One script call as it is planned: keys of one shard, whether they will be sent or not.
struct PlannedSlice {
    std::uint64_t number = 1;
    std::string fingerprint;
    std::size_t shard = 0;
    std::vector<std::size_t> keys;  // indices into the chunk
};

/// The names that the first calls of an operation may have: so many of them, or where the number says the slot, two in
/// every slot.
std::vector<domain::SliceId> first_calls(const std::string& operation, bool by_slot, std::uint64_t most = 1);

/// Numbers the slices of a whole command, chunk after chunk, shard after shard, or slot after slot.
class Slicer {
public:
    /// `asked`: what the user asked of all keys, as text: the kind, --clamp, guards. Not what a look showed.
    /// `limiter`: the deployment's; outlives it. `by_slot`: keys have slots, and those of a call are in one of them.
    /// `most`: windows a call.
    Slicer(std::string asked, const domain::Limiter& limiter, bool by_slot = false,
           std::size_t most = store::kWindowsPerCall)
        : asked_(std::move(asked)), limiter_(limiter), by_slot_(by_slot), most_(most) {}
    std::vector<PlannedSlice> cut(std::span<const PlannedKey> chunk);

private:
    std::string fingerprint(std::span<const PlannedKey> chunk, std::span<const std::size_t> keys) const;

    std::string asked_;
    const domain::Limiter& limiter_;
    bool by_slot_;
    std::size_t most_;
    std::uint64_t next_ = 1;
};

}  // namespace ratectl::commands
