// Names the parts of a window that are there, never their keys, which may be secret.
#include "commands/looks/stranded.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "commands/request/selection.h"
#include "domain/limiter.h"

namespace ratectl::commands {

bool is_window(const store::StrandedWindow& window, const config::Settings& settings) {
    if (!settings.policies.empty()) return settings.policies.match(window.key).has_value();
    return std::ranges::any_of(window.names, [&window](const auto& name) { return name != window.key; });
}

domain::Finding finding_of(const store::StrandedWindow& window, std::string_view shard,
                           const config::Settings& settings) {
    const auto& limiter = limiter_of(settings).of(window.key);
    std::vector<std::string_view> parts;
    for (std::size_t part = 0; part < limiter.parts().size(); ++part) {
        if (std::ranges::find(window.names, limiter.part_key(window.key, part)) != window.names.end())
            parts.push_back(limiter.parts()[part].name);
    }
    const std::string_view them = parts.size() == 1 ? "it" : "them";
    domain::Finding finding{
        domain::FindingClass::misplaced,
        fmt::format(
            fmt::runtime(window.ownerless ? "shard '{}' has its {}, and no node has slot {}: no client is led to {}"
                                          : "shard '{}' has its {} and not slot {}: no client is led to {} there"),
            shard, fmt::join(parts, " and "), window.slot, them)};
    if (window.ownerless) {
        finding.own_effect = "no application gets an answer about it";
        finding.own_advice =
            "on that shard CLUSTER ADDSLOTS with the number of the slot gives it the slot; what other shards have of "
            "the slot is misplaced then, and told how it comes home";
        return finding;
    }
    finding.own_effect =
        "what was counted there is lost to the client, whose window is new, or incomplete, at the node that has the "
        "slot";
    finding.own_advice =
        "a move of the slot was broken off: on the shard that has these keys CLUSTER SETSLOT with IMPORTING and the id "
        "of the node that has the slot, MIGRATE of the keys to that node (without REPLACE: what is BUSYKEY is at home, "
        "too, and counts there), and CLUSTER SETSLOT with STABLE bring them home";
    return finding;
}

bool may_be_elsewhere(std::string_view key, const store::StrandedWindows& stranded) {
    return !stranded.failures.empty() ||
           std::ranges::binary_search(stranded.windows, key, {}, &store::StrandedWindow::key);
}

std::string silent_primaries(std::size_t primaries) {
    return fmt::format("{} did not tell of windows that no client is led to",
                       primaries == 1 ? "1 primary" : fmt::format("{} primaries", primaries));
}

void forbid_removal(std::vector<domain::Finding>& findings) {
    for (auto& finding : findings) {
        if (finding.what != domain::FindingClass::orphan_counter && finding.what != domain::FindingClass::orphan_expiry)
            continue;
        finding.own_repair = domain::Repair::none;
        finding.own_advice = "what is missing lies, or may lie, on a node that does not have the slot: bring that home";
    }
}

}  // namespace ratectl::commands
