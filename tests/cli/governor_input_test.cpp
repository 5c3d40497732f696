// What a governor makes of an input that ends.
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

#include "cli/governed_box.h"
#include "support/catch.h"
#include "support/json.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

/// A run by standard input.
std::vector<std::string> fed(std::vector<std::string> more) {
    std::vector<std::string> arguments{"governor", "run", "search", "--load-file", "-", "--set-point", "2"};
    arguments.insert(arguments.end(), {"--max", "200", "--every", "100ms"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

}  // namespace

TEST_CASE("a run whose only input ends before it was to end fails, and says what the throttle is left with") {
    GovernedDeployment box;
    const std::vector<std::string> iterations =
        GENERATE(std::vector<std::string>{}, std::vector<std::string>{"--iterations", "1000"});
    box.tune("50");
    auto arguments = fed(iterations);
    auto result = box.run(arguments, "1\n");
    CHECK(result.code == 10);
    CHECK(contains(result.err,
                   "standard input, the only input, has ended: nothing more is decided about throttle 'search'; 50 "
                   "requests a second are let through\n"));
    arguments.emplace_back("--apply");
    result = box.run(arguments, "0.5\n0.6\n99\n");
    CHECK(result.code == 10);
    CHECK(box.rps() == "0");
    CHECK(contains(result.err, "; no request is let through, and the breaker stays open"));
    CHECK(contains(result.err, "goes on from the last decision"));
    CHECK(box.explained().at("governed") == "free");
    // Also where nothing was ever said, and for those who read documents.
    arguments.insert(arguments.end(), {"-o", "json"});
    result = box.run(arguments);
    CHECK(result.code == 10);
    const auto document = parse_json(result.out);
    CHECK(document.at("complete") == false);
    CHECK(document.at("failures").at(0).at("code") == 10);
}

TEST_CASE("a run that has made its decisions when its input ends has done what it was asked for") {
    GovernedDeployment box;
    box.tune("50");
    const auto result = box.run(fed({"--iterations", "1"}), "1\n2\n1\n");
    CHECK(result.code == 0);
    CHECK_FALSE(contains(result.err, "has ended"));
    const auto path = box.box().file("recorded.txt");
    std::ofstream(path) << "1\n2\n";
    const auto from_file = box.run({"governor", "run", "search", "--load-file", path, "--set-point", "2", "--max",
                                    "200", "--every", "100ms", "--iterations", "3"});
    INFO(from_file.err);
    CHECK(from_file.code == 0);
}

// Its end was known before it was looked for again, and ended the run one decision early.
TEST_CASE("a run that reads all of its input at once finds the end when it looks again") {
    GovernedDeployment box;
    box.tune("50");
    // The shell has written all of it, and closed it, before the run begins.
    const auto run = [&box](std::vector<std::string> more) {
        auto arguments = fed(std::move(more));
        arguments.insert(arguments.begin(), {"-c", "exec \"$0\" \"$@\" <<END\n1\n2\n1\nEND\n", ratectl_binary()});
        RunOptions shell;
        shell.program = "/bin/sh";
        return box.box().run(arguments, shell);
    };
    const auto result = run({"--iterations", "2", "-o", "ndjson"});
    INFO(result.err);
    CHECK(result.code == 0);
    CHECK(std::ranges::count(result.out, '\n') == 2);
    CHECK(contains(result.err, "standard input: no load: it has ended"));
    CHECK(run({"--iterations", "3"}).code == 10);
}

TEST_CASE("a run goes on when one of its inputs has ended, and its breaker opens as for any that says no load") {
    GovernedDeployment box;
    box.tune("50");
    RunningGovernor run(box, fed({"--load-command", "echo 1", "--apply", "--hold-for", "500ms"}), "1\n");
    for (int i = 0; i < 400 && box.rps() != "0"; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK(box.rps() == "0");
    const auto result = run.end(SIGTERM);
    CHECK(result.code == 143);
    CHECK(contains(result.out, "blind"));
    const auto told = result.err.find("standard input: no load: it has ended");
    REQUIRE(told != std::string::npos);
    CHECK(result.err.find("it has ended", told + 40) == std::string::npos);
}

TEST_CASE("a step whose standard input is empty says that it has ended") {
    GovernedDeployment box;
    box.tune("50");
    const auto result = box.run({"governor", "step", "search", "--load-file", "-", "--set-point", "2", "--max", "200"});
    CHECK(result.code == 1);
    CHECK(contains(result.err, "standard input: no load: it has ended"));
}
