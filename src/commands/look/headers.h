// headers: what a client is told about its windows in response headers, and whether headers that it was told can be
// true.
#pragma once

#include "commands/command.h"

namespace ratectl::commands {

Command headers_command();

}  // namespace ratectl::commands
