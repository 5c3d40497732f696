// ratectl refund: give requests back, inside the window that was looked at.
#pragma once

#include "commands/command.h"

namespace ratectl::commands {

Command refund_command();

}  // namespace ratectl::commands
