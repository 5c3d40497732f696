// Compares the slots of a window's keys: no command takes keys of two slots, so nothing would be asked for them at
// once.
#include "store/nodes/scattered.h"

#include <fmt/format.h>

#include "domain/cluster/slot_faults.h"
#include "sharding/cluster_slots.h"
#include "support/quote.h"

namespace ratectl::store {

std::optional<support::Error> scattered(const Core& core, std::string_view key) {
    if (!core.directory->has_slots()) return std::nullopt;
    const auto& limiter = core.scheme->of(key);
    for (std::size_t part = 1; part < limiter.parts().size(); ++part) {
        const auto other = limiter.part_key(key, part);
        if (sharding::shares_tag(key, other)) continue;
        const auto home = sharding::cluster_slot(key);
        const auto slot = sharding::cluster_slot(other);
        if (slot == home) continue;
        return support::Error{
            support::ExitCode::configuration,
            fmt::format("{} is in slot {} of the Redis Cluster and {} in slot {}: no command reads or writes both, so "
                        "they are no window there",
                        support::quoted(key), home, support::quoted(other), slot),
            "what stands between { and } in a key decides on its slot; a template writes braces twice: "
            "\"{{core:{client}}}\"",
            domain::kBadKey};
    }
    return std::nullopt;
}

}  // namespace ratectl::store
