// Messages that are longer than a terminal is wide, broken between words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ratectl::output {

/// Lines of at most `columns`, all but the first after `indent` blanks; `used` columns of the first are taken. What
/// stands between backticks or single quotes stays together, so that a command can be copied; a word that is too long
/// stands alone. Line breaks of the text stay as they are; 0 columns: all of it does. For text that is already
/// printable.
std::string wrap(std::string_view text, std::size_t columns, std::size_t used, std::size_t indent);

}  // namespace ratectl::output
