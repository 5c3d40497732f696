// What comes out of the journal.
#include <algorithm>
#include <array>

#include "journal/journal.h"
#include "journal/journal_state.h"

namespace ratectl::journal {
namespace {

using domain::WriteKind;
using domain::WriteStatus;

constexpr std::array kKinds{WriteKind::count, WriteKind::refund, WriteKind::reset, WriteKind::restore,
                            WriteKind::repair};
constexpr std::array kStatuses{WriteStatus::applied,        WriteStatus::already_applied, WriteStatus::nothing_to_do,
                               WriteStatus::window_changed, WriteStatus::refused,         WriteStatus::failed,
                               WriteStatus::unknown,        WriteStatus::not_attempted};

/// A word that this program never wrote means that somebody else did.
template <class Enum, std::size_t N>
Enum from_word(const std::array<Enum, N>& all, const std::string& word, const Database& database) {
    const auto found = std::ranges::find_if(all, [&word](Enum e) { return domain::name_of(e) == word; });
    if (found != all.end()) return *found;
    throw support::Failure(support::ExitCode::local_io,
                           "the journal '" + database.path() + "' is damaged: it says '" + word + "'",
                           "move it away and a new one is begun");
}

constexpr std::string_view kEntryColumns =
    ", i.row, i.slice, s.shard, s.node, s.run_id, i.key, i.amount, i.sent_ms, t.status, t.reason, t.used_before, "
    "t.reset_before, t.counter_expires_before, t.expiry_expires_before, t.used_after, t.reset_after, "
    "t.counter_expires_after, t.expiry_expires_after, t.taken, t.answered_ms ";
constexpr int kIntentColumn = 10;
constexpr int kOutcomeColumn = 18;

Intent intent_of(const Statement& row) {
    constexpr int c = kIntentColumn;
    return {static_cast<std::uint64_t>(row.integer(c)),
            static_cast<std::uint64_t>(row.integer(c + 1)),
            row.bytes(c + 2),
            row.bytes(c + 3),
            row.bytes(c + 4),
            row.bytes(c + 5),
            row.maybe_integer(c + 6),
            to_wall_time(row.integer(c + 7))};
}

domain::StoredWindow window_of(const Statement& row, int first) {
    return {row.maybe_bytes(first), row.maybe_bytes(first + 1), row.maybe_integer(first + 2),
            row.maybe_integer(first + 3)};
}

std::optional<Outcome> outcome_of(const Statement& row, const Database& database) {
    constexpr int c = kOutcomeColumn;
    const auto status = row.maybe_bytes(c);
    if (!status) return std::nullopt;
    return Outcome{static_cast<std::uint64_t>(row.integer(kIntentColumn)),
                   from_word(kStatuses, *status, database),
                   row.bytes(c + 1),
                   window_of(row, c + 2),
                   window_of(row, c + 6),
                   row.integer(c + 10),
                   to_wall_time(row.integer(c + 11))};
}

/// CROSS JOIN keeps the order of the tables: operations through their index, windows in the order they are stored, nothing sorted in memory.
std::string entries_sql(const Question& question) {
    std::string sql = "SELECT " + std::string(kHeadColumns) + std::string(kEntryColumns) +
                      "FROM operation o CROSS JOIN intent i ON i.operation = o.number CROSS JOIN server s ON s.number "
                      "= i.server LEFT JOIN outcome t ON t.operation = i.operation AND t.row = i.row WHERE 1";
    if (question.operation) sql += " AND o.id = ?1";
    if (question.from_row) sql += " AND i.row >= ?2";
    if (question.to_row) sql += " AND i.row <= ?3";
    if (question.key) sql += " AND i.key = ?4";
    if (question.deployment) sql += " AND o.deployment = ?5";
    if (question.since) sql += " AND o.started_ms >= ?6";
    if (question.until) sql += " AND o.started_ms <= ?7";
    sql += " ORDER BY o.started_ms DESC, o.number DESC, i.row";
    if (question.last) sql += " LIMIT ?8";
    return sql;
}

void bind_question(Statement& statement, const Question& question) {
    const auto row = [](std::uint64_t number) {
        return static_cast<std::int64_t>(std::min<std::uint64_t>(number, INT64_MAX));
    };
    if (question.operation) statement.bind_text(1, *question.operation);
    if (question.from_row) statement.bind(2, row(*question.from_row));
    if (question.to_row) statement.bind(3, row(*question.to_row));
    if (question.key) statement.bind_bytes(4, std::string_view(*question.key));
    if (question.deployment) statement.bind_text(5, *question.deployment);
    if (question.since) statement.bind(6, to_integer(*question.since));
    if (question.until) statement.bind(7, to_integer(*question.until));
    if (question.last) statement.bind(8, row(*question.last));
}

}  // namespace

OperationHead head_of(const Statement& row, const Database& database) {
    return {{row.bytes(0), row.bytes(1), row.bytes(2), row.bytes(3)},
            from_word(kKinds, row.bytes(4), database),
            row.bytes(5),
            row.bytes(6),
            to_wall_time(row.integer(7)),
            row.maybe_bytes(8),
            row.integer(9) != 0};
}

std::optional<OperationHead> Journal::find(const std::string& operation) {
    Statement select(impl_->database, "SELECT " + std::string(kHeadColumns) + " FROM operation o WHERE o.id = ?1");
    select.bind_text(1, operation);
    if (!select.step()) return std::nullopt;
    return head_of(select, impl_->database);
}

std::vector<OperationHead> Journal::undone_by(const std::string& operation) {
    Statement select(impl_->database, "SELECT " + std::string(kHeadColumns) +
                                          " FROM operation o WHERE o.undoes = ?1 ORDER BY o.started_ms, o.number");
    select.bind_text(1, operation);
    std::vector<OperationHead> heads;
    while (select.step()) heads.push_back(head_of(select, impl_->database));
    return heads;
}

void Journal::entries(const Question& question, const std::function<bool(const Entry&)>& take) {
    Statement select(impl_->database, entries_sql(question));
    bind_question(select, question);
    while (select.step()) {
        const Entry entry{head_of(select, impl_->database), intent_of(select), outcome_of(select, impl_->database)};
        if (!take(entry)) return;
    }
}

std::vector<std::uint64_t> Journal::applied_rows(const std::string& operation, std::uint64_t from_row,
                                                 std::uint64_t to_row) {
    Statement select(impl_->database,
                     "SELECT t.row FROM operation o JOIN outcome t ON t.operation = o.number WHERE o.id = ?1 AND t.row "
                     "BETWEEN ?2 AND ?3 AND t.status IN ('applied', 'already-applied') ORDER BY t.row");
    select.bind_text(1, operation);
    select.bind(2, static_cast<std::int64_t>(from_row));
    select.bind(3, static_cast<std::int64_t>(std::min<std::uint64_t>(to_row, INT64_MAX)));
    std::vector<std::uint64_t> rows;
    while (select.step()) rows.push_back(static_cast<std::uint64_t>(select.integer(0)));
    return rows;
}

std::vector<std::string> Journal::operations_like(std::string_view beginning, std::size_t most) {
    Statement select(impl_->database,
                     "SELECT id FROM operation WHERE substr(id, 1, length(?1)) = ?1 ORDER BY started_ms DESC, number "
                     "DESC LIMIT ?2");
    select.bind_text(1, beginning).bind(2, static_cast<std::int64_t>(most));
    std::vector<std::string> ids;
    while (select.step()) ids.push_back(select.bytes(0));
    return ids;
}

}  // namespace ratectl::journal
