// A whole terminal: its size, lines of styled text on it, and the keys that are typed. What is on it is decided
// elsewhere, as lines.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "output/cell.h"
#include "support/stop_signal.h"
#include "support/time.h"

namespace ratectl::output {

/// A piece of a line; its text is printable.
struct Styled {
    std::string text;
    Tone tone = Tone::plain;
    bool strong = false;
    bool reversed = false;
    bool operator==(const Styled&) const = default;
};
using ScreenLine = std::vector<Styled>;

struct ScreenSize {
    std::size_t width = 80;
    std::size_t height = 24;
    bool operator==(const ScreenSize&) const = default;
};

struct Key {
    enum class Kind { character, up, down, page_up, page_down, home, end, enter, escape, erase, resized };
    Kind kind = Kind::character;
    char32_t character = 0;
    bool operator==(const Key&) const = default;
};

class Screen {
public:
    /// The terminal is as it was before.
    virtual ~Screen() = default;
    virtual ScreenSize size() = 0;
    /// The first line at the top; what does not fit is cut, what no line covers is empty.
    virtual void draw(std::span<const ScreenLine> lines) = 0;
    /// The next key, as soon as there is one; null when that long nothing was typed, or at a stop signal.
    virtual std::optional<Key> read_key(support::Milliseconds patience) = 0;
};

struct ScreenOptions {
    std::string terminal;  // TERM
    bool color = false;
    bool ascii = false;  // the terminal shows nothing beyond ASCII
    const support::StopSignal* stop = nullptr;
};

/// On standard input and output; null where the terminal is not known or cannot move its cursor. One at a time.
std::unique_ptr<Screen> open_ncurses_screen(const ScreenOptions& options);

/// What the terminal of the screen that is open is sent by a process that cannot wait for the end of its screen.
std::string leaving_sequence();

}  // namespace ratectl::output
