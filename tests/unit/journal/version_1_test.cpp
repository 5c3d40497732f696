// A file that schema version 1 wrote: what it holds is there again, and goes on as it would have.
#include <sqlite3.h>

#include <string>

#include "journal/schema.h"
#include "sample_entries.h"
#include "support/catch.h"
#include "unit/journal/run_sql.h"

using namespace ratectl;
using namespace ratectl::test;
using domain::WriteStatus;

namespace {

constexpr const char* kVersion1 = R"sql(
PRAGMA journal_mode=WAL;
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
PRAGMA application_id=0x7261746c;
PRAGMA user_version=1;
INSERT INTO operation VALUES
    (1, 'OLD', 'refund', 'refund', 'prod', 'alice', 'desk', 'ticket 7', 1000, NULL, 1),
    (2, 'NEW', 'increment', 'undo', 'prod', 'bob', 'desk', '', 2000, 'OLD', 0);
INSERT INTO server VALUES (1, 'alpha', '10.0.0.1:6379', 'run-a'), (2, 'beta', '10.0.0.2:6379', '');
INSERT INTO intent(operation, row, key, slice, server, amount, sent_ms, again) VALUES
    (1, 1, 'core:1', 1, 1, 5, 1500, 0), (1, 2, x'00ff', 2, 2, 5, 1500, 0), (1, 3, 'core:3', 1, 1, 7, 1500, 0),
    (1, 4, 'core:4', 2, 2, NULL, 1600, 1), (2, 9, 'core:1', 4503599627370497, 1, 5, 2500, 0);
INSERT INTO outcome VALUES
    (1, 1, 'applied', '', '41', '1767225600', NULL, NULL, '36', '1767225600', NULL, NULL, 5, 1510),
    (1, 3, 'window-changed', 'closed', NULL, '17x', 123, 456, NULL, NULL, NULL, NULL, 0, 1511),
    (2, 9, 'unknown', '', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 2510);
)sql";

Question of_old(std::uint64_t from_row) {
    Question question;
    question.operation = "OLD";
    question.from_row = from_row;
    return question;
}

}  // namespace

TEST_CASE("a journal of version 1 is packed with everything that it says") {
    JournalFolder folder;
    run_sql(folder.file(), kVersion1);
    Journal journal(folder.file());
    CHECK(journal::Database(folder.file()).number("PRAGMA user_version") == journal::schema_steps().back().to);
    const auto entries = all(journal);
    REQUIRE(entries.size() == 5);
    CHECK(entries[4].head.operation.id == "NEW");
    CHECK(entries[4].head.undoes == "OLD");
    CHECK_FALSE(entries[4].head.op_keys);
    CHECK(entries[4].intent.slice == 4503599627370497);
    CHECK(entries[4].outcome->status == WriteStatus::unknown);
    CHECK(entries[0].head.operation.reason == "ticket 7");
    CHECK(entries[0].intent.row == 1);
    CHECK(entries[0].intent.amount == 5);
    CHECK(entries[0].intent.run_id == "run-a");
    CHECK(entries[0].intent.at == at_ms(1500));
    CHECK(entries[0].outcome->before == domain::StoredWindow{"41", "1767225600", {}, {}});
    CHECK(entries[0].outcome->after.used == "36");
    CHECK(entries[0].outcome->taken == 5);
    CHECK(entries[0].outcome->at == at_ms(1510));
    CHECK(entries[1].intent.key == std::string("\0\xff", 2));
    CHECK(entries[1].intent.node == "10.0.0.2:6379");
    CHECK_FALSE(entries[1].outcome);
    CHECK(entries[2].outcome->reason == "closed");
    CHECK(entries[2].outcome->before == domain::StoredWindow{{}, "17x", 123, 456});
    CHECK_FALSE(entries[3].outcome);
    CHECK_FALSE(entries[3].intent.amount);
}

TEST_CASE("an operation of a version 1 journal goes on where it stopped") {
    JournalFolder folder;
    run_sql(folder.file(), kVersion1);
    Journal journal(folder.file());
    CHECK(journal.applied_rows("OLD", 1, 9) == std::vector<std::uint64_t>{1});
    // Row 4 had been left open by an earlier run already, row 3 was refused; row 2 is open.
    journal.conclude("OLD", std::vector{outcome(2, WriteStatus::applied), outcome(4, WriteStatus::not_attempted)});
    journal.intend("OLD", std::vector{intent(1, "core:1"), intent(3, "core:3")});
    const auto entries = all(journal, of_old(1));
    REQUIRE(entries.size() == 4);
    CHECK(entries[0].outcome->after.used == "36");
    CHECK(entries[1].outcome->status == WriteStatus::applied);
    CHECK_FALSE(entries[2].outcome);
    CHECK_FALSE(entries[3].outcome);
}

TEST_CASE("a version 1 journal with a word that no ratectl wrote stays as it is") {
    JournalFolder folder;
    run_sql(folder.file(), kVersion1);
    run_sql(folder.file(), "UPDATE outcome SET status = 'splendid' WHERE row = 3");
    CHECK_THROWS_AS(Journal(folder.file()), support::Failure);
    CHECK(journal::Database(folder.file()).number("PRAGMA user_version") == 1);
    CHECK(journal::Database(folder.file()).number("SELECT count(*) FROM intent") == 5);
}

TEST_CASE("a version 1 journal of thousands of interleaved windows keeps their order") {
    JournalFolder folder;
    run_sql(folder.file(), kVersion1);
    run_sql(folder.file(),
            "WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 12009) INSERT INTO intent "
            "SELECT 1, i, 'k' || i, 3 + i / 200 * 2 + i % 2, 1 + i % 2, 5, 1700, 0 FROM n; INSERT INTO outcome SELECT "
            "1, row, 'applied', '', '1', '2', NULL, NULL, NULL, NULL, NULL, NULL, 0, row FROM intent WHERE row >= 10 "
            "AND operation = 1");
    Journal journal(folder.file());
    std::uint64_t row = 9;
    journal.entries(of_old(10), [&row](const Entry& entry) {
        const bool good = entry.intent.row == row + 1 && entry.intent.key == "k" + std::to_string(row + 1) &&
                          entry.outcome->at == at_ms(static_cast<std::int64_t>(row) + 1) &&
                          entry.intent.shard == ((row + 1) % 2 == 0 ? "alpha" : "beta");
        if (!good) FAIL("row " << entry.intent.row << " behind " << row);
        ++row;
        return true;
    });
    CHECK(row == 12009);
}
