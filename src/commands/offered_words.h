// Words that a shell may offer for a flag or argument whose values are too many for its help.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ratectl::commands {

/// By the long flag without dashes, or an argument's name as usage shows it; empty: nothing is known. Never looks at any data.
std::vector<std::string> offered_words(std::string_view name);

}  // namespace ratectl::commands
