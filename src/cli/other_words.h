// What other tools call the commands and flags of this one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ratectl::cli {

/// The command that does what one of this name does elsewhere; empty: none is known.
std::string_view command_meant(std::string_view word);
/// The first of `flags` (with their dashes) that does what `flag` does elsewhere; empty: none.
std::string_view flag_meant(std::string_view flag, std::span<const std::string> flags);

}  // namespace ratectl::cli
