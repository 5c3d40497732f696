// Every write through a link that loses, cuts, delays and resets: what was reported is what stands on the server,
// operation by operation.
#include "fault/exactly_once.h"

#include <array>
#include <span>

#include "store/directory.h"
#include "support/built_programs.h"
#include "support/catch.h"

namespace ratectl::test {
namespace {

using domain::WriteKind;

constexpr std::uint64_t kFirstSeed = 11;

TrialReport agreed(const LossyTrial& trial) {
    const TrialReport report = run_trial(trial);
    UNSCOPED_INFO(report.shown(trial));
    CHECK(report.contradictions.empty());
    return report;
}

// The server is always there: nothing may stay unknown, unless the machine itself kept all processes waiting.
void check_known(const LossyTrial& trial, const TrialReport& report) {
    if (report.machine_was_busy()) return;
    UNSCOPED_INFO(report.shown(trial));
    CHECK(report.unknown == report.unknown_starved);
    CHECK(report.unknown * 20 <= trial.operations * trial.calls);
}

void check_mix(WriteKind kind, std::uint64_t seed) {
    if (is_binary_sanitized() && seed != kFirstSeed) return;
    const LossyTrial trial{.kind = kind, .seed = seed};
    const auto report = agreed(trial);
    CHECK(report.applied + report.not_applied + report.unknown == 1000);
    CHECK((report.resolved > 0 || report.machine_was_busy()));
    CHECK((report.applied > 600 || report.machine_was_busy()));
    CHECK((report.link.faults.size() == 9 || report.machine_was_busy()));
    check_known(trial, report);
}

TEST_CASE("A thousand increments through a lossy link count what they report with seed 11") {
    check_mix(WriteKind::count, 11);
}
TEST_CASE("A thousand increments through a lossy link count what they report with seed 12") {
    check_mix(WriteKind::count, 12);
}
TEST_CASE("A thousand increments through a lossy link count what they report with seed 13") {
    check_mix(WriteKind::count, 13);
}
TEST_CASE("A thousand refunds through a lossy link give back what they report with seed 11") {
    check_mix(WriteKind::refund, 11);
}
TEST_CASE("A thousand refunds through a lossy link give back what they report with seed 12") {
    check_mix(WriteKind::refund, 12);
}
TEST_CASE("A thousand refunds through a lossy link give back what they report with seed 13") {
    check_mix(WriteKind::refund, 13);
}
TEST_CASE("A thousand resets through a lossy link remove what they report with seed 11") {
    check_mix(WriteKind::reset, 11);
}
TEST_CASE("A thousand resets through a lossy link remove what they report with seed 12") {
    check_mix(WriteKind::reset, 12);
}
TEST_CASE("A thousand resets through a lossy link remove what they report with seed 13") {
    check_mix(WriteKind::reset, 13);
}

/// Windows of other limiters; a request of a moment is so long that none is free again while a trial lasts.
const domain::Limiter& limiter_called(const char* scheme, std::int64_t limit = 10) {
    static std::vector<domain::Policy> policies(1);
    policies[0].name = "all";
    policies[0].key = support::value_or_throw(domain::KeyTemplate::parse("{client}"));
    policies[0].limit = limit;
    policies[0].period = support::Seconds{10'000};
    policies[0].burst = 2'000'000;
    return store::limiter_of({scheme, ""}, policies).of("k");
}

TEST_CASE("Windows of other limiters through a lossy link hold what was reported of them") {
    const std::array schemes{"rate-limiter-flexible", "redis-cell", "redis-rate", "stripe",
                             "upstash-token",         "limitlion"};
    for (const char* scheme : std::span(schemes).first(few_if_sanitized(schemes.size()))) {
        INFO(scheme);
        for (const auto kind : {WriteKind::count, WriteKind::refund}) {
            LossyTrial trial{.kind = kind, .seed = 14, .operations = 200};
            trial.limiter = &limiter_called(scheme);
            const auto report = agreed(trial);
            CHECK(report.applied + report.not_applied + report.unknown == 200);
            CHECK((report.applied > 120 || report.machine_was_busy()));
            check_known(trial, report);
        }
    }
}

// They are kept request by request, and the server takes a millisecond for a refund of many: so few and few at once
// that it is not the server's own work that lets a client's time run out.
TEST_CASE("Logs and leases through a lossy link hold what was reported of them") {
    const std::array schemes{"limits-moving", "stripe-concurrent", "koa", "rolling", "redis-docs-list"};
    for (const char* scheme : std::span(schemes).first(is_binary_sanitized() ? 2 : schemes.size())) {
        INFO(scheme);
        for (const auto kind : {WriteKind::count, WriteKind::refund}) {
            LossyTrial trial{.kind = kind, .full = 200, .seed = 14, .operations = 100, .workers = 12};
            trial.limiter = &limiter_called(scheme, 5000);
            const auto report = agreed(trial);
            CHECK(report.applied + report.not_applied + report.unknown == 100);
            CHECK((report.applied > 60 || report.machine_was_busy()));
            check_known(trial, report);
        }
    }
}

TEST_CASE("Hundreds of windows that are put back through a lossy link are there as reported") {
    for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + few_if_sanitized(3U); ++seed) {
        const LossyTrial trial{.kind = WriteKind::restore, .seed = seed, .operations = 400};
        const auto report = agreed(trial);
        CHECK((report.applied > 240 || report.machine_was_busy()));
        check_known(trial, report);
    }
}

TEST_CASE("Several calls of one operation on their way at once are each counted once") {
    for (const auto kind : {WriteKind::count, WriteKind::refund, WriteKind::reset, WriteKind::restore}) {
        LossyTrial trial{.kind = kind, .seed = 21, .workers = 16, .calls = 5, .share = 20};
        trial.operations = few_if_sanitized(100U);
        const auto report = agreed(trial);
        CHECK(report.applied + report.not_applied + report.unknown == trial.operations * trial.calls);
        check_known(trial, report);
    }
}

/// How long the reply of a write is, for cutting it everywhere.
std::size_t reply_size(WriteKind kind) {
    LossyTrial trial{
        .kind = kind, .operations = 8, .workers = 1, .chooser = [](const LinkRequest&) { return LinkFault{}; }};
    trial.timeout = support::Milliseconds(2000);  // never late
    const auto report = run_trial(trial);
    REQUIRE(report.applied == 8);
    return report.link.last_write_reply;
}

TEST_CASE("A reply that is cut after any of its bytes is resolved and never believed in half") {
    const std::array kinds{WriteKind::count, WriteKind::refund, WriteKind::reset};
    for (const auto kind : std::span(kinds).first(few_if_sanitized(kinds.size()))) {
        const auto size = reply_size(kind);
        REQUIRE(size > 20);
        LossyTrial trial{.kind = kind, .seed = 31, .operations = size + 8, .workers = 48};
        trial.timeout = support::Milliseconds(2000);  // cut, and never late
        // Every second write passes: what is sent again, and scripts that the server does not know yet.
        trial.chooser = [cut = std::size_t(0)](const LinkRequest& request) mutable {
            if (!request.write || request.number < 60 || request.number % 2 == 0) return LinkFault{};
            return LinkFault{FaultMode::cut_reply, {}, cut++};
        };
        trial.operations = 3 * size + 80;  // enough for every byte, also where a slow tool asks less often
        const auto report = agreed(trial);
        CHECK(report.link.faults.at(FaultMode::cut_reply) >= size);
        check_known(trial, report);
    }
}

TEST_CASE("Without operation keys nothing is sent twice and unknown stays unknown") {
    for (const auto kind : {WriteKind::count, WriteKind::refund, WriteKind::reset}) {
        LossyTrial trial{.kind = kind, .seed = 41, .operations = 300, .workers = 32, .share = 30};
        trial.operation_keys = false;
        const auto report = agreed(trial);
        CHECK(report.unknown > 0);
        // What came too late for the server to look at may go again: it proves that nothing was done.
        CHECK((report.sent_again == 0 || report.machine_was_busy()));
        CHECK(report.resolved == 0);
        CHECK(report.applied + report.not_applied + report.unknown == 300);
    }
}

}  // namespace
}  // namespace ratectl::test
