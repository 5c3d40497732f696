// Keys of slots that are on their way, or that no node has: where they are now.
#include "domain/cluster/slot_faults.h"
#include "store/cluster/questions.h"
#include "store/looks/look.h"

namespace ratectl::store {
namespace {

support::Error ownerless_slot() {
    return {support::ExitCode::unavailable, std::string(domain::kNoNodeHasSlot), std::string(domain::kGiveSlotANode),
            domain::kOwnerlessSlot};
}

}  // namespace

std::vector<FoundKey> find_keys(const std::shared_ptr<Core>& core, std::span<const KeyAt> keys) {
    std::vector<FoundKey> found;
    for (const KeyAt& key : keys) found.push_back({key, {}});
    auto& directory = *core->directory;
    if (!directory.has_slots() || keys.empty()) return found;
    const auto open = find_open_slots(core);
    std::vector<KeyAt> on_their_way;
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < found.size(); ++i) {
        KeyAt& at = found[i].at;
        at.place = directory.place_of(at.key).value_or(at.place);
        const auto way = open.slots.find(at.place.slot.value_or(0));
        if (way == open.slots.end()) continue;
        if (!way->second.to) {
            if (!way->second.from) found[i].nowhere = ownerless_slot();
            continue;
        }
        on_their_way.push_back(at);
        indices.push_back(i);
    }
    for (const auto& answer : look_at(core, {on_their_way, {}}).answers) {
        FoundKey& key = found[indices[answer.key]];
        auto& place = key.at.place;
        const auto shard = directory.find(answer.node.shard).value_or(place.shard);
        place = directory.place_of(key.at.key).value_or(place);
        if (answer.look && shard != place.shard) place = {shard, place.slot, true};
        if (!answer.look && domain::is_nowhere(answer.look.error())) key.nowhere = answer.look.error();
    }
    return found;
}

}  // namespace ratectl::store
