// locate: which shard and which servers a key lives on, and how it got there, without asking any server.
#pragma once

#include "commands/command.h"

namespace ratectl::commands {

Command locate_command();

}  // namespace ratectl::commands
