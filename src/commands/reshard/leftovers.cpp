// The journal first, then the server.
#include "commands/reshard/leftovers.h"

#include <vector>

namespace ratectl::commands::reshard {
namespace {

constexpr std::uint64_t kNewest = 20;

bool same_bytes(const domain::StoredWindow& a, const domain::StoredWindow& b) {
    return a.used == b.used && a.reset_at == b.reset_at;
}

bool is_written(domain::WriteStatus status) {
    return status == domain::WriteStatus::applied || status == domain::WriteStatus::already_applied;
}

bool says_so(const domain::OperationRecord& record, const std::string& key, const domain::StoredWindow& there) {
    for (const auto& window : record.windows) {
        if (window.key == key) return is_written(window.status) && same_bytes(window.after, there);
    }
    return false;
}

}  // namespace

bool is_own_copy(const std::string& key, std::size_t shard, const domain::StoredWindow& there, OpenDeployment& side,
                 journal::Journal& journal) {
    journal::Question question;
    question.key = key;
    question.deployment = side.settings.deployment;
    question.last = kNewest;
    bool found = false;
    std::vector<domain::SliceId> unsure;
    journal.entries(question, [&](const journal::Entry& entry) {
        if (entry.head.kind != domain::WriteKind::restore || entry.head.command != "reshard apply") return true;
        const bool known = entry.outcome && entry.outcome->status != domain::WriteStatus::unknown;
        if (!known) {
            unsure.push_back({entry.head.operation.id, entry.intent.slice});
            return true;
        }
        found = is_written(entry.outcome->status) && same_bytes(entry.outcome->after, there);
        return !found;
    });
    if (found || unsure.empty()) return found;
    const auto records = side.store->recall(shard, unsure);
    if (!records) return false;
    for (const auto& record : *records) {
        if (record && says_so(*record, key, there)) return true;
    }
    return false;
}

}  // namespace ratectl::commands::reshard
