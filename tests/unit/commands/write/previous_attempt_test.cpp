// What a repeated operation finds out about itself where its operation keys are gone and only the journal is left.
#include "commands/write/previous_attempt.h"
#include "support/catch.h"
#include "unit/commands/fake_context.h"
#include "unit/commands/write/change_of_kind.h"

using namespace ratectl;
using namespace ratectl::commands;
using ratectl::test::FakeContext;

namespace {

constexpr support::Seconds kLongAgo{20 * 60};

/// An operation `op` that was begun on this machine for core:0 and core:1, and is repeated now.
struct Repeated {
    FakeContext context;
    Orders orders;
    std::vector<PlannedKey> keys{2};

    explicit Repeated(bool op_keys = true) {
        orders.head.operation.id = "op";
        orders.head.kind = domain::WriteKind::count;
        orders.head.command = "increment";
        orders.head.deployment = "test";
        orders.head.started_at = context.wall_clock();
        orders.head.op_keys = op_keys;
        orders.op_keys = op_keys;
        keys[0].key = "core:0";
        keys[1].key = "core:1";
        context.journal().begin(orders.head);
    }
    void intend(std::uint64_t row, const std::string& key, support::Seconds ago,
                const std::string& node = "10.0.0.1:6379") {
        const std::vector<journal::Intent> intents{{row, 1, "alpha", node, "", key, "window:exp", 1,
                                                    context.wall_clock() - ago, slices().front().fingerprint}};
        context.journal().intend("op", intents);
    }
    void conclude(std::uint64_t row, domain::WriteStatus status, const std::string& reset_at = "1600") {
        journal::Outcome outcome;
        outcome.row = row;
        outcome.status = status;
        outcome.before = {"4", reset_at, {}};
        outcome.after = {"5", reset_at, {}};
        context.journal().conclude("op", std::vector{outcome});
    }
    std::vector<PlannedSlice> slices(const std::string& asked = "increment 1") const {
        return Slicer(asked, store::limiter_of({})).cut(keys);
    }
    std::vector<std::optional<EarlierWrite>> known() {
        const auto change = test::change_of_kind(domain::WriteKind::count, context.settings());
        return PreviousAttempt(orders, *change, context).of(keys, slices(), 1);
    }
};

ExitCode repeat_refusal(Repeated& repeated, domain::WriteKind kind, const std::string& asked = "increment 1") {
    try {
        const auto change = test::change_of_kind(kind, repeated.context.settings());
        PreviousAttempt(repeated.orders, *change, repeated.context).of(repeated.keys, repeated.slices(asked), 1);
    } catch (const support::Failure& failure) {
        return failure.error().code;
    }
    return ExitCode::done;
}

}  // namespace

TEST_CASE("what was never begun may be sent") {
    Repeated repeated;
    const auto known = repeated.known();
    CHECK_FALSE(known[0]);
    CHECK_FALSE(known[1]);
}

TEST_CASE("what the journal saw applied is answered from there") {
    Repeated repeated;
    repeated.intend(2, "core:1", kLongAgo);
    repeated.conclude(2, domain::WriteStatus::applied);
    const auto known = repeated.known();
    CHECK_FALSE(known[0]);
    REQUIRE(known[1]);
    CHECK(known[1]->kind == EarlierWrite::Kind::answered);
    CHECK(known[1]->answer.before.used == "4");
    CHECK(known[1]->answer.after.used == "5");
}

// A failover that had lost it was not noticed.
TEST_CASE("what the journal saw applied at a server that is another one now may be lost while its window lasts") {
    Repeated repeated;
    const auto now = support::epoch_seconds(repeated.context.now());
    repeated.intend(1, "core:0", kLongAgo, "10.9.9.9:6379");
    repeated.conclude(1, domain::WriteStatus::applied, std::to_string(now));
    repeated.intend(2, "core:1", kLongAgo, "10.9.9.9:6379");
    repeated.conclude(2, domain::WriteStatus::applied, std::to_string(now - 1));
    const auto known = repeated.known();
    REQUIRE((known[0] && known[1]));
    CHECK(known[0]->kind == EarlierWrite::Kind::lost);
    CHECK(known[0]->where == "at 10.9.9.9:6379, and shard 'alpha' is now 10.0.0.1:6379");
    CHECK(known[1]->kind == EarlierWrite::Kind::answered);
}

TEST_CASE("what the journal saw refused may be sent") {
    Repeated repeated;
    repeated.intend(1, "core:0", kLongAgo);
    repeated.conclude(1, domain::WriteStatus::refused);
    CHECK_FALSE(repeated.known()[0]);
}

TEST_CASE("an attempt without an end is doubtful once its operation key may be gone") {
    Repeated repeated;
    repeated.intend(1, "core:0", kLongAgo);
    const auto known = repeated.known();
    REQUIRE(known[0]);
    CHECK(known[0]->kind == EarlierWrite::Kind::doubtful);
    repeated.keys[0].if_reset = support::from_epoch(1600);  // cannot hit a newer window
    CHECK_FALSE(repeated.known()[0]);
}

TEST_CASE("an attempt without an end and without an operation key that would still be there was not carried out") {
    Repeated repeated;
    repeated.intend(1, "core:0", support::Seconds{60});
    CHECK_FALSE(repeated.known()[0]);
}

TEST_CASE("an attempt without operation keys that has no end is always doubtful") {
    Repeated repeated(false);
    repeated.intend(1, "core:0", support::Seconds{1});
    const auto known = repeated.known();
    REQUIRE(known[0]);
    CHECK(known[0]->kind == EarlierWrite::Kind::doubtful);
}

TEST_CASE("an id that stands for something else in the journal is refused") {
    Repeated repeated;
    CHECK(repeat_refusal(repeated, domain::WriteKind::reset) == ExitCode::guard);
    CHECK(repeat_refusal(repeated, domain::WriteKind::count) == ExitCode::done);
    repeated.intend(1, "core:another", support::Seconds{1});
    CHECK(repeat_refusal(repeated, domain::WriteKind::count) == ExitCode::guard);
    Repeated elsewhere;
    elsewhere.context.configured.deployment = "other";
    CHECK(repeat_refusal(elsewhere, domain::WriteKind::count) == ExitCode::guard);
}

// It was answered as if it were the same.
TEST_CASE("what the journal saw asked for on other terms is refused whether it was written or may have been") {
    Repeated repeated;
    repeated.intend(1, "core:0", support::Seconds{1});
    CHECK(repeat_refusal(repeated, domain::WriteKind::count, "increment 1 window 1600") == ExitCode::guard);
    repeated.conclude(1, domain::WriteStatus::applied);
    CHECK(repeat_refusal(repeated, domain::WriteKind::count, "increment 1 window 1600") == ExitCode::guard);
    CHECK(repeat_refusal(repeated, domain::WriteKind::count) == ExitCode::done);
    Repeated refused;
    refused.intend(1, "core:0", support::Seconds{1});
    refused.conclude(1, domain::WriteStatus::refused);
    CHECK(repeat_refusal(refused, domain::WriteKind::count, "increment 1 window 1600") == ExitCode::done);
}
