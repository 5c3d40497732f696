// The change that removes windows (script RESET), guarded where a guard was given.
#pragma once

#include <memory>
#include <string_view>

#include "commands/write/change.h"

namespace ratectl::commands {

/// reset, and whatever removes windows that were named; `command`: as people typed it. Static storage.
std::unique_ptr<Change> make_reset(std::string_view command = "reset");

}  // namespace ratectl::commands
