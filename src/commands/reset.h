// ratectl reset: remove windows.
#pragma once

#include "commands/command.h"

namespace ratectl::commands {

Command reset_command();

}  // namespace ratectl::commands
