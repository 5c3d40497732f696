// The runner of the cli tests: what a program reads, writes and returns comes through unchanged.
#include "support/run_ratectl.h"

#include <csignal>

#include "support/catch.h"

using namespace ratectl::test;
using namespace std::chrono_literals;

TEST_CASE("a program run by a test gets its input and gives back output errors and code") {
    RunOptions options;
    options.input = std::string(300'000, 'x');
    const auto result = run_program("/bin/sh", {"-c", "cat | wc -c; echo err >&2; exit 3"}, options);
    CHECK(result.code == 3);
    CHECK(result.out == "300000\n");
    CHECK(result.err == "err\n");
    CHECK(result.peak_rss_kib > 500);
}

TEST_CASE("a program run on a terminal sees one of the size asked for") {
    RunOptions options;
    options.terminal = true;
    options.typed = "hello\n";
    const auto result = run_program("/bin/sh", {"-c", "tty > /dev/null && stty size; read a; echo \"<$a>\""}, options);
    CHECK(result.code == 0);
    // The terminal echoes what is typed when it likes: before the size, or after it.
    auto said = result.terminal;
    const auto echo = said.find("hello\r\n");
    REQUIRE(echo != std::string::npos);
    said.erase(echo, 7);
    CHECK(said == "40 100\r\n<hello>\r\n");
}

TEST_CASE("a program with pipes can still ask on its terminal") {
    RunOptions options;
    options.terminal_only_for_questions = true;
    options.typed = "yes\n";
    options.input = "in\n";
    const auto result =
        run_program("/bin/sh", {"-c", "read a; printf 'sure? ' > /dev/tty; read b < /dev/tty; echo $a-$b"}, options);
    CHECK(result.out == "in-yes\n");
    CHECK(result.terminal == "sure? yes\r\n");
}

TEST_CASE("a program is signalled and cut off in time") {
    RunOptions signalled;
    signalled.signal_number = SIGTERM;
    signalled.signal_after = 50ms;
    CHECK(run_program("/bin/sleep", {"5"}, signalled).signal == SIGTERM);
    RunOptions hasty;
    hasty.timeout = 50ms;
    CHECK(run_program("/bin/sleep", {"5"}, hasty).timed_out);
}

TEST_CASE("a program inherits nothing of the environment but what it needs") {
    RunOptions options;
    options.environment["RATECTL_X"] = "y z";
    const auto result = run_program("/usr/bin/env", {}, options);
    std::size_t lines = 0;
    for (const char c : result.out) lines += c == '\n' ? 1 : 0;
    CHECK(lines == 4);
    CHECK(result.out.find("RATECTL_X=y z\n") != std::string::npos);
}
