// The Screen by ncurses, which knows terminals; the only file that includes it.
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <clocale>
#include <cstdio>

#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <ncurses.h>

#include "output/printable.h"
#include "output/screen.h"
#include "support/error.h"

namespace ratectl::output {
namespace {

constexpr int kEscapeDelay = 50;  // milliseconds in which the rest of a key's sequence comes behind its escape
constexpr wint_t kEscape = 27;
constexpr wint_t kDelete = 127;

short pair_of(Tone tone) {
    switch (tone) {
        case Tone::good: return 1;
        case Tone::warning: return 2;
        case Tone::bad: return 3;
        default: return 0;
    }
}

std::optional<Key> key_of_code(wint_t code) {
    using Kind = Key::Kind;
    switch (code) {
        case KEY_UP: return Key{Kind::up};
        case KEY_DOWN: return Key{Kind::down};
        case KEY_PPAGE: return Key{Kind::page_up};
        case KEY_NPAGE: return Key{Kind::page_down};
        case KEY_HOME: return Key{Kind::home};
        case KEY_END: return Key{Kind::end};
        case KEY_ENTER: return Key{Kind::enter};
        case KEY_BACKSPACE: return Key{Kind::erase};
        case KEY_RESIZE: return Key{Kind::resized};
        default: return std::nullopt;
    }
}

Key key_of_character(wint_t c) {
    if (c == '\n' || c == '\r') return Key{Key::Kind::enter};
    if (c == kEscape) return Key{Key::Kind::escape};
    if (c == kDelete || c == '\b') return Key{Key::Kind::erase};
    return Key{Key::Kind::character, static_cast<char32_t>(c)};
}

/// Of the terminal that is open; null: it has no such capability.
const char* capability(const char* name) {
    const char* sequence = ::tigetstr(name);
    return reinterpret_cast<std::intptr_t>(sequence) == -1 ? nullptr : sequence;
}

class NcursesScreen final : public Screen {
public:
    NcursesScreen(SCREEN* screen, const ScreenOptions& options) : screen_(screen), options_(options) {
        ::cbreak();
        ::noecho();
        ::keypad(stdscr, true);
        ::nodelay(stdscr, true);
        ::set_escdelay(kEscapeDelay);
        ::curs_set(0);
        if (!options_.color || ::start_color() == ERR) return;
        ::use_default_colors();
        ::init_pair(pair_of(Tone::good), COLOR_GREEN, -1);
        ::init_pair(pair_of(Tone::warning), COLOR_YELLOW, -1);
        ::init_pair(pair_of(Tone::bad), COLOR_RED, -1);
        colorful_ = true;
    }
    NcursesScreen(const NcursesScreen&) = delete;
    NcursesScreen& operator=(const NcursesScreen&) = delete;
    ~NcursesScreen() override {
        ::endwin();
        ::delscreen(screen_);
    }

    ScreenSize size() override {
        return {static_cast<std::size_t>(::getmaxx(stdscr)), static_cast<std::size_t>(::getmaxy(stdscr))};
    }

    void draw(std::span<const ScreenLine> lines) override {
        ::werase(stdscr);
        const std::size_t height = std::min(lines.size(), size().height);
        for (std::size_t y = 0; y < height; ++y) draw_line(static_cast<int>(y), lines[y]);
        ::wrefresh(stdscr);
    }

    std::optional<Key> read_key(support::Milliseconds patience) override {
        const auto until = std::chrono::steady_clock::now() + patience;
        for (;;) {
            wint_t typed = 0;
            const int kind = ::wget_wch(stdscr, &typed);
            if (kind == OK) return key_of_character(typed);
            if (kind == KEY_CODE_YES) {
                if (const auto key = key_of_code(typed)) return key;
                continue;
            }
            const auto left = std::chrono::ceil<support::Milliseconds>(until - std::chrono::steady_clock::now());
            if (is_stopped() || left.count() <= 0) return std::nullopt;
            wait(left);
        }
    }

private:
    bool is_stopped() const { return options_.stop != nullptr && static_cast<bool>(*options_.stop); }

    void wait(support::Milliseconds length) const {
        const int wake = options_.stop == nullptr ? -1 : options_.stop->wake_fd();
        std::array<pollfd, 2> waiting{pollfd{STDIN_FILENO, POLLIN, 0}, pollfd{wake, POLLIN, 0}};
        ::poll(waiting.data(), waiting.size(), static_cast<int>(length.count()));  // a signal ends it, too
        if ((waiting[0].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0 && !is_stopped())
            throw support::Failure(support::ExitCode::local_io, "the terminal is gone", {});
    }

    void draw_line(int y, const ScreenLine& line) {
        const std::size_t width = size().width;
        std::size_t x = 0;
        for (const Styled& piece : line) {
            if (x >= width) return;
            const std::string text(cut_to_width(piece.text, width - x));
            ::wattr_set(stdscr, attributes_of(piece), colorful_ ? pair_of(piece.tone) : short{0}, nullptr);
            ::wmove(stdscr, y, static_cast<int>(x));
            ::waddstr(stdscr, text.c_str());
            x += display_width(text);
        }
        ::wattr_set(stdscr, A_NORMAL, 0, nullptr);
    }

    static attr_t attributes_of(const Styled& piece) {
        attr_t attributes = A_NORMAL;
        if (piece.strong) attributes |= A_BOLD;
        if (piece.reversed) attributes |= A_REVERSE;
        if (piece.tone == Tone::dim && !piece.reversed) attributes |= A_DIM;
        return attributes;
    }

    SCREEN* screen_;
    ScreenOptions options_;
    bool colorful_ = false;
};

}  // namespace

std::unique_ptr<Screen> open_ncurses_screen(const ScreenOptions& options) {
    if (options.terminal.empty() || options.terminal == "dumb") return nullptr;
    if (!options.ascii) std::setlocale(LC_CTYPE, "C.UTF-8");  // ncurses asks it which bytes are a character
    SCREEN* screen = ::newterm(options.terminal.c_str(), stdout, stdin);
    if (screen == nullptr) return nullptr;
    auto opened = std::make_unique<NcursesScreen>(screen, options);
    if (capability("cup") == nullptr) return nullptr;
    return opened;
}

std::string leaving_sequence() {
    std::string all;
    // Attributes, colours, keypad, cursor, and last the screen that was there before.
    for (const char* name : {"sgr0", "op", "rmkx", "cnorm", "rmcup"}) {
        const char* sequence = capability(name);
        const bool timed = sequence != nullptr && std::string_view(sequence).find("$<") != std::string_view::npos;
        if (sequence != nullptr && !timed) all += sequence;
    }
    return all;
}

}  // namespace ratectl::output
