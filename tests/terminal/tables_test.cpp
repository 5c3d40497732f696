// Tables as they are seen: 80 and 120 columns, narrower still, UTF-8 and the C locale, with and without colour.
#include <string>
#include <vector>

#include "support/catch.h"
#include "terminal/terminal_box.h"

using namespace ratectl::test;

namespace {

const std::vector<std::string> kBars{
    "check", "core:alice", "core:bob", "core:carol", "core:\u65e5\u672c", "--columns", "key,state,percent,used,limit"};

struct ShownBox : TerminalBox {
    ShownBox() { set_windows(); }
};

}  // namespace

TEST_CASE("check in 80 columns fits and marks what is bad or doubtful") {
    if (!has_tmux()) return;
    ShownBox box;
    check_screen("check-80", box.screen_of(check_all(), box.options(80)));
}

TEST_CASE("check in 120 columns shows whole times and whole keys") {
    if (!has_tmux()) return;
    ShownBox box;
    check_screen("check-120", box.screen_of(check_all(), box.options(120)));
}

TEST_CASE("check in 60 columns leaves out columns and says which") {
    if (!has_tmux()) return;
    ShownBox box;
    check_screen("check-60", box.screen_of(check_all(), box.options(60)));
}

TEST_CASE("check in 30 columns is a block of lines for each window") {
    if (!has_tmux()) return;
    ShownBox box;
    check_screen("check-30", box.screen_of({"check", "core:alice", "core:bob"}, box.options(30)));
}

TEST_CASE("check in the C locale shows nothing beyond ASCII") {
    if (!has_tmux()) return;
    ShownBox box;
    auto options = box.options(80);
    options.locale = "C";
    const auto screen = box.screen_of(kBars, options);
    check_screen("check-bars-c-locale", screen);
    for (const char c : screen) CHECK((c == '\n' || (c >= 0x20 && c < 0x7f)));
}

TEST_CASE("a percentage has a bar in UTF-8") {
    if (!has_tmux()) return;
    ShownBox box;
    check_screen("check-bars", box.screen_of(kBars, box.options(80)));
}

TEST_CASE("colour marks states on a terminal and neither NO_COLOR nor a dumb one has any") {
    if (!has_tmux()) return;
    ShownBox box;
    check_screen("check-colours", box.colored_screen_of(check_all(), box.options(80)));
    auto options = box.options(80);
    options.environment["NO_COLOR"] = "1";
    const auto without = box.colored_screen_of(check_all(), options);
    CHECK(without.find("^[") == std::string::npos);
    CHECK(without == box.screen_of(check_all(), box.options(80)));
    options = box.options(80);
    options.term = "dumb";
    CHECK(box.colored_screen_of(check_all(), options) == without);
}

TEST_CASE("the wide format turns to a block of lines a row where the terminal is narrow") {
    if (!has_tmux()) return;
    ShownBox box;
    auto options = box.options(80);
    options.rows = 60;
    check_screen("check-wide-80", box.screen_of({"check", "core:alice", "core:bob", "-o", "wide"}, options));
}

TEST_CASE("thousands are grouped on request") {
    if (!has_tmux()) return;
    TerminalBox box;
    box.set_window("core:alice", "1234567", kNoon + 751);
    check_screen("check-thousands",
                 box.screen_of({"check", "core:alice", "--limit", "5000000", "--thousands"}, box.options(80)));
}

TEST_CASE("scan in 80 columns fits") {
    if (!has_tmux()) return;
    ShownBox box;
    check_screen("scan-80", box.screen_of({"scan", "--sort", "key"}, box.options(80)));
}

TEST_CASE("nodes and history fit 80 columns and say what is not shown") {
    if (!has_tmux()) return;
    ShownBox box;
    const auto nodes = box.screen_of({"nodes"}, box.options(80));
    CHECK(nodes.find("(no room for CONFIGURED") != std::string::npos);
    box.run({"refund", "core:alice", "--amount", "2", "--now", std::to_string(kNoon), "--reason", "a double charge"});
    const auto history = box.screen_of({"history"}, box.options(80));
    CHECK(history.find("12 -> 10") != std::string::npos);
    check_screen("history-80", history);
    check_screen("history-120", box.screen_of({"history", "--columns", "op,time,command,key,status,change,reason_text"},
                                              box.options(120)));
}

TEST_CASE("history goes through the pager on a terminal and its messages come after it") {
    if (!has_tmux()) return;
    TerminalBox box;
    box.run({"increment", "core:alice", "--now", std::to_string(kNoon)});
    auto options = box.options(80);
    options.environment["PAGER"] = "sed 's/^/paged: /'";
    const auto paged = box.screen_of({"history"}, options);
    INFO(paged);
    CHECK(paged.find("paged: OP") != std::string::npos);
    CHECK(paged.find("none -> 1") != std::string::npos);
    options.environment["RATECTL_PAGER"] = "head -n 1 >/dev/null; echo enough";
    CHECK(box.screen_of({"history", "core:bob"}, options).starts_with("enough\nratectl: the journal"));
    options.environment["RATECTL_PAGER"] = "cat";
    CHECK(box.screen_of({"history"}, options).starts_with("OP"));
}

TEST_CASE("the help on a terminal of 80 columns is that of a pipe") {
    if (!has_tmux()) return;
    TerminalOptions options;
    options.rows = 60;
    TerminalSession session({}, options);
    CHECK(session.wait_for_end().code == 0);
    CHECK(session.scrollback() == run_ratectl({}).out);
}
