// watch on a real terminal: lines that stay in their columns while windows change, and how Ctrl-C leaves the screen.
#include <chrono>

#include "cli/scenes_box.h"
#include "cli/watching.h"
#include "support/catch.h"
#include "terminal/terminal_box.h"

using namespace ratectl::test;

namespace {

/// The whole machine seems to be at noon, so that times of today are shown without their date.
struct WatchBox : TerminalBox {
    TerminalOptions at_noon(unsigned columns) const {
        TerminalOptions chosen = options(columns);
        chosen.rows = 16;
        chosen.environment.erase("RATECTL_NOW");
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        const auto ahead = std::chrono::floor<std::chrono::milliseconds>(std::chrono::seconds(kNoon) - now);
        chosen.environment.merge(clock_ahead(ahead));
        return chosen;
    }
    static constexpr std::int64_t kReset = kNoon + 9059;  // reads the same for most of a minute

    /// What happens to two windows, each step seen before the next; none of it has a rate that would differ from run to
    /// run.
    void play(TerminalSession& session) {
        session.wait_for("core:bob");
        put_window(server(), "core:bob", 1234567, kReset);
        session.wait_for("exhausted");
        server().command({"DECRBY", "core:bob", "1234500"});
        session.wait_for("refunded");
        remove_window(server(), "core:alice");
        session.wait_for("removed");
        session.press("C-c");
        session.wait_for("^C");
    }
};

const std::vector<std::string> kWatch{"watch", "core:alice", "core:bob", "--every", "50ms", "-q", "-o", "table"};

}  // namespace

TEST_CASE("watch on 80 columns keeps its columns in place") {
    if (!has_tmux()) return;
    WatchBox box;
    put_window(box.server(), "core:alice", 12, WatchBox::kReset);
    TerminalSession session(kWatch, box.at_noon(80));
    box.play(session);
    session.wait_for("-o wide shows all");  // the last that it says
    check_screen("watch-80", session.screen());
}

TEST_CASE("watch on 120 columns shows more of each change") {
    if (!has_tmux()) return;
    WatchBox box;
    put_window(box.server(), "core:alice", 12, WatchBox::kReset);
    TerminalSession session(kWatch, box.at_noon(120));
    box.play(session);
    check_screen("watch-120", session.screen());
}

TEST_CASE("a watch that waits in vain ends a terminal's line with its summary") {
    if (!has_tmux()) return;
    WatchBox box;
    put_window(box.server(), "core:alice", 12, WatchBox::kReset);
    TerminalSession session({"watch", "core:alice", "--until", "exhausted", "--deadline", "300ms"}, box.at_noon(80));
    CHECK(session.wait_for_end().code == 1);
    CHECK(session.screen().find("\nratectl: 1 window watched for ") != std::string::npos);
}
