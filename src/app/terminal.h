// What the streams are connected to, how wide and how colourful that is, and questions on the terminal itself.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "support/waits.h"

namespace ratectl::app {

using Env = std::function<std::optional<std::string>(const std::string& name)>;

/// Facts, so that what follows from them is pure and can be tested.
struct TerminalFacts {
    bool in = false;
    bool out = false;
    bool err = false;
    std::size_t columns = 0;  // of standard output as the terminal says; 0: unknown
    std::size_t err_columns = 0;
};
TerminalFacts look_at_terminal();

enum class ColorWish { automatic, always, never };

/// COLUMNS if it is a sane number, else what the terminal said, else 80; 0 (unlimited) when standard output is not a
/// terminal.
std::size_t width_of(const TerminalFacts& facts, const Env& env);
/// The same of standard error.
std::size_t err_width_of(const TerminalFacts& facts, const Env& env);
/// Of one stream: always and never rule; else a terminal, unless NO_COLOR is set to something or TERM is dumb or unset.
bool color_of(bool stream_is_terminal, ColorWish wish, const Env& env);
/// True unless the locale's character set is UTF-8.
bool ascii_only(const Env& env);

/// Writes the question on /dev/tty and reads a line there, which the end of its input ends too; null without a
/// terminal. Throws Failure when patience is over.
std::optional<std::string> ask_on_terminal(std::string_view question, const support::Patience& patience);

}  // namespace ratectl::app
