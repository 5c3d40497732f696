// ratectl sandbox: a throw-away sharded Redis to try things on.
#pragma once

#include "commands/command.h"

namespace ratectl::commands {

Command sandbox_command();

}  // namespace ratectl::commands
