// A command line written as redis-cli would have it.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "support/error.h"

namespace ratectl::cli {

/// What to say to `-h HOST -p PORT -a PASSWORD -n DB`; null when nothing of it is there. The password is not in it.
std::optional<support::Error> redis_cli_habit(std::span<const std::string_view> arguments);

}  // namespace ratectl::cli
