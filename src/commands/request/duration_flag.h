// A flag that takes a duration, such as --every 2s.
#pragma once

#include <string>
#include <string_view>

#include "support/time.h"

namespace ratectl::commands {

/// Throws Failure (usage) that names the flag.
support::Milliseconds duration_of(std::string_view flag, const std::string& text);

}  // namespace ratectl::commands
