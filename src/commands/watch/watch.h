// watch: a line per change of the windows of a selection, until a condition holds.
#pragma once

#include "commands/command.h"

namespace ratectl::commands {

Command watch_command();

}  // namespace ratectl::commands
