// Reads what the journal has of resets, and of their undos, that came after an operation.
#include "commands/undo/later_resets.h"

#include <algorithm>
#include <map>

#include "commands/report/key_mask.h"
#include "journal/journal.h"

namespace ratectl::commands {

std::set<std::string> removed_since(std::span<const HistoryRow> rows, Context& context) {
    const auto& settings = context.settings();
    std::map<std::string, support::WallTime> written;
    for (const auto& row : rows) {
        if (!row.outcome || !limiter_of(settings).of(row.intent.key).end_moves()) continue;
        auto& at = written[recorded_key(row.intent.key, settings)];
        at = std::max(at, row.outcome->at);
    }
    std::set<std::string> removed;
    auto* journal = context.existing_journal();
    if (written.empty() || journal == nullptr) return removed;
    journal::Question question;
    question.deployment = settings.deployment;
    question.since = rows.front().head.started_at;
    if (written.size() == 1) question.key = written.begin()->first;
    journal->entries(question, [&](const journal::Entry& entry) {
        const bool removes = entry.head.kind == domain::WriteKind::reset;
        const bool counts = removes || entry.head.kind == domain::WriteKind::restore;
        if (!counts || !entry.outcome || !domain::wrote(entry.outcome->status)) return true;
        const auto found = written.find(recorded_key(entry.intent.key, settings));
        if (found == written.end() || entry.outcome->at < found->second) return true;
        if (removes) removed.insert(found->first);
        if (!removes) removed.erase(found->first);
        return true;
    });
    return removed;
}

}  // namespace ratectl::commands
