// ratectl config: write a configuration, prove it, show where each value comes from.
#pragma once

#include "commands/command.h"

namespace ratectl::commands {

Command config_command();

}  // namespace ratectl::commands
