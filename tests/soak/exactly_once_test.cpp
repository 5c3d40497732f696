// A hundred seeds of everything that the fault tests try with three: hours, not seconds.
#include "fault/exactly_once.h"

#include "support/catch.h"

namespace ratectl::test {
namespace {

void check_seed(const LossyTrial& trial) {
    const auto report = run_trial(trial);
    INFO(report.shown(trial));
    CHECK(report.contradictions.empty());
    CHECK(report.unknown == report.unknown_starved);
    CHECK(report.applied + report.not_applied + report.unknown == trial.operations * trial.calls);
}

TEST_CASE("a hundred seeds of lossy links never make a write count twice or not at all") {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        for (const auto kind : {domain::WriteKind::count, domain::WriteKind::refund, domain::WriteKind::reset,
                                domain::WriteKind::restore}) {
            check_seed({.kind = kind, .seed = seed});
            check_seed({.kind = kind, .seed = seed, .operations = 200, .workers = 16, .calls = 6, .share = 25});
            check_seed({.kind = kind, .seed = seed, .operations = 300, .share = 90});
        }
    }
}

}  // namespace
}  // namespace ratectl::test
