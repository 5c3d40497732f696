// explain: one paragraph a window, made to be pasted into a ticket.
#pragma once

#include "commands/command.h"

namespace ratectl::commands {

Command explain_command();

}  // namespace ratectl::commands
