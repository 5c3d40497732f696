// ratectl replay: count a real access log into windows, as the limiter would have.
#pragma once

#include "commands/command.h"

namespace ratectl::commands {

Command replay_command();

}  // namespace ratectl::commands
