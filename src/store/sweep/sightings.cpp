// Decides by what is remembered, and by what the question says.
#include "store/sweep/sightings.h"

#include <limits>

#include "store/directory.h"
#include "store/nodes/conversation.h"
#include "store/sweep/page_pipeline.h"

namespace ratectl::store {
namespace {

/// Among the replicas of its shard, from 1; 0: a primary.
std::size_t number_of_replica(const Core& core, const domain::Node& node) {
    const auto shard = core.directory->find(node.shard);
    if (node.role == domain::Role::primary || !shard) return 0;
    std::size_t number = 0;
    for (const auto& known : core.directory->nodes(*shard)) {
        if (known.role == domain::Role::primary) continue;
        ++number;
        if (channel_name(known) == channel_name(node)) return number;
    }
    return number + 1;
}

}  // namespace

std::shared_ptr<Sightings> ScanState::seen_at(const domain::Node& node) {
    auto& seen_there = seen[asks_all() ? number_of_replica(*core, node) : 0];
    if (!seen_there) seen_there = std::make_shared<Sightings>(*this, std::numeric_limits<std::size_t>::max());
    return seen_there;
}

// A window that vanished between SCAN and the look is none.
bool Sightings::shows(const domain::WindowLook& look, bool scan_key, std::uint64_t hash) {
    const bool by_name = state_.question.by_name.has_value();
    if (is_nothing(look) || !state_.core->scheme->is_its_sighting(look, scan_key, by_name)) return false;
    if (by_name) return true;
    if (PagePipeline::has_two_phases(state_.question)) return true;  // wants() has been asked
    const auto& used = stored_used(look).value;
    return known_.insert(hash) && is_worth_a_look(look.key, used ? std::string_view(*used) : std::string_view());
}

bool Sightings::is_worth_a_look(std::string_view key, std::string_view counter) const {
    const auto& worth_a_look = state_.question.worth_a_look;
    return !worth_a_look || worth_a_look(key, counter);
}

bool Sightings::wants(std::string_view key, std::string_view counter) {
    if (state_.question.by_name && counter.data() == nullptr) return false;  // gone, or found by the expiry half
    return known_.insert(key) ? is_worth_a_look(key, counter) : keeps_promise(key, false);
}

bool Sightings::wants_without_counter(std::string_view key, std::string_view expiry) {
    return known_.insert(expiry) ? state_.question.by_name->expiry_found(key) : keeps_promise(key, true);
}

bool Sightings::keeps_promise(std::string_view key, bool expiry) {
    return !carried_over_.empty() && carried_over_.erase({std::string(key), expiry}) > 0;
}

}  // namespace ratectl::store
