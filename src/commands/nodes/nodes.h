// nodes: a row per server of the deployment, with what it says about itself.
#pragma once

#include "commands/command.h"

namespace ratectl::commands {

Command nodes_command();

}  // namespace ratectl::commands
