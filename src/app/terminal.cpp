// Finds out about the terminal (isatty, window size) and asks the user questions on /dev/tty.
#include "app/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "app/streams.h"
#include "output/printable.h"
#include "support/ascii.h"
#include "support/descriptor.h"
#include "support/error.h"
#include "support/number_text.h"

namespace ratectl::app {
namespace {

constexpr std::uint64_t kNarrowest = 20;
constexpr std::uint64_t kWidest = 2000;
constexpr std::size_t kUsualWidth = 80;

std::size_t columns_of(int fd) {
    winsize size{};
    return ::ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

std::size_t width(std::size_t terminal_says, const Env& env) {
    if (const auto columns = env("COLUMNS")) {
        const auto n = support::parse_unsigned(*columns, kWidest);
        if (n && *n >= kNarrowest) return static_cast<std::size_t>(*n);
    }
    return terminal_says >= kNarrowest ? terminal_says : kUsualWidth;
}

std::optional<std::string> read_line(int fd, const support::Patience& patience) {
    std::string line;
    for (;;) {
        try {
            patience.await_input(fd, "an answer was waited for");
        } catch (const support::Failure&) {
            ErrorStream(fd, patience).write("\n");  // what follows starts on a line of its own
            throw;
        }
        std::array<char, 256> buffer{};
        const ssize_t n = ::read(fd, buffer.data(), buffer.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return std::nullopt;
        if (n == 0) {
            ErrorStream(fd, patience).write("\n");
            return line;
        }
        line.append(buffer.data(), static_cast<std::size_t>(n));
        if (line.ends_with('\n')) break;
    }
    line.pop_back();
    return line;
}

}  // namespace

TerminalFacts look_at_terminal() {
    TerminalFacts facts;
    facts.in = ::isatty(STDIN_FILENO) == 1;
    facts.out = ::isatty(STDOUT_FILENO) == 1;
    facts.err = ::isatty(STDERR_FILENO) == 1;
    if (facts.out) facts.columns = columns_of(STDOUT_FILENO);
    if (facts.err) facts.err_columns = columns_of(STDERR_FILENO);
    return facts;
}

std::size_t width_of(const TerminalFacts& facts, const Env& env) { return facts.out ? width(facts.columns, env) : 0; }

std::size_t err_width_of(const TerminalFacts& facts, const Env& env) {
    return facts.err ? width(facts.err_columns, env) : 0;
}

bool color_of(bool stream_is_terminal, ColorWish wish, const Env& env) {
    if (wish != ColorWish::automatic) return wish == ColorWish::always;
    if (!stream_is_terminal || !env("NO_COLOR").value_or("").empty()) return false;
    const std::string term = env("TERM").value_or("");
    return !term.empty() && term != "dumb";
}

bool ascii_only(const Env& env) {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const std::string locale = support::upper(env(name).value_or(""));
        if (locale.empty()) continue;
        return locale.find("UTF-8") == std::string::npos && locale.find("UTF8") == std::string::npos;
    }
    return true;
}

std::optional<std::string> ask_on_terminal(std::string_view question, const support::Patience& patience) {
    const support::Descriptor terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
    if (!terminal.is_open()) return std::nullopt;
    ErrorStream(terminal.get(), patience).write(output::printable_lines(question));
    return read_line(terminal.get(), patience);
}

}  // namespace ratectl::app
