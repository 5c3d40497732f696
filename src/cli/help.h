// Help as people read it in a terminal, and manual pages in roff (man macros), of the same declarations.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/grammar.h"
#include "cli/parse.h"
#include "cli/topics.h"

namespace ratectl::cli {

/// The commands in their groups; with the common options when `full`.
Early short_help(const Grammar& globals, bool full, const ParseWorld& world);
Early help_on(const Grammar& command, const Grammar& globals, const ParseWorld& world);
Early help_on(const Topic& topic, const ParseWorld& world);

/// The headings of the shown flags, `Options` first.
std::vector<std::string> headings(const std::vector<Flag>& flags);
/// How a value is named beside its flag: `FILE`, and `FORMAT` where the choices follow in words.
std::string value_shown(const Flag& flag);
std::string about_with_choices(const Flag& flag);
/// `ratectl check [options] [KEY...]`.
std::string usage_of(const Grammar& command);

/// Words filled to `width`, every line after `indent` spaces; ends with a newline. Width counts bytes: our texts are
/// ASCII.
std::string filled(std::string_view text, std::size_t width, std::size_t indent = 0);
/// `left` after two spaces, `right` filled beside it from column `at`, or below it when `left` is too long.
std::string two_columns(std::string_view left, std::string_view right, std::size_t at, std::size_t width);

/// ratectl(1).
std::string program_page(const Language& language);
/// ratectl-NAME(1), sub-commands included.
std::string command_page(const Grammar& command, const Language& language);
/// ratectl-exit-codes(7).
std::string exit_codes_page();

}  // namespace ratectl::cli
