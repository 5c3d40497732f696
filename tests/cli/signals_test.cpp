// Being told to stop, while waiting for input, for a reader or for a server.
#include <csignal>
#include <string>

#include "support/catch.h"
#include "support/contains.h"
#include "support/redis_server.h"
#include "support/run_ratectl.h"

namespace {

using ratectl::test::ratectl_binary;
using ratectl::test::run_program;
using ratectl::test::run_ratectl;
using ratectl::test::RunOptions;

RunOptions told(int number) {
    RunOptions options;
    options.close_input = false;
    options.signal_number = number;
    options.signal_after = std::chrono::milliseconds(300);
    options.timeout = std::chrono::milliseconds(10000);
    return options;
}

}  // namespace

TEST_CASE("each signal that asks for an end has its exit code while input is awaited") {
    for (const auto& [number, code] : {std::pair{SIGINT, 130}, {SIGTERM, 143}, {SIGHUP, 143}}) {
        const auto result = run_ratectl({"locate", "-", "-u", "redis://127.0.0.1:1"}, told(number));
        INFO(number);
        CHECK_FALSE(result.timed_out);
        CHECK(result.code == code);
        CHECK(result.signal == 0);
    }
}

TEST_CASE("what was answered before the signal is printed") {
    RunOptions options = told(SIGINT);
    options.input = "core:42\n";
    const auto result = run_ratectl({"locate", "-", "-u", "redis://127.0.0.1:1", "-o", "name"}, options);
    CHECK(result.code == 130);
    CHECK(result.out == "core:42\n");
}

TEST_CASE("doctor that is stopped says so") {
    ratectl::test::RedisServer server;
    server.pause();
    RunOptions options = told(SIGINT);
    options.environment["SERVERS"] = server.endpoint().url();
    const auto result = run_ratectl({"doctor", "-u", "env:SERVERS", "--timeout", "8s"}, options);
    server.resume();
    INFO(result.out << result.err);
    CHECK(result.code == 130);
    CHECK(ratectl::test::contains(result.err, "stopped before the end; nothing found in 0 windows"));
}

TEST_CASE("a signal ends the wait for a reader that does not read") {
    const auto result = run_program(
        "/bin/bash",
        {"-c", "R='" + ratectl_binary() +
                   "'; d=$(mktemp -d); mkfifo $d/f; exec 3<>$d/f;"
                   " yes core:42 | head -300000 | $R locate - -u redis://127.0.0.1:1 -o name > $d/f 3>&- & p=$!;"
                   " sleep 1; kill -TERM $p; wait $p; echo $?; rm -r $d"});
    CHECK_FALSE(result.timed_out);
    CHECK(result.out == "143\n");
}

TEST_CASE("a signal that the parent ignores stays ignored") {
    RunOptions options = told(SIGHUP);
    const auto result = run_program("/bin/bash",
                                    {"-c", "trap '' HUP; exec '" + ratectl_binary() +
                                               "' locate - -u redis://127.0.0.1:1 -o name < <(sleep 1; echo core:42)"},
                                    options);
    CHECK(result.code == 0);
    CHECK(result.out == "core:42\n");
}
