// Cuts planned keys into slices.
// The order is that of shards, then that of the keys; a key that comes twice goes into a later slice.
#include "commands/write/planned_slices.h"

#include <algorithm>
#include <map>

#include "commands/write/unresolved_entries.h"
#include "sharding/cluster_slots.h"

namespace ratectl::commands {

std::size_t chunk_size(std::size_t number, std::size_t usual) {
    constexpr std::size_t first = 1000;
    constexpr std::size_t doublings = 3;
    return std::min(usual, first << std::min(number, doublings));
}

std::vector<PlannedSlice> Slicer::cut(std::span<const PlannedKey> chunk) {
    std::map<std::size_t, std::vector<std::size_t>> keys_of_place;
    for (std::size_t i = 0; i < chunk.size(); ++i) {
        if (chunk[i].home != Home::known) continue;
        keys_of_place[by_slot_ ? sharding::cluster_slot(chunk[i].key) : chunk[i].shard].push_back(i);
    }
    std::vector<PlannedSlice> slices;
    for (const auto& [place, keys] : keys_of_place) {
        const auto key_of = [&](std::size_t i) -> std::string_view { return chunk[i].key; };
        const auto shard = chunk[keys.front()].shard;
        for (auto& part : store::slice(keys, key_of, limiter_, most_)) {
            const auto count = next_++;
            const auto number = by_slot_ ? domain::number_in_slot(count, static_cast<std::uint16_t>(place)) : count;
            slices.push_back({number, fingerprint(chunk, part), shard, std::move(part)});
        }
    }
    return slices;
}

std::vector<domain::SliceId> first_calls(const std::string& operation, bool by_slot, std::uint64_t most) {
    constexpr std::uint64_t most_by_slot = 2;
    std::vector<domain::SliceId> ids;
    for (std::uint64_t count = 1; count <= (by_slot ? most_by_slot : most); ++count) {
        if (!by_slot) ids.push_back({operation, count});
        for (std::size_t slot = 0; by_slot && slot < sharding::kClusterSlots; ++slot)
            ids.push_back({operation, domain::number_in_slot(count, static_cast<std::uint16_t>(slot))});
    }
    return ids;
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
