// A number of windows or rows, as flags ask for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ratectl::commands {

/// How many of these (`windows`) the flag asks for, at least 1. Throws Failure (usage).
std::uint64_t count_of(std::string_view flag, const std::string& text, std::string_view of_what);

}  // namespace ratectl::commands
