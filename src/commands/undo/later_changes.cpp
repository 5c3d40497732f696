// Reads a block of an operation's rows from the journal's records of its undos at a time; of servers' records, all.
#include "commands/undo/later_changes.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "commands/report/key_mask.h"
#include "commands/undo/undo_items.h"
#include "journal/journal.h"
#include "store/directory.h"
#include "support/number_text.h"
#include "support/quote.h"
#include "support/time_text.h"

namespace ratectl::commands {
namespace {

constexpr std::uint64_t kRowsPerRead = 5000;
constexpr support::Seconds kListedAtLeast{11 * 60};  // ten minutes, by whatever clock

bool has_changed(const HistoryRow& row) { return row.outcome && domain::wrote(row.outcome->status); }

bool may_have_changed(const HistoryRow& row) {
    return has_changed(row) || !row.outcome || row.outcome->status == domain::WriteStatus::unknown;
}

/// What was taken back is listed at least so long, and until the window is over.
bool is_surely_forgotten(const HistoryRow& row, support::Moment now) {
    const auto& outcome = *row.outcome;
    const auto& reset_at = outcome.after.reset_at ? outcome.after.reset_at : outcome.before.reset_at;
    const auto ends = reset_at ? support::parse_decimal(*reset_at) : std::nullopt;
    return ends && support::from_epoch(*ends) + kListedAtLeast < now;
}

}  // namespace

HistoryRow LaterUndos::told(HistoryRow row) {
    if (!has_changed(row)) return row;
    const auto& id = row.head.operation.id;
    if (id != last_.id) last_ = {id, journal_.undone_by(id)};
    if (last_.undos.empty()) return row;
    if (const auto block = row.intent.row / kRowsPerRead + 1; block != last_.block) read(block);
    const auto found = last_.undone.find(row.intent.row);
    if (found == last_.undone.end() || found->second.key != row.intent.key) return row;
    row.undone_by = found->second.by;
    row.undone_at = found->second.at;
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

void mark_undone(std::vector<HistoryRow>& rows, const std::vector<HistoryRow>& among, Context& context) {
    const auto& settings = context.settings();
    struct OfKey {
        std::string key;  // with its client
        std::map<std::uint64_t, const HistoryRow*> by_call;
    };
    std::map<std::pair<std::string, std::string>, OfKey> undone;  // by operation and key, as records have it
    for (const auto& undo : among) {
        // Another undo, which found it done, has it on record as well.
        const bool is_first = undo.outcome && undo.outcome->status == domain::WriteStatus::applied;
        if (!undo.head.undoes || !is_first) continue;
        auto& of_key = undone[{*undo.head.undoes, recorded_key(undo.intent.key, settings)}];
        of_key.key = undo.intent.key;
        of_key.by_call[undo.intent.slice] = &undo;
    }
    if (undone.empty()) return;
    const bool by_slot = context.directory().has_slots();
    for (auto& row : rows) {
        if (!has_changed(row) || !row.undone_by.empty()) continue;
        const auto found = undone.find({row.head.operation.id, recorded_key(row.intent.key, settings)});
        if (found == undone.end()) continue;
        const auto& [key, by_call] = found->second;
        auto by = by_call.find(row.intent.slice);
        if (by == by_call.end()) by = by_call.find(call_of_row(row.intent.slice, key, by_slot));
        if (by == by_call.end()) continue;
        row.undone_by = by->second->head.operation.id;
        row.undone_at = by->second->outcome->at;
    }
}

OperationUndos::OperationUndos(Context& context) : context_(context) {
    if (auto* journal = context.existing_journal()) journal_.emplace(*journal);
}

void OperationUndos::tell(std::vector<HistoryRow>& rows, bool ask_servers) {
    for (auto& row : rows)
        if (journal_ && row.numbered) row = journal_->told(std::move(row));
    if (ask_servers && !rows.empty()) tell_by_servers(rows);
}

void OperationUndos::tell_by_servers(std::vector<HistoryRow>& rows) {
    if (!all_ && !is_any_listed(rows)) return;
    if (!all_) all_ = operations_on_servers(context_, std::nullopt);
    mark_undone(rows, all_->rows, context_);
}

/// The servers have lists of what was taken back of a call, which cost less than all there is to know of all undos.
bool OperationUndos::is_any_listed(const std::vector<HistoryRow>& rows) {
    const auto& directory = context_.directory();
    std::map<std::size_t, std::set<std::uint64_t>> calls_of;  // by shard
    for (const auto& row : rows) {
        if (!has_changed(row) || !row.undone_by.empty() || is_surely_forgotten(row, context_.now())) continue;
        // The number of a call of a Redis Cluster says where its record is.
        const auto shard = directory.find(row.intent.shard);
        if (shard || directory.has_slots()) calls_of[shard.value_or(0)].insert(row.intent.slice);
    }
    for (const auto& [shard, calls] : calls_of) {
        if (context_.stop()) return false;
        std::vector<domain::SliceId> ids;
        for (const auto call : calls) ids.push_back({rows.front().head.operation.id, call});
        const auto lists = context_.store().recall_undone(shard, ids);
        if (!lists) failures_.push_back({directory.primary(shard), lists.error()});
        if (lists && std::ranges::any_of(*lists, [](const auto& list) { return list.has_value(); })) return true;
    }
    return false;
}

void OperationUndos::note(const HistoryRow& row) {
    if (!may_have_changed(row)) return;
    id_ = row.head.operation.id;
    ++changes_;
    if (row.undone_by.empty()) return;
    ++undone_;
    by_several_ = by_several_ || (undone_ > 1 && by_ != row.undone_by);
    by_ = row.undone_by;
    last_ = std::max(last_, row.undone_at);
}

void OperationUndos::say(std::optional<std::uint64_t> row) const {
    const bool all = undone_ == changes_;
    const auto of = row   ? fmt::format("change {} of ", *row)
                    : all ? std::string()
                          : fmt::format("{} of {} changes of ", undone_, changes_);
    const auto by = by_several_ ? "several operations" : support::quoted(by_);
    if (undone_ > 0)
        context_.messages().notice(fmt::format("{}operation '{}' {} undone by {}, {}", of, id_,
                                               all || undone_ == 1 ? "was" : "were", by,
                                               support::format_wall_time(last_)));
    for (const auto& failure : failures_)
        context_.messages().notice(failure.error.message + "; what other machines have taken back there is not known");
}

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
