// What goes into the journal; reading.cpp has what comes out.
#include "journal/journal.h"

#include <algorithm>

#include "journal/journal_file.h"
#include "journal/journal_state.h"
#include "journal/schema.h"

namespace ratectl::journal {
namespace {

using support::ExitCode;
using support::Failure;

Database& prepared(Database& database) {
    bring_up_to_date(database, schema_steps());
    database.make_durable();
    return database;
}

// A row that an earlier run left open stays open when nothing comes of the new one, either: `again` remembers that.
constexpr std::string_view kInsertIntent = R"sql(
INSERT INTO intent(operation, row, key, slice, server, amount, sent_ms) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)
ON CONFLICT(operation, row) DO UPDATE SET
    key = excluded.key, slice = excluded.slice, server = excluded.server, amount = excluded.amount, sent_ms = excluded.sent_ms,
    again = again OR NOT EXISTS(SELECT 1 FROM outcome o WHERE o.operation = ?1 AND o.row = ?2)
WHERE NOT EXISTS(SELECT 1 FROM outcome o WHERE o.operation = ?1 AND o.row = ?2
                 AND o.status IN ('applied', 'already-applied', 'unknown')))sql";

constexpr std::string_view kReopen = R"sql(
DELETE FROM outcome WHERE operation = ?1 AND row = ?2 AND status NOT IN ('applied', 'already-applied', 'unknown'))sql";

constexpr std::string_view kRemoveIntent = R"sql(
DELETE FROM intent WHERE operation = ?1 AND row = ?2 AND again = 0
AND NOT EXISTS(SELECT 1 FROM outcome o WHERE o.operation = ?1 AND o.row = ?2))sql";

constexpr std::string_view kInsertOutcome = R"sql(
INSERT INTO outcome SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14
WHERE EXISTS(SELECT 1 FROM intent i WHERE i.operation = ?1 AND i.row = ?2)
ON CONFLICT(operation, row) DO UPDATE SET
    status = excluded.status, reason = excluded.reason, used_before = excluded.used_before, reset_before = excluded.reset_before,
    counter_expires_before = excluded.counter_expires_before, expiry_expires_before = excluded.expiry_expires_before,
    used_after = excluded.used_after, reset_after = excluded.reset_after,
    counter_expires_after = excluded.counter_expires_after, expiry_expires_after = excluded.expiry_expires_after,
    taken = excluded.taken, answered_ms = excluded.answered_ms
WHERE status NOT IN ('applied', 'already-applied'))sql";

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

/// From now on nobody may conclude anything from a key that is not there.
void forget_op_keys(Database& database, const std::string& operation) {
    Statement update(database, "UPDATE operation SET op_keys = 0 WHERE id = ?1");
    update.bind_text(1, operation);
    update.run();
}

void bind_window(Statement& statement, int first, const domain::StoredWindow& window) {
    statement.bind_bytes(first, window.used).bind_bytes(first + 1, window.reset_at);
    statement.bind(first + 2, window.counter_expires_at_ms).bind(first + 3, window.expiry_expires_at_ms);
}

}  // namespace

Journal::Impl::Impl(const std::string& path)
    : database(prepare_file(path)),
      insert_intent(prepared(database), kInsertIntent),
      reopen(database, kReopen),
      remove_intent(database, kRemoveIntent),
      insert_outcome(database, kInsertOutcome) {}

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

bool Journal::Impl::has_outcomes(std::int64_t operation, std::uint64_t from_row, std::uint64_t to_row) {
    Statement statement(database, "SELECT 1 FROM outcome WHERE operation = ?1 AND row BETWEEN ?2 AND ?3 LIMIT 1");
    statement.bind(1, operation);
    statement.bind(2, static_cast<std::int64_t>(from_row)).bind(3, static_cast<std::int64_t>(to_row));
    return statement.step();
}

Journal::Journal(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}
Journal::~Journal() = default;
const std::string& Journal::path() const { return impl_->database.path(); }

void Journal::begin(const OperationHead& head) {
    Transaction transaction(impl_->database);
    if (const auto there = find(head.operation.id)) {
        check_same(*there, head);
        if (there->op_keys && !head.op_keys) forget_op_keys(impl_->database, head.operation.id);
    } else {
        insert_head(impl_->database, head);
    }
    transaction.commit();
}

void Journal::intend(const std::string& operation, std::span<const Intent> intents) {
    if (intents.empty()) return;
    Transaction transaction(impl_->database);
    const auto number = impl_->number_of(operation);
    const auto [least, most] = std::ranges::minmax_element(intents, {}, &Intent::row);
    const bool resumed = impl_->has_outcomes(number, least->row, most->row);
    const Intent* last = nullptr;
    std::int64_t server = 0;
    for (const auto& intent : intents) {
        const auto row = static_cast<std::int64_t>(intent.row);
        if (last == nullptr || !same_server(*last, intent)) server = impl_->number_of_server(intent);
        last = &intent;
        auto& insert = impl_->insert_intent;
        insert.bind(1, number).bind(2, row).bind_bytes(3, std::string_view(intent.key));
        insert.bind(4, static_cast<std::int64_t>(intent.slice)).bind(5, server).bind(6, intent.amount);
        insert.bind(7, to_integer(intent.at)).run();
        if (resumed) impl_->reopen.bind(1, number).bind(2, row).run();
    }
    transaction.commit();
}

void Journal::conclude(const std::string& operation, std::span<const Outcome> outcomes) {
    if (outcomes.empty()) return;
    Transaction transaction(impl_->database);
    const auto number = impl_->number_of(operation);
    for (const auto& outcome : outcomes) {
        const auto row = static_cast<std::int64_t>(outcome.row);
        if (outcome.status == domain::WriteStatus::not_attempted) {
            impl_->remove_intent.bind(1, number).bind(2, row).run();
            continue;
        }
        auto& insert = impl_->insert_outcome;
        insert.bind(1, number).bind(2, row).bind_text(3, domain::name_of(outcome.status));
        insert.bind_text(4, outcome.reason);
        bind_window(insert, 5, outcome.before);
        bind_window(insert, 9, outcome.after);
        insert.bind(13, outcome.taken).bind(14, to_integer(outcome.at)).run();
    }
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
