// Cuts planned keys into slices.
// The order is that of shards, then that of the keys; a key that comes twice goes into a later slice.
#include "commands/write/planned_slices.h"

#include <algorithm>
#include <map>

#include "commands/write/unresolved_entries.h"
#include "store/writes/slices.h"

namespace ratectl::commands {

std::size_t chunk_size(std::size_t number, std::size_t usual) {
    constexpr std::size_t first = 1000;
    constexpr std::size_t doublings = 3;
    return std::min(usual, first << std::min(number, doublings));
}

std::vector<PlannedSlice> Slicer::cut(std::span<const PlannedKey> chunk) {
    std::map<std::size_t, std::vector<std::size_t>> keys_of_shard;
    for (std::size_t i = 0; i < chunk.size(); ++i) {
        if (chunk[i].home == Home::known) keys_of_shard[chunk[i].shard].push_back(i);
    }
    std::vector<PlannedSlice> slices;
    for (const auto& [shard, keys] : keys_of_shard) {
        const auto key_of = [&](std::size_t i) -> std::string_view { return chunk[i].key; };
        for (auto& part : store::slice(keys, key_of, limiter_)) {
            slices.push_back({next_++, fingerprint(chunk, part), shard, std::move(part)});
        }
    }
    return slices;
}

std::string Slicer::fingerprint(std::span<const PlannedKey> chunk, std::span<const std::size_t> keys) const {
    store::CallFingerprint call;
    call.add(asked_);
    for (const auto i : keys) {
        call.add(chunk[i].key);
        call.add(chunk[i].amount ? std::to_string(*chunk[i].amount) : std::string{});
    }
    return call.text() + layout_mark(limiter_.of(chunk[keys.front()].key).layout());
}

}  // namespace ratectl::commands
