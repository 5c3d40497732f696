// History and undo as far as they need no server: names of operations, and what is refused at once.
#include "commands/all_commands.h"

#include "commands/request/operation_ref.h"
#include "commands/undo/undo_items.h"
#include "support/catch.h"
#include "support/window_look.h"
#include "unit/commands/fake_context.h"

using namespace ratectl;
using namespace ratectl::test;
using support::ExitCode;

namespace {

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

journal::OperationHead head_of(const std::string& id, domain::WriteKind kind, const std::string& deployment) {
    journal::OperationHead head;
    head.operation = {id, "alice", "desk", "because"};
    head.kind = kind;
    head.command = domain::name_of(kind);
    head.deployment = deployment;
    head.started_at = support::WallTime{support::Seconds{900}};
    return head;
}

/// A context whose journal has one operation with one window, removed when 41 were used.
struct RecordedContext : FakeContext {
    explicit RecordedContext(const std::string& deployment = "test") {
        record(head_of("OP", domain::WriteKind::reset, deployment), {"41", "1500", std::nullopt, std::nullopt});
    }
    void record(const journal::OperationHead& head, const domain::StoredWindow& before, std::uint64_t row = 1) {
        const auto& id = head.operation.id;
        journal().begin(head);
        journal::Intent intent;
        intent.row = row;
        intent.shard = "alpha";
        intent.node = "10.0.0.1:6379";
        intent.key = "core:a";
        intent.layout = "window:exp";
        journal().intend(id, std::vector{intent});
        journal::Outcome outcome;
        outcome.row = row;
        outcome.status = domain::WriteStatus::applied;
        outcome.before = before;
        outcome.at = support::WallTime{support::Seconds{960}};
        journal().conclude(id, std::vector{outcome});
    }
    void record_undo() {
        auto undo = head_of("TAKEN-BACK", domain::WriteKind::restore, "test");
        undo.command = "undo";
        undo.undoes = "OP";
        record(undo, {});
    }
};

commands::HistoryRow changed(domain::WriteKind kind, domain::StoredWindow before, domain::StoredWindow after) {
    commands::HistoryRow row;
    row.head = head_of("OP", kind, "test");
    row.intent.key = "core:a";
    row.intent.layout = "window:exp";
    row.outcome.emplace();
    row.outcome->status = domain::WriteStatus::applied;
    row.outcome->before = std::move(before);
    row.outcome->after = std::move(after);
    return row;
}

domain::WindowLook window_now(const std::optional<std::string>& used, const std::optional<std::string>& reset_at) {
    auto look = test::window_look();
    look.key = "core:a";
    counter_part(look).value = used;
    expiry_part(look).value = reset_at;
    return look;
}

}  // namespace

TEST_CASE("operations and their rows are told from other words") {
    const auto ref = commands::parse_operation_ref("OP/12");
    REQUIRE(ref);
    CHECK(ref->id == "OP");
    CHECK(ref->row == 12);
    CHECK_FALSE(commands::parse_operation_ref("OP")->row);
    for (const auto* text : {"", "core:1", "OP/0", "OP/x", "OP/", "/1", "OP/1/2", "a b"})
        CHECK_FALSE(commands::parse_operation_ref(text));
    CHECK(commands::looks_made(*commands::parse_operation_ref("01ARZ3NDEKTSV4RRFFQ69G5FAV")));
    CHECK(commands::looks_made(*commands::parse_operation_ref("01ARZ3NDEKTSV4RRFFQ69G5FAV-undo/3")));
    CHECK_FALSE(commands::looks_made(*commands::parse_operation_ref("81ARZ3NDEKTSV4RRFFQ69G5FAV")));
    CHECK_FALSE(commands::looks_made(*commands::parse_operation_ref("ticket-17")));
}

TEST_CASE("history prints what the journal has without asking any server") {
    RecordedContext context;
    CHECK(context.run(commands::history_command(), {"OP"}) == ExitCode::done);
    CHECK(mentions(context.output(), "41 -> none"));
    CHECK(mentions(context.output(), "OP/1"));
    CHECK(mentions(context.output(), "because"));
}

// Only the undo's own record told of it.
TEST_CASE("history says of a change what took it back later and when") {
    RecordedContext untouched;
    CHECK(untouched.run(commands::history_command(), {"OP"}) == ExitCode::done);
    CHECK_FALSE(mentions(untouched.output(), "UNDONE"));
    CHECK(untouched.errors().empty());

    RecordedContext context;
    context.record_undo();
    CHECK(context.run(commands::history_command(), {"OP"}) == ExitCode::done);
    CHECK(mentions(context.output(), "UNDONE BY"));
    CHECK(mentions(context.output(), "TAKEN-BACK"));
    CHECK(mentions(context.errors(), "operation 'OP' was undone by 'TAKEN-BACK', 1970-01-01T00:16:00"));

    RecordedContext listed;
    listed.record_undo();
    listed.given.output = "ndjson";
    CHECK(listed.run(commands::history_command(), {}) == ExitCode::done);
    CHECK(mentions(listed.output(), R"("undone_by":"TAKEN-BACK","undone_at_iso":"1970-01-01T00:16:00)"));
    CHECK(mentions(listed.output(), R"("undone_by":null,"undone_at_iso":null)"));
}

TEST_CASE("history says how many changes of an operation were taken back where not all were") {
    RecordedContext context;
    context.record(head_of("OP", domain::WriteKind::reset, "test"), {"7", "1500", std::nullopt, std::nullopt}, 2);
    context.record_undo();
    CHECK(context.run(commands::history_command(), {"OP"}) == ExitCode::done);
    CHECK(mentions(context.errors(), "1 of 2 changes of operation 'OP' was undone by 'TAKEN-BACK'"));
}

// Which deployment a row is of was in -o wide and -o json alone.
TEST_CASE("history of a key says of each row which deployment it is of where they are of several") {
    RecordedContext context;
    CHECK(context.run(commands::history_command(), {"core:a"}) == ExitCode::done);
    CHECK_FALSE(mentions(context.output(), "DEPLOYMENT"));
    RecordedContext both;
    both.record(head_of("OTHER", domain::WriteKind::reset, "production"), {"7", "1500", std::nullopt, std::nullopt});
    CHECK(both.run(commands::history_command(), {"core:a"}) == ExitCode::done);
    CHECK(mentions(both.output(), "DEPLOYMENT"));
    CHECK(mentions(both.output(), "production"));
}

TEST_CASE("an undo of another deployment's operation is refused before any server is asked") {
    RecordedContext context("production");
    CHECK(context.run(commands::undo_command(), {"OP"}) == ExitCode::guard);
    CHECK(mentions(context.errors(), "'production'"));
}

TEST_CASE("what put windows back cannot be taken back") {
    FakeContext context;
    context.journal().begin(head_of("MOVE", domain::WriteKind::restore, "test"));
    auto undo = head_of("UNDO", domain::WriteKind::refund, "test");
    undo.undoes = "OP";
    context.journal().begin(undo);
    CHECK(context.run(commands::undo_command(), {"MOVE"}) == ExitCode::guard);
    CHECK(context.run(commands::undo_command(), {"UNDO"}) == ExitCode::guard);
    CHECK(mentions(context.errors(), "undo of 'OP'"));
}

TEST_CASE("an operation that sent nothing has nothing to take back") {
    FakeContext context;
    context.journal().begin(head_of("EMPTY", domain::WriteKind::reset, "test"));
    CHECK(context.run(commands::undo_command(), {"EMPTY"}) == ExitCode::attention);
}

TEST_CASE("the amount of a count is what was asked for or else the difference in its window") {
    using commands::amount_of;
    auto asked = changed(domain::WriteKind::count, {"10", "1500", {}}, {"15", "1500", {}});
    CHECK(amount_of(asked) == 5);
    asked.intent.amount = 4;
    CHECK(amount_of(asked) == 4);
    CHECK(amount_of(changed(domain::WriteKind::count, {}, {"3", "1500", {}})) == 3);
    CHECK(amount_of(changed(domain::WriteKind::count, {"90", "900", {}}, {"3", "1500", {}})) == 3);
    CHECK_FALSE(amount_of(changed(domain::WriteKind::count, {}, {"many", "1500", {}})));
    auto refund = changed(domain::WriteKind::refund, {"10", "1500", {}}, {"0", "1500", {}});
    refund.outcome->taken = 10;
    refund.intent.amount = 25;
    CHECK(amount_of(refund) == 10);
    CHECK(commands::window_of(refund) == support::from_epoch(1500));
}

TEST_CASE("a dry undo of a reset sees newer windows and windows that are over") {
    const auto now = support::from_epoch(1000);
    const config::Settings settings;
    const auto forecast = [&](const domain::StoredWindow& removed, const domain::WindowLook& look, bool merge) {
        return commands::forecast_undo(changed(domain::WriteKind::reset, removed, {}), look,
                                       {.merge = merge, .settings = &settings}, {}, now);
    };
    const domain::StoredWindow removed{"41", "1500", {}};
    CHECK(forecast(removed, window_now({}, {}), false).after.used == "41");
    CHECK(forecast(removed, window_now("1", "1600"), false).refusal->reason == "window-there");
    CHECK(forecast(removed, window_now({}, "1600"), false).refusal->reason == "window-there");
    CHECK(forecast(removed, window_now("1", "1600"), true).after.used == "42");
    CHECK(forecast(removed, window_now("1", "1600"), true).after.reset_at == "1500");
    CHECK(forecast(removed, window_now("x", "1600"), true).refusal->reason == "not-an-integer");
    CHECK(forecast({"41", "999", {}}, window_now({}, {}), false).refusal->reason == "closed");
    CHECK_FALSE(forecast({"41", "1000", {}}, window_now({}, {}), false).refusal);
    CHECK_FALSE(forecast({"text", std::nullopt, {}}, window_now({}, {}), false).refusal);
}
