// What a command's outcome says of answers, failures, what was left out and a signal.
#include "commands/outcome.h"

#include <csignal>

#include "support/catch.h"
#include "unit/commands/fake_context.h"

using namespace ratectl;
using namespace ratectl::commands;

namespace {

const domain::Node kAlpha{"alpha", domain::Role::primary, {}};
const support::Error kSilent{ExitCode::unavailable, "no answer", ""};

struct Told {
    explicit Told(int signal = 0) {
        if (signal != 0) stop.set(signal);
    }
    test::FakeContext context;
    support::StopSignal stop;
    Outcome outcome{context.messages(), stop};
};

}  // namespace

TEST_CASE("what failed leaves a command partial beside an answer, and failed without one") {
    Told told;
    CHECK(told.outcome.code() == ExitCode::done);
    told.outcome.fail(kAlpha, kSilent);
    told.outcome.fail(ExitCode::access);
    CHECK(told.outcome.code() == ExitCode::unavailable);
    told.outcome.answer();
    CHECK(told.outcome.code() == ExitCode::partial);
    told.outcome.add(ExitCode::unknown);
    CHECK(told.outcome.code() == ExitCode::unknown);
}

TEST_CASE("a finding is the least grave of endings and an answer does not make it partial") {
    Told told;
    told.outcome.answer();
    told.outcome.attend();
    CHECK(told.outcome.code() == ExitCode::attention);
    told.outcome.add(ExitCode::configuration);
    CHECK(told.outcome.code() == ExitCode::configuration);
}

TEST_CASE("what a signal left undone is not partial") {
    Told told;
    told.outcome.leave_undone();
    CHECK(told.outcome.code() == ExitCode::partial);
    CHECK_FALSE(told.outcome.footer().complete);
    Told interrupted(SIGINT);
    interrupted.outcome.leave_undone();
    CHECK(interrupted.outcome.code() == ExitCode::interrupted);
    CHECK_FALSE(interrupted.outcome.footer().complete);
    Told terminated(SIGTERM);
    terminated.outcome.fail(ExitCode::unavailable);
    CHECK(terminated.outcome.code() == ExitCode::terminated);
}

TEST_CASE("a node that failed is listed once where it is told of twice") {
    Told told;
    told.outcome.fail_once(kAlpha, kSilent);
    told.outcome.fail_once(kAlpha, kSilent);
    REQUIRE(told.outcome.failures().size() == 1);
    CHECK(told.outcome.failures().front().shard == "alpha");
    CHECK_FALSE(told.outcome.footer().complete);
}

// A document of changes said that it was complete beside rows that had failed.
TEST_CASE("a document is complete exactly where the exit code says that all was done") {
    Told attended;
    attended.outcome.answer();
    attended.outcome.attend();
    CHECK(attended.outcome.footer().complete);
    CHECK_FALSE(attended.outcome.footer(false).complete);
    Told failed;
    failed.outcome.answer();
    failed.outcome.fail(ExitCode::guard);
    CHECK_FALSE(failed.outcome.footer().complete);
    Told unknown;
    unknown.outcome.add(ExitCode::unknown);
    CHECK_FALSE(unknown.outcome.footer().complete);
}

TEST_CASE("failures are listed once and no more of them than a document can carry") {
    Told told;
    for (int i = 0; i < 3000; ++i) {
        told.outcome.fail({"alpha", "", 7, "key 'core:" + std::to_string(i / 2) + "' is protected", ""});
    }
    CHECK(told.outcome.footer().failures.size() == 1000);
    CHECK(told.outcome.footer().failures.at(1).message == "key 'core:1' is protected");
}

TEST_CASE("the outcome of a part keeps its code and lists its failures") {
    Told told;
    Outcome part(told.context.messages(), told.stop);
    part.fail(kAlpha, kSilent);
    told.outcome.answer();
    told.outcome.add(part);
    CHECK(told.outcome.code() == ExitCode::unavailable);
    CHECK(told.outcome.failures().size() == 1);
}

TEST_CASE("an error that ends a command hides nothing graver") {
    Told told;
    told.outcome.add(ExitCode::unknown);
    try {
        told.outcome.end_by({ExitCode::output_closed, "nothing reads it", ""});
    } catch (const support::Failure& failure) {
        CHECK(failure.error().code == ExitCode::unknown);
        CHECK(failure.error().message == "nothing reads it");
    }
}
