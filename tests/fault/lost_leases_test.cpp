// A governor whose lease is taken while the reply is lost.
#include "fault/linked_deployment.h"

namespace ratectl::test {
namespace {

RunResult step(const LinkedDeployment& box, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{
        "governor", "step",        "search", "--scheme", "limitlion", "--key",   "throttle:{client}", "--load-command",
        "echo 9",   "--set-point", "1",      "--max",    "50",        "--apply", "--timeout",         "1s"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return box.run(arguments);
}

void tune(LinkedDeployment& box) {
    box.server.command({"HSET", "throttle:search:knobs", "rps", "10", "burst", "2", "window", "5"});
}

TEST_CASE("a lease whose reply is lost is asked for once more") {
    LinkedDeployment box;
    tune(box);
    box.at_next_write({}, {FaultMode::drop_reply});
    const auto result = step(box);
    INFO(result.err);
    CHECK(result.code == 0);
    CHECK(box.server.command({"HGET", "throttle:search:knobs", "rps"}) == "0");
}

// It was 4, which says that nothing was written, and the next step was refused for as long as the lease lasted.
TEST_CASE("a lease that is not answered is said to be perhaps taken, and the outcome unknown") {
    for (const auto mode : {FaultMode::drop_reply, FaultMode::blackhole}) {
        LinkedDeployment box;
        tune(box);
        box.proxy.choose(
            [mode](const LinkRequest& request) { return LinkFault{request.write ? mode : FaultMode::ok}; });
        const auto result = step(box, {"--lease", "40s"});
        INFO(name_of(mode) << ": " << result.err);
        CHECK(result.code == 8);
        CHECK(contains(result.err, "the throttle may be reserved for this run, for 40s at most"));
        CHECK(box.server.command({"HGET", "throttle:search:knobs", "rps"}) == "10");
    }
}

}  // namespace
}  // namespace ratectl::test
