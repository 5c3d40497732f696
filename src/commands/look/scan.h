// scan: every window of every shard, streamed.
#pragma once

#include "commands/command.h"

namespace ratectl::commands {

Command scan_command();

}  // namespace ratectl::commands
