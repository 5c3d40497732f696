// Tells a server from the one before by its address and its run_id, and by the operation keys that it has.
#include "commands/write/written_servers.h"

#include "commands/write/write_record.h"
#include "domain/operation.h"
#include "domain/write.h"
#include "store/directory.h"
#include "support/number_text.h"

namespace ratectl::commands {

std::optional<std::string> WrittenServers::replaced(const journal::Intent& intent, std::size_t shard) {
    // No other server has taken over a slot that none has.
    const auto& directory = context_.directory();
    if (directory.has_slots() && !directory.has_owner(domain::slot_of_number(intent.slice))) return std::nullopt;
    const auto address = recorded_address(context_.store().directory().primary(shard).endpoint);
    // Shards of a Redis Cluster stay what they are while slots move.
    if (address != intent.node && directory.has_slots())
        return "at " + intent.node + ", and its slot is at " + address + " now";
    if (address != intent.node) return "at " + intent.node + ", and shard '" + intent.shard + "' is now " + address;
    if (intent.run_id.empty()) return std::nullopt;
    const auto& facts = facts_of(shard);
    if (!facts || !facts->run_id || *facts->run_id == intent.run_id) return std::nullopt;
    return "before " + address + " was restarted or replaced (its run_id differs)";
}

support::Result<bool> WrittenServers::has_had(const journal::OperationHead& head, const journal::Intent& intent,
                                              std::size_t shard) {
    const domain::SliceId id{head.operation.id, intent.slice};
    auto known = calls_.find({shard, id.number});
    if (known == calls_.end()) {
        const auto records = context_.store().recall(shard, std::span(&id, 1));
        if (!records) return tl::make_unexpected(records.error());
        known = calls_.try_emplace({shard, id.number}).first;
        const auto& record = records->front();
        if (record && record->kind == head.kind) {
            for (const auto& window : record->windows)
                if (domain::wrote(window.status)) known->second.insert(window.key);
        }
    }
    return known->second.contains(intent.key);
}

std::optional<std::string> WrittenServers::may_have_lost(const journal::Intent& intent, const journal::Outcome& outcome,
                                                         std::size_t shard) {
    const auto& reset_at = outcome.after.reset_at ? outcome.after.reset_at : outcome.before.reset_at;
    const auto ends = reset_at ? support::parse_decimal(*reset_at) : std::nullopt;
    if (ends && *ends < support::epoch_seconds(context_.now())) return std::nullopt;
    return replaced(intent, shard);
}

const std::optional<domain::NodeFacts>& WrittenServers::facts_of(std::size_t shard) {
    const auto [facts, fresh] = facts_.try_emplace(shard);
    if (!fresh) return facts->second;
    const std::size_t shards[] = {shard};
    for (const auto& report : context_.store().node_reports(shards)) {
        if (report.node.role == domain::Role::primary && report.facts) facts->second = *report.facts;
    }
    return facts->second;
}

}  // namespace ratectl::commands
