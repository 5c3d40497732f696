// Reads a block of an operation's rows from the records of its undos at a time.
#include "commands/undo/later_undos.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "support/quote.h"
#include "support/time_text.h"

namespace ratectl::commands {
namespace {

constexpr std::uint64_t kRowsPerRead = 5000;

bool has_changed(const HistoryRow& row) { return row.outcome && domain::wrote(row.outcome->status); }

bool may_have_changed(const HistoryRow& row) {
    return has_changed(row) || !row.outcome || row.outcome->status == domain::WriteStatus::unknown;
}

}  // namespace

HistoryRow LaterUndos::told(HistoryRow row) {
    if (!may_have_changed(row)) return row;
    const auto& id = row.head.operation.id;
    if (id != last_.id) last_ = {id, journal_.undone_by(id)};
    ++last_.changes;
    if (last_.undos.empty() || !has_changed(row)) return row;
    if (const auto block = row.intent.row / kRowsPerRead + 1; block != last_.block) read(block);
    const auto found = last_.undone.find(row.intent.row);
    if (found == last_.undone.end() || found->second.key != row.intent.key) return row;
    row.undone_by = found->second.by;
    row.undone_at = found->second.at;
    ++last_.undone_changes;
    last_.by_several = last_.by_several || (!last_.by.empty() && last_.by != row.undone_by);
    last_.by = row.undone_by;
    last_.last = std::max(last_.last, row.undone_at);
    return row;
}

void LaterUndos::read(std::uint64_t block) {
    last_.block = block;
    last_.undone.clear();
    for (const auto& undo : last_.undos) {
        journal::Question question;
        question.operation = undo.operation.id;
        question.from_row = (block - 1) * kRowsPerRead;
        question.to_row = *question.from_row + kRowsPerRead - 1;
        journal_.entries(question, [&](const journal::Entry& entry) {
            if (entry.outcome && domain::wrote(entry.outcome->status))
                last_.undone[entry.intent.row] = {entry.intent.key, undo.operation.id, entry.outcome->at};
            return true;
        });
    }
}

std::string LaterUndos::words(std::optional<std::uint64_t> row) const {
    const auto& [undone, all] = std::tie(last_.undone_changes, last_.changes);
    if (undone == 0) return {};
    std::string of = row             ? fmt::format("change {} of ", *row)
                     : undone == all ? std::string()
                                     : fmt::format("{} of {} changes of ", undone, all);
    return fmt::format(
        "{}operation '{}' {} undone by {}, {}", of, last_.id, undone == all || undone == 1 ? "was" : "were",
        last_.by_several ? "several operations" : support::quoted(last_.by), support::format_wall_time(last_.last));
}

void tell_later_undos(std::vector<HistoryRow>& rows) {
    std::map<std::pair<std::string, std::string>, const HistoryRow*> undone;  // by operation and key
    for (const auto& row : rows)
        if (row.head.undoes && has_changed(row)) undone[{*row.head.undoes, row.intent.key}] = &row;
    for (auto& row : rows) {
        const auto found = undone.find({row.head.operation.id, row.intent.key});
        if (found == undone.end() || !has_changed(row)) continue;
        row.undone_by = found->second->head.operation.id;
        row.undone_at = found->second->outcome->at;
    }
}

}  // namespace ratectl::commands
