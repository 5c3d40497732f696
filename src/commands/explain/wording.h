// Small things that sentences are made of: capitals, command lines that can be pasted into a shell, lines that fit.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ratectl::commands::explain {

/// The first letter as a capital, where it is an ASCII letter.
std::string capitalised(std::string text);

/// A key as the last arguments of a command line that a POSIX shell takes: bare, quoted, or escaped behind `--key-format escaped`.
std::string as_argument(std::string_view key);

/// Text broken at spaces so that no line is wider than `width`; what stands in backquotes is never broken. 0: as it is. Ends with a newline.
std::string wrapped(std::string_view text, std::size_t width);

}  // namespace ratectl::commands::explain
