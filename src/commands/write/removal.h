// The change that removes windows (script RESET), guarded where a guard was given.
#pragma once

#include <memory>

#include "commands/write/change.h"

namespace ratectl::commands {

/// reset, and whatever removes windows that were named.
std::unique_ptr<Change> make_reset();

}  // namespace ratectl::commands
