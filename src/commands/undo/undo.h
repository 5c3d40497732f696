// ratectl undo: takes an operation back.
#pragma once

#include "commands/command.h"

namespace ratectl::commands {

Command undo_command();

}  // namespace ratectl::commands
