// The parts of a change that need no server: amounts, the tally with its exit code, the spool of keys.
#include <csignal>

#include "commands/request/write_amount.h"
#include "commands/write/key_spool.h"
#include "commands/write/write_tally.h"
#include "support/catch.h"
#include "support/number_text.h"
#include "unit/commands/fake_context.h"

using namespace ratectl;
using namespace ratectl::commands;

namespace {

WriteRow row(RowStatus status, ExitCode code = ExitCode::done) {
    WriteRow one;
    one.status = status;
    if (code != ExitCode::done) one.error = support::Error{code, "why", {}};
    return one;
}

ExitCode conclusion(const std::vector<WriteRow>& rows, int signal = 0) {
    test::FakeContext context;
    support::StopSignal stop;
    if (signal != 0) stop.set(signal);
    Outcome outcome(context.messages(), stop);
    WriteTally tally(outcome);
    for (const auto& one : rows) tally.add(one);
    tally.conclude();
    return outcome.code();
}

/// `count` keys core:N on shard N modulo 3, every seventh with an amount and a guard.
class CountedKeys final : public PlannedKeys {
public:
    explicit CountedKeys(std::uint64_t count) : count_(count) {}
    std::vector<PlannedKey> next(std::size_t most) override {
        std::vector<PlannedKey> keys;
        for (; keys.size() < most && at_ < count_; ++at_) keys.push_back(key_at(at_));
        return keys;
    }
    static PlannedKey key_at(std::uint64_t i) {
        PlannedKey key;
        key.key = "core:\n" + std::to_string(i);
        key.shard = i % 3;
        if (i % 7 == 0) key.amount = -static_cast<std::int64_t>(i);
        if (i % 4 == 0) key.if_stored.emplace();
        if (i % 8 == 0) key.if_stored->used = i % 16 == 0 ? std::string() : std::string("\0x", 2);
        if (i % 7 == 0) key.if_reset = support::from_epoch(static_cast<std::int64_t>(i));
        if (i % 3 == 0) key.layout = "window:exp";
        key.misplaced = i % 5 == 0;
        return key;
    }
    std::uint64_t at_ = 0;

private:
    std::uint64_t count_;
};

std::shared_ptr<store::Directory> three_shards() {
    return store::configured_directory({{{"a", {}, {}, false}, {"b", {}, {}, false}, {"c", {}, {}, false}}});
}

void check_all(KeySpool& spool, std::uint64_t count) {
    std::uint64_t i = 0;
    for (auto keys = spool.next(777); !keys.empty(); keys = spool.next(777)) {
        CHECK(keys.size() <= 777);
        for (const auto& key : keys) {
            const auto wanted = CountedKeys::key_at(i++);
            const bool same = key.key == wanted.key && key.shard == wanted.shard && key.amount == wanted.amount &&
                              key.if_reset == wanted.if_reset && key.if_stored == wanted.if_stored &&
                              key.layout == wanted.layout && key.misplaced == wanted.misplaced;
            if (!same) FAIL("key " << i << " came back changed");
        }
    }
    CHECK(i == count);
}

}  // namespace

TEST_CASE("shares of what is used are exact and rounded down even for the largest counters") {
    CHECK(parse_requests_or_share("50%").of(51) == 25);
    CHECK(parse_requests_or_share("100%").of(support::kMaxExactInteger) == support::kMaxExactInteger);
    CHECK(parse_requests_or_share("0.01%").of(10'000) == 1);
    CHECK(parse_requests_or_share("0.01%").of(9'999) == 0);
    CHECK(parse_requests_or_share("33.3%").of(1000) == 333);
    CHECK(parse_requests_or_share("50%").of(-5) == 0);
    CHECK(parse_requests_or_share("40").of(7) == 40);
    CHECK(parse_requests_or_share("12.50%").text() == "12.5%");
    CHECK(parse_requests_or_share("0.05%").text() == "0.05%");
    CHECK(parse_requests_or_share("7%").text() == "7%");
}

TEST_CASE("amounts that could mean something else are refused") {
    for (const std::string bad :
         {"",  "0",  "-1",  "+1",   " 1",  "1 ",     "01",  "0x1", "1e3", "1.5", "9007199254740992",
          "%", "0%", "00%", "101%", "1.%", "1.005%", ".5%", "5%%", "1,5%"}) {
        INFO(bad);
        CHECK_THROWS_AS(parse_requests_or_share(bad), support::Failure);
    }
    CHECK(parse_requests("0", 0).requests == 0);
    CHECK(parse_requests("9007199254740991", 0).requests == support::kMaxExactInteger);
    CHECK_THROWS_AS(parse_requests("0", 1), support::Failure);
}

TEST_CASE("a change ends with the code of what happened to its keys") {
    using S = RowStatus;
    CHECK(conclusion({row(S::applied)}) == ExitCode::done);
    CHECK(conclusion({row(S::planned)}) == ExitCode::done);
    CHECK(conclusion({row(S::applied), row(S::skipped)}) == ExitCode::done);
    CHECK(conclusion({row(S::skipped)}) == ExitCode::attention);
    CHECK(conclusion({}) == ExitCode::attention);
    CHECK(conclusion({row(S::refused, ExitCode::guard)}) == ExitCode::guard);
    CHECK(conclusion({row(S::window_changed, ExitCode::guard)}) == ExitCode::guard);
    CHECK(conclusion({row(S::failed, ExitCode::unavailable)}) == ExitCode::unavailable);
    CHECK(conclusion({row(S::refused, ExitCode::write_refused)}) == ExitCode::write_refused);
    CHECK(conclusion({row(S::applied), row(S::refused, ExitCode::guard)}) == ExitCode::partial);
    CHECK(conclusion({row(S::applied), row(S::unknown, ExitCode::unknown), row(S::failed, ExitCode::unavailable)}) ==
          ExitCode::unknown);
    CHECK(conclusion({row(S::unknown, ExitCode::unknown)}) == ExitCode::unknown);
}

TEST_CASE("a stopped change is interrupted unless something graver happened") {
    using S = RowStatus;
    CHECK(conclusion({row(S::applied), row(S::not_attempted)}, SIGINT) == ExitCode::interrupted);
    CHECK(conclusion({row(S::not_attempted)}, SIGTERM) == ExitCode::terminated);
    CHECK(conclusion({row(S::applied), row(S::failed, ExitCode::unavailable), row(S::not_attempted)}, SIGINT) ==
          ExitCode::partial);
    CHECK(conclusion({row(S::unknown, ExitCode::unknown), row(S::not_attempted)}, SIGINT) == ExitCode::unknown);
}

TEST_CASE("the words of a tally leave out what did not happen and the numbers do not") {
    test::FakeContext context;
    Outcome outcome(context);
    WriteTally tally(outcome);
    CHECK(tally.words() == "no key was selected");
    tally.add(row(RowStatus::applied));
    tally.add(row(RowStatus::window_changed, ExitCode::guard));
    tally.add_not_attempted(3);
    CHECK(tally.words() == "1 applied, 1 window-changed, 3 not-attempted");
    CHECK(tally.rows() == 5);
    CHECK(tally.counts().size() == 9);
    CHECK(tally.counts()[4] == std::pair<std::string, std::int64_t>{"window_changed", 1});
}

TEST_CASE("keys read ahead come back as they were and in order from memory and file") {
    const support::StopSignal stop;
    for (const std::uint64_t count :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{120'345}}) {
        KeySpool spool(std::make_unique<CountedKeys>(count), "/tmp", stop);
        spool.read_ahead(std::nullopt);
        CHECK(spool.all_known());
        const auto plan = spool.plan(*three_shards());
        CHECK(plan.keys == count);
        CHECK_FALSE(plan.more_to_come);
        CHECK(plan.named_one == (count == 1));
        CHECK(plan.first_keys.size() == std::min<std::uint64_t>(count, 5));
        if (count == 1000) CHECK(plan.keys_per_shard.at("a") == 334);
        check_all(spool, count);
        CHECK(spool.known() == count);
    }
}

TEST_CASE("keys read only so far ahead are followed by the rest of their source") {
    const support::StopSignal stop;
    KeySpool spool(std::make_unique<CountedKeys>(5'000), "/tmp", stop);
    spool.read_ahead(501);
    const auto plan = spool.plan(*three_shards());
    CHECK(plan.keys >= 501);
    CHECK(plan.keys < 5'000);
    CHECK(plan.more_to_come);
    CHECK_FALSE(plan.named_one);
    check_all(spool, 5'000);
    CHECK(spool.known() == 5'000);

    KeySpool streamed(std::make_unique<CountedKeys>(5'000), "/tmp", stop);
    streamed.read_ahead(0);
    CHECK(streamed.known() == 0);
    check_all(streamed, 5'000);
}

namespace {

/// Gives pages of three, and breaks off after `good` keys.
class BreakingKeys final : public PlannedKeys {
public:
    explicit BreakingKeys(std::uint64_t good) : good_(good) {}
    std::vector<PlannedKey> next(std::size_t most) override {
        std::vector<PlannedKey> keys;
        for (; keys.size() < std::min<std::size_t>(most, 3) && at_ < good_; ++at_)
            keys.push_back(CountedKeys::key_at(at_));
        if (keys.empty()) throw support::Failure(ExitCode::local_io, "line 8: broken");
        return keys;
    }

private:
    std::uint64_t good_;
    std::uint64_t at_ = 0;
};

}  // namespace

TEST_CASE("keys before a break of their source are given and then the break is told") {
    const support::StopSignal stop;
    KeySpool spool(std::make_unique<BreakingKeys>(7), "/tmp", stop);
    CHECK(spool.next(5).size() == 3);
    CHECK(spool.next(5, true).size() == 4);
    CHECK_THROWS_AS(spool.next(5, true), support::Failure);
    CHECK(spool.known() == 7);
}

TEST_CASE("the keys of rows before a broken one are given before it is told") {
    test::FakeContext context(1, "{\"key\":\"core:1\"}\n{\"key\":\"core:2\"}\n{broken\n{\"key\":\"core:3\"}\n");
    Selection selection;
    selection.keys = {"-"};
    selection.input = "ndjson";
    KeyStream stream(selection, context);
    CHECK(stream.next(10).size() == 2);
    CHECK_THROWS_AS(stream.next(10), support::Failure);
}

TEST_CASE("writes that fewer replicas have than asked for end as partial") {
    test::FakeContext context;
    Outcome outcome(context);
    WriteTally tally(outcome, 2);
    WriteRow one = row(RowStatus::applied);
    one.acknowledged = 2;
    tally.add(one);
    CHECK(outcome.code() == ExitCode::done);
    one.acknowledged = 1;
    tally.add(one);
    CHECK(outcome.code() == ExitCode::partial);
    CHECK(tally.acknowledged() == 1);
    CHECK(tally.unacknowledged() == 1);
    one.status = RowStatus::already_applied;
    tally.add(one);
    one.acknowledged.reset();
    tally.add(one);
    CHECK(tally.acknowledged() == 1);
    CHECK(tally.unacknowledged() == 2);
    CHECK(tally.untold() == 1);
}

TEST_CASE("a sweep remembers which window it saw even when that was over") {
    test::FakeContext context;
    context.put("core:old", "3", "999");
    context.put("core:open", "3", "1600");
    Selection selection;
    selection.match = "core:*";
    PlanRules rules{.takes_closed = true, .sweeps = [](auto) { return true; }};
    const auto guarded = plan_keys(selection, rules, context)->next(10);
    REQUIRE(guarded.size() == 2);
    CHECK(guarded[0].if_reset == support::from_epoch(999));
    CHECK(guarded[1].if_reset == support::from_epoch(1600));
    rules.takes_closed = false;
    const auto free = plan_keys(selection, rules, context)->next(10);
    REQUIRE(free.size() == 2);
    CHECK_FALSE(free[0].if_reset);
    CHECK(free[0].if_stored == domain::StoredWindow{});  // as good as none, and none it has to stay
    CHECK(free[1].if_reset == support::from_epoch(1600));
}
