// stats: one sweep as figures: how windows are used, how even shards are, when windows reset, who would be limited at another limit.
#pragma once

#include "commands/command.h"

namespace ratectl::commands {

Command stats_command();

}  // namespace ratectl::commands
