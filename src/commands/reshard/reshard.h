// reshard: what a change of shards does to live windows, and moving them along.
#pragma once

#include "commands/command.h"

namespace ratectl::commands {

Command reshard_command();

}  // namespace ratectl::commands
