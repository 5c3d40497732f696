// Help on the terminal, and the words about flags that the manual and the completions share with it.
#pragma once

#include <string>
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

}  // namespace ratectl::cli
