// top on a real terminal: what it shows, how keys and sizes change it, and that the terminal is as before whatever ends
// it.
#include <signal.h>

#include <fstream>
#include <regex>

#include "output/printable.h"
#include "support/catch.h"
#include "terminal/terminal_box.h"

using namespace ratectl::test;

namespace {

/// Resets that read the same for most of a minute.
struct TopBox : TerminalBox {
    explicit TopBox(std::size_t shards = 1) : TerminalBox("writes = \"deny\"", shards) {
        set_window("core:alice", "12", kNoon + 9059);
        set_window("core:bob", "100", kNoon + 19'859);
        set_window("core:carol", "81", kNoon + 9059);
        set_window("core:erin-of-a-company-with-a-long-name.example.org", "2", kNoon + 189'000);
        set_window("core:\u65e5\u672c", "50", kNoon + 9059);
        set_window("core:\x1b[31mred", "40", kNoon + 9059);
        set_window("core:over", "99", kNoon - 60);
    }
    TerminalOptions lower(unsigned columns) const {
        TerminalOptions chosen = options(columns);
        chosen.rows = 16;
        return chosen;
    }
};

/// All rows have been looked at twice.
constexpr const char* kRates = " 0.0/s shown";

int child_of(int pid) {
    const std::string task = std::to_string(pid);
    int child = 0;
    std::ifstream("/proc/" + task + "/task/" + task + "/children") >> child;
    return child;
}

bool fits(const std::string& screen, std::size_t columns) {
    std::size_t begin = 0;
    for (std::size_t end = screen.find('\n'); end != std::string::npos; end = screen.find('\n', begin)) {
        if (ratectl::output::display_width(screen.substr(begin, end - begin)) > columns) return false;
        begin = end + 1;
    }
    return true;
}

}  // namespace

TEST_CASE("top on 80 columns and q gives the terminal back") {
    if (!has_tmux()) return;
    TopBox box;
    TerminalSession session({"top"}, box.lower(80));
    session.wait_for(kRates);
    CHECK(session.on_alternate_screen());
    check_screen("top-80", session.screen());
    session.type("q");
    CHECK(session.wait_for_end().code == 0);
    CHECK_FALSE(session.on_alternate_screen());
    CHECK(session.scrollback().empty());
}

TEST_CASE("top on 120 columns shows more and s the shards") {
    if (!has_tmux()) return;
    TopBox box;
    TerminalSession session({"top", "--sort", "percent"}, box.lower(120));
    session.wait_for(kRates);
    session.type("s");
    session.wait_for("SHARD");
    check_screen("top-120", session.screen());
}

TEST_CASE("top in the C locale shows nothing beyond ASCII") {
    if (!has_tmux()) return;
    TopBox box;
    auto options = box.lower(80);
    options.locale = "C";
    TerminalSession session({"top"}, options);
    session.wait_for(kRates);
    const std::string screen = session.screen();
    check_screen("top-c-locale", screen);
    for (const char c : screen) CHECK((c == '\n' || (c >= 0x20 && c < 0x7f)));
}

TEST_CASE("top has colours unless NO_COLOR is set") {
    if (!has_tmux()) return;
    TopBox box;
    TerminalSession colored({"top"}, box.lower(80));
    colored.wait_for(kRates);
    CHECK(colored.screen_with_attributes().find("^[[31m") != std::string::npos);
    auto options = box.lower(80);
    options.environment["NO_COLOR"] = "1";
    TerminalSession plain({"top"}, options);
    plain.wait_for(kRates);
    CHECK_FALSE(std::regex_search(plain.screen_with_attributes(), std::regex(R"(\^\[\[[0-9;]*3[0-7])")));
    check_screen("top-80", plain.screen());
}

TEST_CASE("top on a dumb terminal is a table") {
    if (!has_tmux()) return;
    TopBox box;
    auto options = box.lower(80);
    options.term = "dumb";
    check_screen("top-dumb", box.screen_of({"top"}, options));
}

TEST_CASE("help details and a filter on the screen of top") {
    if (!has_tmux()) return;
    TopBox box;
    TerminalSession session({"top"}, box.lower(80));
    session.wait_for(kRates);
    session.type("?");
    session.wait_for("rank by used, percent");
    check_screen("top-help", session.screen());
    session.type("?");
    session.wait_for("core:carol");
    session.press("Down");
    session.press("Enter");
    session.wait_for("81 of 100, 19 left");
    check_screen("top-details", session.screen());
    session.press("Escape");
    session.type("/car");
    session.wait_for("filter: car");
    session.press("Enter");
    session.wait_for("only 'car'");
    session.wait_until("only carol",
                       [](const std::string& screen) { return screen.find("core:bob") == std::string::npos; });
    session.press("Escape");
    session.wait_for("core:bob");
}

TEST_CASE("top follows the size of the terminal") {
    if (!has_tmux()) return;
    TopBox box;
    TerminalSession session({"top"}, box.lower(120));
    session.wait_for(kRates);
    session.resize(60, 10);
    session.wait_until("a screen of 60 columns", [](const std::string& screen) {
        return fits(screen, 60) && screen.find("core:bob") != std::string::npos;
    });
    session.resize(120, 16);
    session.wait_for("RESET AT");
}

TEST_CASE("Ctrl-C and a TERM signal give the terminal back too") {
    if (!has_tmux()) return;
    TopBox box;
    TerminalSession interrupted({"top"}, box.lower(80));
    interrupted.wait_for("core:bob");
    interrupted.press("C-c");
    CHECK(interrupted.wait_for_end().code == 130);
    CHECK_FALSE(interrupted.on_alternate_screen());
    CHECK(interrupted.screen().empty());
    TerminalSession told({"top"}, box.lower(80));
    told.wait_for("core:bob");
    CHECK(kill(told.pid(), SIGTERM) == 0);
    CHECK(told.wait_for_end().code == 143);
    CHECK_FALSE(told.on_alternate_screen());
}

TEST_CASE("a third signal that top has not answered gives the terminal back") {
    if (!has_tmux()) return;
    TopBox box;
    auto options = box.lower(80);
    options.program = "sh";
    TerminalSession session(
        {"-c", "before=$(stty -g); \"$0\" top; code=$?; [ \"$before\" = \"$(stty -g)\" ] && echo as before, $code",
         ratectl_binary()},
        options);
    session.wait_for("core:bob");
    const int pid = child_of(session.pid());
    // All three reach it before it goes on.
    for (const int signal : {SIGSTOP, SIGINT, SIGTERM, SIGHUP, SIGCONT}) CHECK(kill(pid, signal) == 0);
    session.wait_for("as before, 1");
    session.wait_for_end();
    CHECK_FALSE(session.on_alternate_screen());
    CHECK(session.scrollback().starts_with("as before, 1"));  // and nothing of top's
}

TEST_CASE("Ctrl-Z puts top aside and fg brings it back and the shell finds its terminal as it was") {
    if (!has_tmux()) return;
    TopBox box;
    auto options = box.lower(80);
    options.program = "bash";
    TerminalSession session({"--norc", "--noprofile", "-i"}, options);
    session.type("PS1='ready> '; before=$(stty -g)\n");
    session.wait_for("ready> ");
    session.type(ratectl_binary() + " top\n");
    session.wait_for("core:bob");
    session.press("C-z");
    session.wait_for("Stopped");
    CHECK_FALSE(session.on_alternate_screen());
    session.type("[ \"$before\" = \"$(stty -g)\" ] && echo as be''fore\n");
    session.wait_for("as before");
    session.type("fg\n");
    session.wait_for("core:bob");
    CHECK(session.on_alternate_screen());
    session.type("q");
    session.wait_until("the shell", [&](const std::string&) { return !session.on_alternate_screen(); });
    session.type("[ \"$before\" = \"$(stty -g)\" ] && echo still as be''fore\n");
    session.wait_for("still as before");
}

TEST_CASE("top names a shard that dies and what it said at its end") {
    if (!has_tmux()) return;
    TopBox box(2);
    TerminalSession session({"top", "--every", "500ms"}, box.lower(120));
    session.wait_for(kRates);
    box.server(1).kill();
    session.wait_for("shard 'beta'");
    CHECK(session.screen().find("core:bob") != std::string::npos);
    session.type("q");
    CHECK(session.wait_for_end().code == 9);
    CHECK(session.screen().find("ratectl: shard 'beta'") != std::string::npos);
}
