// sharding: the libraries whose rule for placing keys is known, and what each needs to be told.
#pragma once

#include "commands/command.h"

namespace ratectl::commands {

Command sharding_command();

}  // namespace ratectl::commands
