// One row a script call, its windows packed, and one for their outcomes. There is no index on keys: with one, random
// pages are written with every batch; to find a key among a million windows by reading them all takes a tenth of a
// second.
#include "journal/schema.h"

#include "support/error.h"

namespace ratectl::journal {
namespace {

using support::ExitCode;
using support::Failure;

constexpr std::int64_t kVersion = 2;
constexpr std::int64_t kApplication = 0x7261746c;  // `ratl`, so that no other program's database is taken for a journal

constexpr const char* kTables = R"sql(
CREATE TABLE operation(
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, command TEXT NOT NULL, deployment TEXT NOT NULL,
    actor TEXT NOT NULL, host TEXT NOT NULL, reason TEXT NOT NULL, started_ms INTEGER NOT NULL, undoes TEXT,
    op_keys INTEGER NOT NULL);
CREATE INDEX operation_by_start ON operation(started_ms, number);
CREATE INDEX operation_by_undone ON operation(undoes) WHERE undoes IS NOT NULL;
CREATE TABLE server(
    number INTEGER PRIMARY KEY, shard TEXT NOT NULL, node TEXT NOT NULL, run_id TEXT NOT NULL, UNIQUE(shard, node, run_id));
CREATE TABLE slice(
    id INTEGER PRIMARY KEY, operation INTEGER NOT NULL, first_row INTEGER NOT NULL, last_row INTEGER NOT NULL,
    number INTEGER NOT NULL, server INTEGER NOT NULL, sent_ms INTEGER NOT NULL, again INTEGER NOT NULL,
    windows BLOB NOT NULL);
CREATE INDEX slice_by_first ON slice(operation, first_row, last_row);
CREATE INDEX slice_by_last ON slice(operation, last_row, first_row);
CREATE TABLE slice_outcomes(slice INTEGER PRIMARY KEY, packed BLOB NOT NULL);
)sql";

[[noreturn]] void refuse_version(const Database& database, std::int64_t version) {
    throw Failure(ExitCode::local_io,
                  "the journal '" + database.path() + "' was written by " +
                      (version > kVersion ? "a newer" : "an older") + " ratectl (schema " + std::to_string(version) +
                      ", this one knows " + std::to_string(kVersion) + ")",
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

void prepare_schema(Database& database) {
    check_application(database);
    if (database.number("PRAGMA user_version") == kVersion) return;
    Transaction transaction(database);
    const auto version = database.number("PRAGMA user_version");  // again: another process may have been quicker
    if (version == kVersion) return;
    if (version != 0) refuse_version(database, version);
    database.run(kTables);
    database.run("PRAGMA application_id=" + std::to_string(kApplication));
    database.run("PRAGMA user_version=" + std::to_string(kVersion));
    transaction.commit();
}

}  // namespace ratectl::journal
