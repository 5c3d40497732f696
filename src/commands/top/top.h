// top: the heaviest windows, live on a terminal, once elsewhere.
#pragma once

#include "commands/command.h"

namespace ratectl::commands {

Command top_command();

}  // namespace ratectl::commands
