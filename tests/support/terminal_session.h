// A program in a real terminal: a tmux server of its own without any client, its keys, its screen and how it ended.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sandbox/folder.h"
#include "sandbox/process.h"

namespace ratectl::test {

/// False when there is no tmux: says so, and fails the test where CI is set in the environment. A test begins with
/// `if (!has_tmux()) return;`.
bool has_tmux();

struct TerminalOptions {
    std::string program;  // empty: the built ratectl; a name without a slash is looked for on the PATH
    unsigned columns = 80;
    unsigned rows = 24;
    std::string term = "tmux-256color";
    std::string locale = "C.UTF-8";                  // LANG
    std::map<std::string, std::string> environment;  // on top of PATH, HOME (an empty folder), TERM and LANG
    std::string folder;                              // working folder; empty: HOME
};

/// How the program ended.
struct TerminalEnd {
    int code = -1;  // exit code; -1 when a signal ended it
    int signal = 0;
};

/// Starts in the constructor; the destructor ends the terminal, and with it (SIGHUP) what still runs there. Whatever
/// goes wrong, and whatever does not come in time, throws std::runtime_error with the screen as it was.
class TerminalSession {
public:
    static constexpr std::chrono::seconds kPatience{60};

    explicit TerminalSession(const std::vector<std::string>& arguments, const TerminalOptions& options = {});
    ~TerminalSession();
    TerminalSession(const TerminalSession&) = delete;
    TerminalSession& operator=(const TerminalSession&) = delete;

    /// As typed on the keyboard; no key of these has a name.
    void type(const std::string& text);
    /// One key by its tmux name: Enter, Escape, Up, Tab, F1, BSpace, C-c, C-d ...
    void press(const std::string& key);
    void resize(unsigned columns, unsigned rows);

    /// Returns as soon as the screen holds that text (on one line).
    void wait_for(const std::string& text, std::chrono::milliseconds patience = kPatience);
    /// The same for any condition; `what` is what the failure says was missing.
    void wait_until(const std::string& what, const std::function<bool(const std::string& screen)>& holds,
                    std::chrono::milliseconds patience = kPatience);
    /// Returns when the program has ended; the screen stays as it left it.
    TerminalEnd wait_for_end(std::chrono::milliseconds patience = kPatience);
    bool has_ended() const;

    /// What the terminal shows, a line each, without blanks at the ends of lines and of the screen.
    std::string screen() const;
    /// The same with colours and attributes as escapes, an ESC shown as `^[`.
    std::string screen_with_attributes() const;
    /// The screen and everything that was scrolled out of it.
    std::string scrollback() const;
    /// True while a full-screen program shows its own screen; false again when it has put back what was there.
    bool on_alternate_screen() const;
    /// The process that runs in the terminal.
    int pid() const;
    /// HOME of the program.
    std::string home() const { return folder_.path() + "/home"; }

private:
    /// What its leader says of the program: `runs` and its pid, `exit` and its code, `signal` and its number.
    std::pair<std::string, int> state() const;
    std::string tmux(std::vector<std::string> words) const;
    std::string ask(const std::string& format) const;
    void await_server() const;
    void await_leader() const;

    sandbox::TemporaryFolder folder_;
    sandbox::ChildProcess server_;
};

}  // namespace ratectl::test
