// A repeated operation whose earlier attempt has no known end: when it may be sent again, and when that could write
// twice.
#include "commands/write/previous_attempt.h"
#include "support/catch.h"
#include "unit/commands/fake_context.h"
#include "unit/commands/write/change_of_kind.h"

using namespace ratectl;
using namespace ratectl::commands;
using ratectl::test::FakeContext;

namespace {

constexpr support::Seconds kMoment{1};
constexpr support::Seconds kTwentyMinutes{20 * 60};
constexpr support::Seconds kOneDay{24 * 60 * 60};

struct EarlierAttempt {
    domain::WriteKind kind = domain::WriteKind::count;
    bool op_keys = true;      // then
    bool op_keys_now = true;  // when it is repeated
    support::Seconds ago = kTwentyMinutes;
    bool ends_unknown = false;  // else it has no outcome at all
    bool pinned = false;        // to the window that a plan saw
};

bool is_doubtful(const EarlierAttempt& attempt) {
    FakeContext context;
    Orders orders;
    orders.head.operation.id = "op";
    orders.head.kind = attempt.kind;
    orders.head.command = "apply";
    orders.head.deployment = "test";
    orders.head.op_keys = attempt.op_keys;
    orders.op_keys = attempt.op_keys_now;
    context.journal().begin(orders.head);
    std::vector<PlannedKey> keys(1);
    keys[0].key = "core:0";
    if (attempt.pinned) keys[0].if_reset = support::from_epoch(1600);
    const auto slices = Slicer("asked", store::limiter_of({})).cut(keys);
    const std::vector<journal::Intent> intents{{1, 1, "alpha", "10.0.0.1:6379", "run", "core:0", "window:exp", 1,
                                                context.wall_clock() - attempt.ago, slices.front().fingerprint}};
    context.journal().intend("op", intents);
    journal::Outcome unknown;
    unknown.row = 1;
    unknown.status = domain::WriteStatus::unknown;
    if (attempt.ends_unknown) context.journal().conclude("op", std::vector{unknown});

    const auto change = test::change_of_kind(attempt.kind, context.settings());
    const auto known = PreviousAttempt(orders, *change, context).of(keys, slices, 1);
    return known[0] && known[0]->kind == EarlierWrite::Kind::doubtful;
}

}  // namespace

TEST_CASE("an unknown outcome is as doubtful as none at all") {
    CHECK(is_doubtful({.ends_unknown = true}));
    CHECK(is_doubtful({.op_keys = false, .ago = kMoment, .ends_unknown = true}));
    CHECK_FALSE(is_doubtful({.ago = kMoment, .ends_unknown = true}));
}

TEST_CASE("to go on without operation keys makes an attempt with them doubtful") {
    CHECK(is_doubtful({.op_keys_now = false, .ago = kMoment}));
    CHECK_FALSE(is_doubtful({.ago = kMoment}));
}

TEST_CASE("a count that is pinned to its window is doubtful when no operation key outlives that window") {
    for (const auto kind : {domain::WriteKind::count, domain::WriteKind::refund}) {
        CHECK_FALSE(is_doubtful({.kind = kind, .pinned = true}));
        CHECK(is_doubtful({.kind = kind, .op_keys = false, .op_keys_now = false, .pinned = true}));
        CHECK(is_doubtful({.kind = kind, .ago = kOneDay, .pinned = true}));
    }
    CHECK_FALSE(is_doubtful(
        {.kind = domain::WriteKind::reset, .op_keys = false, .op_keys_now = false, .ago = kOneDay, .pinned = true}));
}
