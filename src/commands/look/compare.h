// compare: the same look at every node of a shard, and why nodes differ.
#pragma once

#include "commands/command.h"

namespace ratectl::commands {

Command compare_command();

}  // namespace ratectl::commands
