// help and completion: declared here like every command, answered by the parser, which alone knows the whole language.
#pragma once

#include "commands/command.h"

namespace ratectl::commands {

Command help_command();
Command completion_command();

}  // namespace ratectl::commands
