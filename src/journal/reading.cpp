// Reads entries, rows and outcomes from the journal.
#include <algorithm>
#include <array>
#include <map>

#include "journal/journal.h"
#include "journal/journal_state.h"

namespace ratectl::journal {
namespace {

using domain::WriteKind;

constexpr std::array kKinds{WriteKind::count,   WriteKind::refund, WriteKind::reset,
                            WriteKind::restore, WriteKind::repair, WriteKind::put};
/// A word that this program never wrote was written by another program.
template <class Enum, std::size_t N>
Enum from_word(const std::array<Enum, N>& all, const std::string& word, const Database& database) {
    const auto found = std::ranges::find_if(all, [&word](Enum e) { return domain::name_of(e) == word; });
    if (found != all.end()) return *found;
    throw support::Failure(support::ExitCode::local_io,
                           "the journal '" + database.path() + "' is damaged: it says '" + word + "'",
                           "move it away and a new one is begun");
}

std::string operations_sql(const Question& question) {
    std::string sql = "SELECT " + std::string(kHeadColumns) + ", o.number FROM operation o WHERE 1";
    if (question.operation) sql += " AND o.id = ?1";
    if (question.deployment) sql += " AND o.deployment = ?2";
    if (question.since) sql += " AND o.started_ms >= ?3";
    if (question.until) sql += " AND o.started_ms <= ?4";
    if (question.command) sql += " AND o.command = ?5";
    return sql +
           (question.newest_first ? " ORDER BY o.started_ms DESC, o.number DESC" : " ORDER BY o.started_ms, o.number");
}
constexpr int kNumberColumn = 10;  // behind those of the head

void bind_operations(Statement& statement, const Question& question) {
    if (question.operation) statement.bind_text(1, *question.operation);
    if (question.deployment) statement.bind_text(2, *question.deployment);
    if (question.since) statement.bind(3, to_integer(*question.since));
    if (question.until) statement.bind(4, to_integer(*question.until));
    if (question.command) statement.bind_text(5, *question.command);
}

constexpr std::string_view kSlicesOfRows =
    " FROM slice s WHERE s.operation = ?1 AND s.first_row <= ?2 AND s.last_row >= ?3 ORDER BY ";
constexpr int kEdgeRowColumn = 9;  // behind kSliceColumns

std::string slices_sql(const Question& question) {
    const std::string columns(kSliceColumns);
    const std::string from(kSlicesOfRows);
    return question.newest_first ? "SELECT " + columns + ", s.last_row" + from + "s.last_row DESC, s.id DESC"
                                 : "SELECT " + columns + ", s.first_row" + from + "s.first_row, s.id";
}

struct Server {
    std::string shard;
    std::string node;
    std::string run_id;
};

/// A slice whose windows are being handed out.
struct OpenSlice {
    std::int64_t server = 0;
    std::uint64_t number = 1;
    std::string layout;
    std::string fingerprint;
    support::WallTime sent{};
    std::vector<SliceWindow> windows;
    std::vector<std::optional<Outcome>> outcomes;
    std::size_t next = 0;
};

/// The rows of one operation in their order or against it, although its slices interleave: a slice is opened when its
/// first row is due.
class EntryWalk {
public:
    EntryWalk(Journal::Impl& journal, const Question& question, const std::function<bool(const Entry&)>& take)
        : journal_(journal),
          question_(question),
          take_(take),
          from_(question.from_row.value_or(0)),
          to_(question.to_row.value_or(UINT64_MAX)),
          select_(journal.database, slices_sql(question)) {}

    /// False: no more of any operation.
    bool operation(OperationHead head, std::int64_t number) {
        entry_.head = std::move(head);
        select_.bind(1, number).bind(2, sql_number(to_)).bind(3, sql_number(from_));
        open_.clear();
        bool go_on = true;
        while (go_on && select_.step()) {
            go_on = hand_out_before(turn_of(static_cast<std::uint64_t>(select_.integer(kEdgeRowColumn))));
            if (go_on) open();
        }
        go_on = go_on && hand_out_before(UINT64_MAX);
        select_.reset();
        return go_on;
    }

private:
    /// Rows are handed out by their turns, the least first.
    std::uint64_t turn_of(std::uint64_t row) const { return question_.newest_first ? ~row : row; }
    std::uint64_t turn_of(const OpenSlice& slice) const { return turn_of(slice.windows[slice.next].row); }
    auto later() const {
        return [this](const OpenSlice& one, const OpenSlice& other) { return turn_of(one) > turn_of(other); };
    }

    void open() {
        // A key stands in the bytes as it is: most slices need not be unpacked to see that it is not there.
        if (question_.key && select_.bytes_view(kWindowsColumn).find(*question_.key) == std::string_view::npos) return;
        const auto stored = slice_of(select_);
        OpenSlice slice;
        slice.server = stored.server;
        slice.number = stored.number;
        slice.layout = stored.layout;
        slice.fingerprint = stored.fingerprint;
        slice.sent = to_wall_time(stored.sent_ms);
        const auto rows = journal_.slices.rows(stored);
        slice.windows = journal_.slices.windows(stored);
        slice.outcomes = journal_.slices.outcomes(stored, rows);
        if (slice.windows.empty()) return;
        if (question_.newest_first) {
            std::ranges::reverse(slice.windows);
            std::ranges::reverse(slice.outcomes);
        }
        open_.push_back(std::move(slice));
        std::ranges::push_heap(open_, later());
    }

    bool hand_out_before(std::uint64_t turn) {
        while (!open_.empty() && turn_of(open_.front()) < turn) {
            std::ranges::pop_heap(open_, later());
            auto& slice = open_.back();
            if (!hand_out(slice)) return false;
            if (++slice.next < slice.windows.size()) {
                std::ranges::push_heap(open_, later());
            } else {
                open_.pop_back();
            }
        }
        return true;
    }

    bool hand_out(OpenSlice& slice) {
        auto& window = slice.windows[slice.next];
        if (window.row < from_ || window.row > to_) return true;
        if (question_.key && window.key != *question_.key) return true;
        const auto& server = server_of(slice.server);
        auto& intent = entry_.intent;
        intent.row = window.row;
        intent.slice = slice.number;
        intent.shard = server.shard;
        intent.node = server.node;
        intent.run_id = server.run_id;
        intent.key = std::move(window.key);
        intent.layout = slice.layout;
        intent.fingerprint = slice.fingerprint;
        intent.amount = window.amount;
        intent.at = slice.sent;
        entry_.outcome = std::move(slice.outcomes[slice.next]);
        return take_(entry_);
    }

    const Server& server_of(std::int64_t number) {
        const auto known = servers_.find(number);
        if (known != servers_.end()) return known->second;
        Statement select(journal_.database, "SELECT shard, node, run_id FROM server WHERE number = ?1");
        select.bind(1, number);
        if (!select.step()) journal_.slices.fail_damaged("the server of a script call");
        return servers_[number] = {select.bytes(0), select.bytes(1), select.bytes(2)};
    }

    Journal::Impl& journal_;
    const Question& question_;
    const std::function<bool(const Entry&)>& take_;
    std::uint64_t from_;
    std::uint64_t to_;
    Statement select_;
    std::vector<OpenSlice> open_;  // a heap: the one whose row comes next is in front
    std::map<std::int64_t, Server> servers_;
    Entry entry_;
};

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
    Statement operations(impl_->database, operations_sql(question));
    bind_operations(operations, question);
    EntryWalk walk(*impl_, question, take);
    while (operations.step()) {
        if (!walk.operation(head_of(operations, impl_->database), operations.integer(kNumberColumn))) return;
    }
}

std::vector<std::uint64_t> Journal::applied_rows(const std::string& operation, std::uint64_t from_row,
                                                 std::uint64_t to_row) {
    Question question;
    question.operation = operation;
    question.from_row = from_row;
    question.to_row = to_row;
    std::vector<std::uint64_t> rows;
    entries(question, [&rows](const Entry& entry) {
        const auto& outcome = entry.outcome;
        const bool applied = outcome && (outcome->status == domain::WriteStatus::applied ||
                                         outcome->status == domain::WriteStatus::already_applied);
        if (applied) rows.push_back(entry.intent.row);
        return true;
    });
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
