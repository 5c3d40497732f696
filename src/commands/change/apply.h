// ratectl apply: do exactly what a plan says.
#pragma once

#include "commands/command.h"

namespace ratectl::commands {

Command apply_command();

}  // namespace ratectl::commands
