// What explain says of keys that lie on a node of a Redis Cluster to which no client is led for them.
#include "commands/looks/stranded.h"

#include <cstdint>
#include <vector>

#include "commands/context.h"
#include "commands/explain/gather.h"

namespace ratectl::commands::explain {
namespace {

bool lacks_a_half(const domain::Window& window) {
    using enum domain::WindowState;
    return window.state == absent || window.state == orphan_counter || window.state == orphan_expiry;
}

}  // namespace

store::StrandedWindows Explainer::stranded_of(std::span<const store::KeyAt> keys) const {
    std::vector<std::uint16_t> slots;
    for (const auto& key : keys) {
        if (key.place.slot) slots.push_back(*key.place.slot);
    }
    return slots.empty() ? store::StrandedWindows() : context_.store().stranded(slots);
}

void Explainer::add_stranded(WindowFacts& facts, const std::string& key, const store::StrandedWindows& stranded) {
    if (may_be_elsewhere(key, stranded)) forbid_removal(facts.findings);
    for (const auto& [node, error] : stranded.failures) {
        if (!lacks_a_half(facts.window)) continue;
        note_silent(node, {&node, 1}, error);
        const auto shard = redaction_.shard(node.shard);
        if (shard != facts.shard) facts.silent_shards.push_back(shard);
    }
    for (const auto& window : stranded.windows) {
        if (window.key == key && is_window(window, settings_))
            facts.findings.push_back(finding_of(window, redaction_.shard(window.node.shard), settings_));
    }
}

}  // namespace ratectl::commands::explain
