// An undo whose earlier attempt has no known end: nothing is taken back twice.
#include "commands/undo/undo_writer.h"
#include "support/catch.h"
#include "unit/commands/fake_context.h"

using namespace ratectl;
using namespace ratectl::commands;
using ratectl::test::FakeContext;

namespace {

struct UndoneAttempt {
    domain::WriteKind undone = domain::WriteKind::count;
    bool merge = false;
    std::string id = "mine";  // of the attempt; the undo that follows is `op-undo`
    bool op_keys = true;
};

journal::OperationHead head(const std::string& id, domain::WriteKind kind) {
    journal::OperationHead made;
    made.operation.id = id;
    made.kind = kind;
    made.command = "undo";
    made.deployment = "test";
    made.op_keys = true;
    return made;
}

/// What the undo says of a row that an attempt was about to take back when it was killed.
WriteRow row_after(const UndoneAttempt& attempt) {
    FakeContext context;
    auto begun = head(attempt.id, opposite_of(attempt.undone));
    begun.undoes = "op";
    begun.op_keys = attempt.op_keys;
    context.journal().begin(begun);
    const auto sent_at = context.wall_clock() - support::Seconds{1};
    const std::vector<journal::Intent> intents{
        {1, 1, "alpha", "10.0.0.1:6379", "", "core:0", "window:exp", 5, sent_at}};
    context.journal().intend(attempt.id, intents);

    HistoryRow entry;
    entry.head = head("op", attempt.undone);
    entry.intent = intents.front();
    entry.outcome = journal::Outcome{1, domain::WriteStatus::applied, "", {"4", "1600", {}}, {"9", "1600", {}}, 0, {}};
    entry.status = "applied";
    entry.intent.shard = context.configured.shards.front().shard.name;
    Orders orders;
    orders.head = head("op-undo", opposite_of(attempt.undone));
    orders.head.undoes = "op";
    orders.dry = true;
    orders.op_keys = true;
    const Consent consent(ConsentFlags{}, context, true);
    UndoWriter writer(orders, consent, {attempt.merge, true, true}, entry.head, context);
    return writer.write({entry}).at(0);
}

}  // namespace

TEST_CASE("what another undo may have given back is not given back again") {
    const auto row = row_after({.op_keys = false});
    CHECK(row.status == RowStatus::unknown);
    CHECK(row.reason == "earlier-attempt");
    REQUIRE(row.error);
    CHECK(row.error->code == ExitCode::unknown);
    CHECK(row_after({.id = "op-undo", .op_keys = false}).reason == "earlier-attempt");
    CHECK(row_after({.undone = domain::WriteKind::reset, .merge = true, .op_keys = false}).reason == "earlier-attempt");
}

TEST_CASE("where operation keys tell or a window cannot come back twice an undo goes on") {
    CHECK(row_after({}).reason != "earlier-attempt");
    CHECK(row_after({.id = "op-undo"}).reason != "earlier-attempt");
    CHECK(row_after({.undone = domain::WriteKind::reset}).reason != "earlier-attempt");
}
