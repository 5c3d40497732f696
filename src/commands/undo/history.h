// ratectl history: who changed what, before and after.
#pragma once

#include "commands/command.h"

namespace ratectl::commands {

Command history_command();

}  // namespace ratectl::commands
