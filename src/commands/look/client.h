// client: every window of one client, over all policies.
#pragma once

#include "commands/command.h"

namespace ratectl::commands {

Command client_command();

}  // namespace ratectl::commands
