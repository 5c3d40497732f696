// Words for broken connections: times that read as they were given, and what may have been carried out.
#include "redis/faults.h"

#include "support/catch.h"

namespace ratectl {
namespace {

using namespace std::chrono_literals;
using redis::TimeLimit;
using redis::WireError;
using support::ExitCode;

TEST_CASE("a time limit reads as it was given although a moment has passed") {
    CHECK(TimeLimit::words(2s - 300us) == "2s");
    CHECK(TimeLimit::words(2s - 40ms) == "2s");
    CHECK(TimeLimit::words(1s - 1ms) == "1s");
    CHECK(TimeLimit::words(500ms - 1ms) == "500ms");
    CHECK(TimeLimit::words(250ms) == "250ms");
    CHECK(TimeLimit::words(90s) == "1m30s");
    CHECK(TimeLimit::words(-5ms) == "0ms");
}

TEST_CASE("the same deadline continues an exchange and another one starts anew") {
    const auto now = std::chrono::steady_clock::now();
    TimeLimit limit(now + 2s);
    limit.restart_unless_same(now + 2s);
    CHECK(limit.words() == "2s");
    limit.restart_unless_same(now + 5s);
    CHECK(limit.words() == "5s");
    CHECK(limit.deadline() == now + 5s);
}

TEST_CASE("a timeout is never called a temporarily unavailable resource") {
    redis::EventLoop loop;
    const TimeLimit limit(std::chrono::steady_clock::now() + 2s);
    const WireError late{WireError::Kind::timed_out, std::make_error_code(std::errc::resource_unavailable_try_again),
                         0};
    CHECK(redis::receive_fault(loop, late, "here", limit, 0).error.message == "here: no reply within 2s");
    CHECK(redis::receive_fault(loop, late, "here", limit, 7).error.message == "here: no whole reply within 2s");
    CHECK(redis::receive_fault(loop, late, "here", limit, 0).maybe_executed);
    CHECK_FALSE(redis::send_fault(loop, late, "here", limit, false).maybe_executed);
}

TEST_CASE("an abort is an interruption with the signal's own exit code") {
    support::StopSignal stop;
    redis::EventLoop loop(&stop);
    CHECK(redis::interrupted(loop, "here", true).error.code == ExitCode::interrupted);
    stop.set(SIGTERM);
    const redis::Fault fault = redis::interrupted(loop, "here", true);
    CHECK(fault.error.code == ExitCode::terminated);
    CHECK(fault.maybe_executed);
    CHECK_FALSE(fault.transient);
}

}  // namespace
}  // namespace ratectl
