// Version 2: one row a script call, its windows packed, and one for their outcomes; version 1 had one a window and phase. There is no index on keys:
// with one, random pages are written with every batch; to find a key among a million windows by reading them all takes a tenth of a second.
#include "journal/schema.h"

#include "journal/version_1.h"
#include "support/error.h"

namespace ratectl::journal {
namespace {

using support::ExitCode;
using support::Failure;

constexpr std::int64_t kApplication = 0x7261746c;  // `ratl`, so that no other program's database is taken for a journal

constexpr std::string_view kFirst = R"sql(
CREATE TABLE operation(
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, command TEXT NOT NULL, deployment TEXT NOT NULL,
    actor TEXT NOT NULL, host TEXT NOT NULL, reason TEXT NOT NULL, started_ms INTEGER NOT NULL, undoes TEXT,
    op_keys INTEGER NOT NULL);
CREATE INDEX operation_by_start ON operation(started_ms, number);
CREATE INDEX operation_by_undone ON operation(undoes) WHERE undoes IS NOT NULL;
CREATE TABLE server(
    number INTEGER PRIMARY KEY, shard TEXT NOT NULL, node TEXT NOT NULL, run_id TEXT NOT NULL, UNIQUE(shard, node, run_id));
CREATE TABLE intent(
    operation INTEGER NOT NULL, row INTEGER NOT NULL, key BLOB NOT NULL, slice INTEGER NOT NULL, server INTEGER NOT NULL,
    amount INTEGER, sent_ms INTEGER NOT NULL, again INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY(operation, row)) WITHOUT ROWID;
CREATE TABLE outcome(
    operation INTEGER NOT NULL, row INTEGER NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL,
    used_before BLOB, reset_before BLOB, counter_expires_before INTEGER, expiry_expires_before INTEGER,
    used_after BLOB, reset_after BLOB, counter_expires_after INTEGER, expiry_expires_after INTEGER,
    taken INTEGER NOT NULL, answered_ms INTEGER NOT NULL,
    PRIMARY KEY(operation, row)) WITHOUT ROWID;
)sql";

constexpr std::string_view kSliceTables = R"sql(
CREATE TABLE slice(
    id INTEGER PRIMARY KEY, operation INTEGER NOT NULL, first_row INTEGER NOT NULL, last_row INTEGER NOT NULL,
    number INTEGER NOT NULL, server INTEGER NOT NULL, sent_ms INTEGER NOT NULL, again INTEGER NOT NULL,
    windows BLOB NOT NULL);
CREATE INDEX slice_by_first ON slice(operation, first_row, last_row);
CREATE INDEX slice_by_last ON slice(operation, last_row, first_row);
CREATE TABLE slice_outcomes(slice INTEGER PRIMARY KEY, packed BLOB NOT NULL);
)sql";

constexpr std::string_view kForgetRows = "DROP TABLE outcome; DROP TABLE intent";

constexpr SchemaStep kSteps[] = {{1, kFirst}, {2, kSliceTables, pack_rows_of_version_1, kForgetRows}};

[[noreturn]] void refuse_newer(const Database& database, std::int64_t version, int known) {
    throw Failure(ExitCode::local_io,
                  "the journal '" + database.path() + "' was written by a newer ratectl (schema " +
                      std::to_string(version) + ", this one knows " + std::to_string(known) + ")",
                  "use that one, or name another file with --journal PATH");
}

void check_application(Database& database) {
    const auto application = database.number("PRAGMA application_id");
    if (application == kApplication) return;
    const bool empty = application == 0 && database.number("SELECT count(*) FROM sqlite_schema") == 0;
    if (empty) return;
    if (database.number("PRAGMA application_id") == kApplication) return;  // another process has made it in between
    throw Failure(ExitCode::local_io, "the journal '" + database.path() + "' is another program's database",
                  "--journal PATH names another file");
}

}  // namespace

std::span<const SchemaStep> schema_steps() { return kSteps; }

void bring_up_to_date(Database& database, std::span<const SchemaStep> steps) {
    check_application(database);
    const int latest = steps.back().to;
    if (database.number("PRAGMA user_version") == latest) return;
    Transaction transaction(database);
    const auto version = database.number("PRAGMA user_version");  // again: another process may have been quicker
    if (version > latest) refuse_newer(database, version, latest);
    for (const auto& step : steps) {
        if (step.to <= version) continue;
        database.run(std::string(step.sql));
        if (step.carry != nullptr) step.carry(database);
        database.run(std::string(step.after));
    }
    database.run("PRAGMA application_id=" + std::to_string(kApplication));
    database.run("PRAGMA user_version=" + std::to_string(latest));
    transaction.commit();
}

}  // namespace ratectl::journal
