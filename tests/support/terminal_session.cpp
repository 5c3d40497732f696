// tmux does the work: one server per session, in the foreground so that it dies with the test, reached through its own
// socket.
#include "support/terminal_session.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include "support/built_programs.h"
#include "support/catch.h"
#include "support/run_ratectl.h"

namespace ratectl::test {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kBetweenScreens{20};

std::string search_path() {
    const char* path = std::getenv("PATH");
    return path == nullptr ? "/usr/bin:/bin" : path;
}

std::string socket_in(const sandbox::TemporaryFolder& folder) { return folder.path() + "/tmux"; }

sandbox::ChildProcess start_server(const sandbox::TemporaryFolder& folder) {
    sandbox::Spawn spawn;
    spawn.program = sandbox::find_program("tmux", search_path()).value_or("tmux");
    spawn.arguments = {"-D", "-u", "-f", "/dev/null", "-S", socket_in(folder)};
    spawn.environment = {"PATH=" + search_path(), "LC_ALL=C.UTF-8", "HOME=" + folder.path()};
    spawn.own_session = true;
    spawn.die_with_parent = true;
    auto started = sandbox::ChildProcess::start(spawn);
    if (!started) throw std::runtime_error(started.error().message);
    return std::move(*started);
}

/// What the terminal runs: the program in exactly this environment.
std::vector<std::string> command_line(const std::vector<std::string>& arguments, const TerminalOptions& options,
                                      const std::string& home) {
    std::map<std::string, std::string> environment{
        {"PATH", search_path()}, {"HOME", home}, {"TERM", options.term}, {"LANG", options.locale}};
    for (const auto& [name, value] : options.environment) environment[name] = value;
    std::vector<std::string> words{"env", "-i"};
    for (const auto& [name, value] : environment) words.push_back(std::string(name).append("=").append(value));
    words.push_back(terminal_leader());
    words.push_back(options.program.empty() ? ratectl_binary() : options.program);
    words.insert(words.end(), arguments.begin(), arguments.end());
    return words;
}

/// tmux takes a `;` at the end of a word for the end of its own command.
std::string tmux_word(std::string word) {
    if (word.ends_with(';')) word.insert(word.size() - 1, 1, '\\');
    return word;
}

/// Without the empty lines below the last one that is not.
std::string trimmed(std::string text) {
    const auto last = text.find_last_not_of('\n');
    text.erase(last == std::string::npos ? 0 : last + 1);
    return text.empty() ? text : text + '\n';
}

/// Of a title of the leader's.
bool says_end(const std::string& title) { return title.starts_with("exit ") || title.starts_with("signal "); }

}  // namespace

bool has_tmux() {
    if (sandbox::find_program("tmux", search_path())) return true;
    const std::string message = "tmux is not here (Debian: apt-get install tmux)";
    if (std::getenv("CI") != nullptr) FAIL(message);
    std::cerr << "left out: " << message << "\n";
    return false;
}

TerminalSession::TerminalSession(const std::vector<std::string>& arguments, const TerminalOptions& options)
    : folder_(sandbox::TemporaryFolder::make("/tmp", "ratectl-terminal").value()), server_(start_server(folder_)) {
    if (::mkdir(home().c_str(), 0700) != 0) throw std::runtime_error("mkdir " + home() + " failed");
    await_server();
    std::vector<std::string> words{"set",   "-g", "status", "off", ";",           "set", "-g", "history-limit",
                                   "20000", ";",  "set",    "-sg", "escape-time", "0",   ";"};
    words.insert(words.end(), {"new-session", "-d", "-x", std::to_string(options.columns), "-y",
                               std::to_string(options.rows), "-c", options.folder.empty() ? home() : options.folder});
    for (const std::string& word : command_line(arguments, options, home())) words.push_back(tmux_word(word));
    tmux(std::move(words));
    await_leader();
}

TerminalSession::~TerminalSession() {
    server_.signal(SIGTERM);
    server_.wait_for(std::chrono::seconds(5));
}

// Its socket is there a moment before it listens.
void TerminalSession::await_server() const {
    const auto end = Clock::now() + kPatience;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    socket_in(folder_).copy(address.sun_path, sizeof(address.sun_path) - 1);
    while (true) {
        const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const bool listens = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
        ::close(fd);
        if (listens) return;
        if (Clock::now() > end) throw std::runtime_error("the tmux server did not begin to listen");
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

// Keys that come before it are signals to a program that does not know them yet. Until it speaks the title is the name
// of the host, and afterwards the program may have one of its own.
void TerminalSession::await_leader() const {
    const auto end = Clock::now() + kPatience;
    while (ask("#{==:#{pane_title},#{host}}") == "1") {
        if (Clock::now() > end) throw std::runtime_error("the program does not begin; the screen:\n" + screen());
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

std::string TerminalSession::tmux(std::vector<std::string> words) const {
    std::vector<std::string> arguments{"-N", "-u", "-S", socket_in(folder_)};
    arguments.insert(arguments.end(), words.begin(), words.end());
    const auto result = run_program(sandbox::find_program("tmux", search_path()).value_or("tmux"), arguments);
    if (result.code != 0) throw std::runtime_error("tmux " + words.front() + " failed: " + result.err);
    return result.out;
}

std::string TerminalSession::ask(const std::string& format) const {
    std::string answer = tmux({"display-message", "-p", format});
    answer.erase(answer.find_last_not_of('\n') + 1);
    return answer;
}

void TerminalSession::type(const std::string& text) { tmux({"send-keys", "-l", tmux_word(text)}); }

void TerminalSession::press(const std::string& key) { tmux({"send-keys", key}); }

void TerminalSession::resize(unsigned columns, unsigned rows) {
    tmux({"resize-window", "-x", std::to_string(columns), "-y", std::to_string(rows)});
}

void TerminalSession::wait_for(const std::string& text, std::chrono::milliseconds patience) {
    wait_until(
        "'" + text + "'", [&](const std::string& screen) { return screen.find(text) != std::string::npos; }, patience);
}

void TerminalSession::wait_until(const std::string& what, const std::function<bool(const std::string&)>& holds,
                                 std::chrono::milliseconds patience) {
    const auto end = Clock::now() + patience;
    while (true) {
        // The end first: what it left on the screen is there by then.
        std::string shown = tmux({"display-message", "-p", "#{pane_title}", ";", "capture-pane", "-p"});
        const auto title = shown.find('\n');
        const bool ended = says_end(shown.substr(0, title));
        shown = trimmed(shown.substr(title + 1));
        if (holds(shown)) return;
        if (ended) throw std::runtime_error("the program has ended without " + what + " on the screen:\n" + shown);
        if (Clock::now() > end) throw std::runtime_error("no " + what + " came on the screen:\n" + shown);
        std::this_thread::sleep_for(kBetweenScreens);
    }
}

TerminalEnd TerminalSession::wait_for_end(std::chrono::milliseconds patience) {
    const auto end = Clock::now() + patience;
    while (!has_ended()) {
        if (Clock::now() > end) throw std::runtime_error("the program does not end; the screen:\n" + screen());
        std::this_thread::sleep_for(kBetweenScreens);
    }
    const auto [word, number] = state();
    return word == "signal" ? TerminalEnd{-1, number} : TerminalEnd{number, 0};
}

// The terminal's title is there when everything is that was written before it.
std::pair<std::string, int> TerminalSession::state() const {
    std::istringstream title(ask("#{pane_title}"));
    std::string word;
    int number = 0;
    title >> word >> number;
    return {word, number};
}

bool TerminalSession::has_ended() const { return says_end(ask("#{pane_title}")); }

std::string TerminalSession::screen() const { return trimmed(tmux({"capture-pane", "-p"})); }

std::string TerminalSession::screen_with_attributes() const {
    std::string text;
    for (const char c : trimmed(tmux({"capture-pane", "-p", "-e"}))) {
        if (c == '\x1b') {
            text += "^[";
        } else {
            text += c;
        }
    }
    // Older tmux says of the colours, too, that they end where everything ends.
    const std::string everything = "^[[0m";
    const std::string colours = "^[[39m^[[49m";
    for (auto at = text.find(everything); at != std::string::npos; at = text.find(everything, at)) {
        at += everything.size();
        if (text.compare(at, colours.size(), colours) == 0) text.erase(at, colours.size());
    }
    return text;
}

std::string TerminalSession::scrollback() const { return trimmed(tmux({"capture-pane", "-p", "-S", "-"})); }

bool TerminalSession::on_alternate_screen() const { return ask("#{alternate_on}") == "1"; }

int TerminalSession::pid() const {
    const auto [word, number] = state();
    if (word != "runs") throw std::runtime_error("the program does not run; the screen:\n" + screen());
    return number;
}

}  // namespace ratectl::test
