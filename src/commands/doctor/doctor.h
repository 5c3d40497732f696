// doctor: every broken, leaked, misplaced or suspicious window, and what is wrong with the servers.
#pragma once

#include "commands/command.h"

namespace ratectl::commands {

Command doctor_command();

}  // namespace ratectl::commands
