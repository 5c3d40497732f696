// Children are started, awaited and ended; a mark never names another process.
#include "sandbox/process.h"

#include <unistd.h>

#include <csignal>

#include "support/catch.h"

using namespace ratectl::sandbox;
using namespace std::chrono_literals;

namespace {

ChildProcess shell(const std::string& script) {
    Spawn spawn;
    spawn.program = "/bin/sh";
    spawn.arguments = {"-c", script};
    return ChildProcess::start(spawn).value();
}

}  // namespace

TEST_CASE("the exit status of a child comes back") {
    CHECK(shell("exit 7").wait().code == 7);
    const auto killed = shell("kill -TERM $$").wait();
    CHECK(killed.signal == SIGTERM);
    CHECK(killed.as_shell() == 128 + SIGTERM);
}

TEST_CASE("a program that cannot be run is an error with its reason") {
    Spawn spawn;
    spawn.program = "/nonexistent/program";
    const auto child = ChildProcess::start(spawn);
    REQUIRE_FALSE(child.has_value());
    CHECK(child.error().message == "cannot start /nonexistent/program: No such file or directory");
}

TEST_CASE("a mark finds a living process and no other") {
    auto child = shell("sleep 30");
    const auto mark = mark_of(child.pid());
    REQUIRE(mark);
    CHECK(is_running(*mark));
    ProcessMark stranger = *mark;
    ++stranger.started;
    CHECK_FALSE(is_running(stranger));
    CHECK_FALSE(end_process(stranger, 10ms));
    CHECK(is_running(*mark));
    child.kill();
    CHECK_FALSE(is_running(*mark));
}

TEST_CASE("a process that ignores the polite signal is ended all the same") {
    auto child = shell("trap '' TERM; sleep 2; sleep 2; sleep 2");
    const auto mark = mark_of(child.pid());
    REQUIRE(mark);
    ::usleep(50000);
    CHECK(end_process(*mark, 50ms));
    CHECK_FALSE(is_running(*mark));
    CHECK(child.wait().signal == SIGKILL);
}

TEST_CASE("the owner of a child ends it") {
    pid_t pid = 0;
    {
        auto child = shell("sleep 30");
        pid = child.pid();
        CHECK(::kill(pid, 0) == 0);
    }
    CHECK(::kill(pid, 0) != 0);
}

TEST_CASE("a released child lives on") {
    ProcessMark mark;
    {
        auto child = shell("sleep 30");
        mark = child.release();
    }
    CHECK(is_running(mark));
    CHECK(end_process(mark, 1s));
}

TEST_CASE("programs are found on a search path and never in the working folder") {
    CHECK(find_program("sh", "/nonexistent:/bin") == "/bin/sh");
    CHECK(find_program("/bin/sh", "") == "/bin/sh");
    CHECK_FALSE(find_program("sh", "/nonexistent").has_value());
    CHECK_FALSE(find_program("sh", "::").has_value());
}
