// What other tools call the commands and flags of this one, and a command line written as redis-cli would have it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "support/error.h"

namespace ratectl::cli {

/// The command that does what one of this name does elsewhere; empty: none is known.
std::string_view command_meant(std::string_view word);
/// The first of `flags` (with their dashes) that does what `flag` does elsewhere; empty: none.
std::string_view flag_meant(std::string_view flag, std::span<const std::string> flags);

/// What to say to `-h HOST -p PORT -a PASSWORD -n DB`; null when nothing of it is there. The password is not in it.
std::optional<support::Error> redis_cli_habit(std::span<const std::string_view> arguments);

}  // namespace ratectl::cli
