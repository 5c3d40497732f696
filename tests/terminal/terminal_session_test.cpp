// The terminal of the tests itself: what it shows, how it is typed at, resized and left; and what golden screens leave
// out.
#include "support/terminal_session.h"

#include <csignal>

#include "support/catch.h"
#include "support/golden.h"

using ratectl::test::TerminalOptions;
using ratectl::test::TerminalSession;

namespace {

TerminalOptions shell(unsigned columns = 80, unsigned rows = 24) {
    TerminalOptions options;
    options.program = "sh";
    options.columns = columns;
    options.rows = rows;
    return options;
}

}  // namespace

TEST_CASE("a terminal of the tests shows text, takes keys and tells the exit code") {
    if (!ratectl::test::has_tmux()) return;
    TerminalSession session({"-c", "printf '\\033[31mred\\033[0m 日本\\n'; read answer; echo \"got $answer\"; exit 7"},
                            shell());
    session.wait_for("日本");
    CHECK(session.screen_with_attributes().find("^[[31mred") == 0);
    CHECK_FALSE(session.has_ended());
    session.type("a b;");
    session.press("Enter");
    session.wait_for("got a b;");
    CHECK(session.wait_for_end().code == 7);
    CHECK(session.screen() == "red 日本\na b;\ngot a b;\n");
    CHECK_THROWS(session.wait_for("something else"));
}

TEST_CASE("a terminal of the tests has the size that was asked for until it is resized") {
    if (!ratectl::test::has_tmux()) return;
    TerminalSession session({"-c", "stty size; read answer; stty size"}, shell(120, 30));
    session.wait_for("30 120");
    session.resize(60, 20);
    session.press("Enter");
    session.wait_for("20 60");
    CHECK(session.wait_for_end().code == 0);
}

TEST_CASE("a terminal of the tests passes on Ctrl-C and tells the signal") {
    if (!ratectl::test::has_tmux()) return;
    TerminalOptions options = shell();
    options.program = "sleep";
    TerminalSession session({"1000"}, options);
    session.press("C-c");
    const auto end = session.wait_for_end();
    CHECK(end.code == -1);
    CHECK(end.signal == SIGINT);
}

TEST_CASE("a terminal of the tests knows a full-screen program from one that has left its screen") {
    if (!ratectl::test::has_tmux()) return;
    TerminalSession session(
        {"-c", "echo before; printf '\\033[?1049hfull'; read answer; printf '\\033[?1049l'; read x"}, shell());
    session.wait_for("full");
    CHECK(session.on_alternate_screen());
    session.press("Enter");
    session.wait_for("before");
    CHECK_FALSE(session.on_alternate_screen());
}

TEST_CASE("a golden screen keeps its columns and loses times, ports, operations and folders") {
    CHECK(ratectl::test::without_what_changes(
              "core:1  2026-11-22T00:14:19.250Z (in 12m31s)  12s ago  127.0.0.1:40123  limit 100\n"
              "op 01KAMN3V5RJ6Y8Z0QW2E4T6Y8Z in /tmp/ratectl-test-a1B2c3/x\n") ==
          "core:1  0000-00-00T00:00:00.000Z (in 00m00s)  00s ago  000.0.0.0:00000  limit 100\n"
          "op OOOOOOOOOOOOOOOOOOOOOOOOOO in /tmp/xxxxxxx-xxxx-xxxxxx/x\n");
}
