// Words that a shell may offer for a flag or argument whose values are too many for its help.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ratectl::commands {

/// By the command's path, the long flag without dashes or an argument's name as usage shows it, and how help names the
/// value. Empty: nothing is known. Never looks at any data.
std::vector<std::string> completion_values(std::string_view command, std::string_view name, std::string_view value);
/// The KIND of `config names` that the values of a flag are, by its long name and how help names its value; empty:
/// none.
std::string_view offered_names(std::string_view name, std::string_view value);

}  // namespace ratectl::commands
