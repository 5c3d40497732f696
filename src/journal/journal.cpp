// Writes to the journal; reading.cpp reads from it.
#include "journal/journal.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "journal/journal_file.h"
#include "journal/journal_state.h"

namespace ratectl::journal {
namespace {

using support::ExitCode;
using support::Failure;

Database& prepared(Database& database) {
    prepare_schema(database);
    database.make_durable();
    return database;
}

void insert_head(Database& database, const OperationHead& head) {
    Statement insert(database,
                     "INSERT INTO operation(id, kind, command, deployment, actor, host, reason, started_ms, undoes, "
                     "op_keys) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)");
    insert.bind_text(1, head.operation.id).bind_text(2, domain::name_of(head.kind)).bind_text(3, head.command);
    insert.bind_text(4, head.deployment).bind_text(5, head.operation.actor).bind_text(6, head.operation.host);
    insert.bind_text(7, head.operation.reason).bind(8, to_integer(head.started_at));
    if (head.undoes) insert.bind_text(9, *head.undoes);
    insert.bind(10, std::int64_t{head.op_keys});
    insert.run();
}

/// The same change may go on; what else goes by this id must not be mixed with it.
void check_same(const OperationHead& there, const OperationHead& now) {
    const bool same = there.kind == now.kind && there.command == now.command && there.deployment == now.deployment;
    if (same && there.undoes == now.undoes) return;
    if (same) {
        throw Failure(ExitCode::guard,
                      "operation '" + now.operation.id + "' is already in the journal as the undo of '" +
                          there.undoes.value_or("") + "', so it cannot be that of '" + now.undoes.value_or("") + "'",
                      "leave --op-id out to have one made");
    }
    throw Failure(ExitCode::guard,
                  "operation '" + now.operation.id + "' is already in the journal as a " + there.command +
                      " of deployment '" + there.deployment + "', so it cannot be a " + now.command +
                      " of deployment '" + now.deployment + "'",
                  "leave --op-id out to have a fresh one made");
}

bool same_server(const Intent& one, const Intent& other) {
    return one.shard == other.shard && one.node == other.node && one.run_id == other.run_id;
}

/// Another attempt under the same id is the one that people look for.
void begin_anew(Database& database, const OperationHead& head) {
    Statement update(database,
                     "UPDATE operation SET actor = ?2, host = ?3, reason = ?4, started_ms = ?5, op_keys = ?6 "
                     "WHERE id = ?1");
    update.bind_text(1, head.operation.id).bind_text(2, head.operation.actor).bind_text(3, head.operation.host);
    update.bind_text(4, head.operation.reason).bind(5, to_integer(head.started_at)).bind(6, std::int64_t{head.op_keys});
    update.run();
}

/// From now on no conclusion may be drawn from a key that is not there.
void forget_op_keys(Database& database, const std::string& operation) {
    Statement update(database, "UPDATE operation SET op_keys = 0 WHERE id = ?1");
    update.bind_text(1, operation);
    update.run();
}

bool is_settled(const Outcome& outcome) {
    return outcome.status == domain::WriteStatus::applied || outcome.status == domain::WriteStatus::already_applied;
}

/// Written, or perhaps written: what is recorded of such a row is not replaced by a new attempt.
bool stays(const std::optional<Outcome>& outcome) {
    return outcome && (is_settled(*outcome) || outcome->status == domain::WriteStatus::unknown);
}

bool may_have_written(Journal& journal, const std::string& operation) {
    Question question;
    question.operation = operation;
    bool may_have = false;
    journal.entries(question, [&may_have](const Entry& entry) {
        may_have = !entry.outcome || stays(entry.outcome);
        return !may_have;
    });
    return may_have;
}

template <class T>
std::vector<const T*> by_row(std::span<const T> all) {
    std::vector<const T*> sorted;
    sorted.reserve(all.size());
    for (const auto& one : all) sorted.push_back(&one);
    if (!std::ranges::is_sorted(sorted, {}, [](const T* one) { return one->row; }))
        std::ranges::stable_sort(sorted, {}, [](const T* one) { return one->row; });
    return sorted;
}

}  // namespace

Journal::Impl::Impl(const std::string& path) : database(prepare_file(path)), slices(prepared(database)) {}

std::int64_t Journal::Impl::number_of(const std::string& operation) {
    if (operation == last_operation) return last_number;
    Statement statement(database, "SELECT number FROM operation WHERE id = ?1");
    statement.bind_text(1, operation);
    if (!statement.step()) throw Failure(ExitCode::bug, "operation '" + operation + "' was never begun in the journal");
    last_number = statement.integer(0);
    last_operation = operation;
    return last_number;
}

std::int64_t Journal::Impl::number_of_server(const Intent& intent) {
    const auto bind = [&intent](Statement& statement) {
        statement.bind_text(1, intent.shard).bind_text(2, intent.node).bind_text(3, intent.run_id);
    };
    Statement insert(database, "INSERT INTO server(shard, node, run_id) VALUES(?1, ?2, ?3) ON CONFLICT DO NOTHING");
    bind(insert);
    insert.run();
    Statement select(database, "SELECT number FROM server WHERE shard = ?1 AND node = ?2 AND run_id = ?3");
    bind(select);
    select.step();
    return select.integer(0);
}

void Journal::Impl::insert(std::int64_t operation, std::span<const Intent* const> intents, bool again) {
    std::vector<const Intent*> sorted(intents.begin(), intents.end());
    const auto place = [](const Intent* intent) { return std::pair(intent->slice, intent->row); };
    if (!std::ranges::is_sorted(sorted, {}, place)) std::ranges::stable_sort(sorted, {}, place);
    const Intent* last = nullptr;
    StoredSlice slice;
    std::vector<WindowView> windows;
    const auto put = [&] {
        if (!windows.empty()) slices.insert(slice, windows);
        windows.clear();
    };
    for (const Intent* intent : sorted) {
        const bool server = last != nullptr && same_server(*last, *intent);
        if (!server || last->slice != intent->slice || last->at != intent->at) {
            put();
            if (!server) slice.server = number_of_server(*intent);
            slice.operation = operation;
            slice.number = intent->slice;
            slice.layout = intent->layout;
            slice.fingerprint = intent->fingerprint;
            slice.sent_ms = to_integer(intent->at);
            slice.again = again;
        }
        windows.push_back({intent->row, intent->key, intent->amount});
        last = intent;
    }
    put();
}

/// A row that an earlier run left open stays open when nothing comes of the new one, either: `again` remembers that.
void Journal::Impl::replace(std::int64_t operation, const std::vector<StoredSlice>& there,
                            std::span<const Intent* const> intents) {
    std::map<std::uint64_t, const Intent*> fresh;
    for (const Intent* intent : intents) fresh[intent->row] = intent;
    std::vector<const Intent*> again;
    for (const auto& slice : there) {
        const auto rows = slices.rows(slice);
        const auto outcomes = slices.outcomes(slice, rows);
        std::vector<bool> gone(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const auto found = fresh.find(rows[i]);
            if (found == fresh.end()) continue;
            gone[i] = !stays(outcomes[i]);
            if (gone[i] && (slice.again || !outcomes[i])) again.push_back(found->second);
            if (!gone[i] || slice.again || !outcomes[i]) fresh.erase(found);
        }
        take_out(slice, gone, outcomes);
    }
    std::vector<const Intent*> first_time;
    first_time.reserve(fresh.size());
    for (const auto& [row, intent] : fresh) first_time.push_back(intent);
    insert(operation, again, true);
    insert(operation, first_time, false);
}

void Journal::Impl::take_out(const StoredSlice& slice, const std::vector<bool>& gone,
                             std::span<const std::optional<Outcome>> outcomes) {
    if (std::ranges::none_of(gone, std::identity{})) return;
    const auto windows = slices.windows(slice);
    std::vector<WindowView> kept;
    std::vector<const Outcome*> kept_outcomes;
    for (std::size_t i = 0; i < windows.size(); ++i) {
        if (gone[i]) continue;
        kept.push_back(windows[i].view());
        kept_outcomes.push_back(outcomes[i] ? &*outcomes[i] : nullptr);
    }
    slices.remove(slice);
    if (kept.empty()) return;
    auto rest = slice;
    rest.id = slices.insert(slice, kept);
    slices.put_outcomes(rest, kept_outcomes);
}

void Journal::Impl::intend(std::int64_t operation, std::span<const Intent> intents) {
    const auto sorted = by_row(intents);
    if (sorted.empty()) return;
    const auto there = slices.among(operation, sorted.front()->row, sorted.back()->row);
    if (there.empty()) return insert(operation, sorted, false);
    replace(operation, there, sorted);
}

void Journal::Impl::conclude(std::int64_t operation, std::span<const Outcome> outcomes) {
    const auto sorted = by_row(outcomes);
    if (sorted.empty()) return;
    auto next = sorted.begin();  // slices come by their rows: the outcome behind the last one is mostly the wanted one
    for (const auto& slice : slices.among(operation, sorted.front()->row, sorted.back()->row)) {
        const auto rows = slices.rows(slice);
        auto known = slices.outcomes(slice, rows);
        std::vector<bool> gone(rows.size());
        std::vector<const Outcome*> now(rows.size());
        bool changed = false;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            now[i] = known[i] ? &*known[i] : nullptr;
            auto found = next;
            if (found == sorted.end() || (*found)->row != rows[i])
                found = std::ranges::lower_bound(sorted, rows[i], {}, &Outcome::row);
            if (found == sorted.end() || (*found)->row != rows[i]) continue;
            next = std::next(found);
            if ((*found)->status == domain::WriteStatus::not_attempted) {
                gone[i] = !slice.again && !known[i];
            } else if (!known[i] || !is_settled(*known[i])) {
                now[i] = *found;
                changed = true;
            }
        }
        if (changed) slices.put_outcomes(slice, now);
        if (std::ranges::none_of(gone, std::identity{})) continue;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (now[i] != nullptr) known[i] = *now[i];
        }
        take_out(slice, gone, known);
    }
}

Journal::Journal(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}
Journal::~Journal() = default;
const std::string& Journal::path() const { return impl_->database.path(); }

void Journal::begin(const OperationHead& head) {
    Transaction transaction(impl_->database);
    if (const auto there = find(head.operation.id)) {
        check_same(*there, head);
        if (!may_have_written(*this, head.operation.id)) {
            begin_anew(impl_->database, head);
        } else if (there->op_keys && !head.op_keys) {
            forget_op_keys(impl_->database, head.operation.id);
        }
    } else {
        insert_head(impl_->database, head);
    }
    transaction.commit();
}

void Journal::intend(const std::string& operation, std::span<const Intent> intents) { record(operation, {}, intents); }

void Journal::conclude(const std::string& operation, std::span<const Outcome> outcomes) {
    record(operation, outcomes, {});
}

void Journal::record(const std::string& operation, std::span<const Outcome> outcomes, std::span<const Intent> intents) {
    if (outcomes.empty() && intents.empty()) return;
    Transaction transaction(impl_->database);
    const auto number = impl_->number_of(operation);
    impl_->conclude(number, outcomes);
    impl_->intend(number, intents);
    transaction.commit();
}

std::string default_path(const std::optional<std::string>& xdg_state_home, const std::optional<std::string>& home) {
    const auto usable = [](const std::optional<std::string>& folder) { return folder && folder->starts_with('/'); };
    if (usable(xdg_state_home)) return *xdg_state_home + "/ratectl/journal.db";
    if (usable(home)) return *home + "/.local/state/ratectl/journal.db";
    throw Failure(
        ExitCode::local_io,
        "nothing says where the journal of writes is kept: neither XDG_STATE_HOME nor HOME is an absolute path",
        "--journal PATH names a file");
}

}  // namespace ratectl::journal
