// Text between quotes: keys and whatever else is foreign in a message, and a word for a POSIX shell.
#pragma once

#include <string>
#include <string_view>

namespace ratectl::support {

/// `'core:alice'`; quotes inside are doubled, so that it is plain where it ends.
std::string quoted(std::string_view text);
/// What stood between the quotes.
std::string unquoted(std::string_view doubled);

/// As a POSIX shell takes it for one word: in single quotes; each of its own is written '\''.
std::string shell_quoted(std::string_view text);

}  // namespace ratectl::support
