// The question before several windows are changed: every way to answer it, and what the terminal shows afterwards.
#include <string>

#include "support/catch.h"
#include "terminal/terminal_box.h"

using namespace ratectl::test;

namespace {

struct AskingBox : TerminalBox {
    explicit AskingBox(const std::string& more = {}) : TerminalBox("writes = \"confirm\"\n" + more) {
        for (const std::string key : {"core:1", "core:2", "core:3"}) set_window(key, "50", kNoon + 1800);
    }
    /// Asked to reset all three; `answer` does the rest. The exit code must be this, and the screen that of the golden
    /// file.
    template <class Answer>
    void walk(const std::string& name, int code, const std::string& question, Answer&& answer) {
        TerminalSession session({"reset", "core:1", "core:2", "core:3"}, options());
        session.wait_for(question);
        answer(session);
        CHECK(session.wait_for_end().code == code);
        check_screen(name, session.screen());
    }
};

const std::string kYesOrNo = "[y/N]";

}  // namespace

TEST_CASE("a yes on the terminal resets what the plan showed") {
    if (!has_tmux()) return;
    AskingBox box;
    box.walk("question-yes", 0, kYesOrNo, [](TerminalSession& session) {
        session.type("y");
        session.press("Enter");
    });
    CHECK(box.halves() == "0");
}

TEST_CASE("a no on the terminal writes nothing and says so") {
    if (!has_tmux()) return;
    AskingBox box;
    box.walk("question-no", 7, kYesOrNo, [](TerminalSession& session) {
        session.type("n");
        session.press("Enter");
    });
    CHECK(box.halves() == "6");
}

TEST_CASE("Ctrl-D at the question is no answer and writes nothing") {
    if (!has_tmux()) return;
    AskingBox box;
    box.walk("question-ctrl-d", 7, kYesOrNo, [](TerminalSession& session) { session.press("C-d"); });
    CHECK(box.halves() == "6");
}

TEST_CASE("Ctrl-C at the question stops and writes nothing") {
    if (!has_tmux()) return;
    AskingBox box;
    box.walk("question-ctrl-c", 130, kYesOrNo, [](TerminalSession& session) { session.press("C-c"); });
    CHECK(box.halves() == "6");
}

TEST_CASE("the deployment's name has to be typed for more windows than allowed and only that name will do") {
    if (!has_tmux()) return;
    AskingBox box("max_keys = 2");
    box.walk("question-wrong-name", 7, "type the deployment's name", [](TerminalSession& session) {
        session.type("box2");
        session.press("BSpace");
        session.type("3");
        session.press("Enter");
    });
    CHECK(box.halves() == "6");
    box.walk("question-name", 0, "type the deployment's name", [](TerminalSession& session) {
        session.type("box");
        session.press("Enter");
    });
    CHECK(box.halves() == "0");
}
