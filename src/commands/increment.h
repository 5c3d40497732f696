// ratectl increment: count requests in windows, opening them if needed.
#pragma once

#include "commands/command.h"

namespace ratectl::commands {

Command increment_command();

}  // namespace ratectl::commands
