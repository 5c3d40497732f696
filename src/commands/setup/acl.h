// `ratectl acl`: the least rights on the servers that ratectl needs, to be pasted there.
#pragma once

#include "commands/command.h"

namespace ratectl::commands {

Command acl_command();

}  // namespace ratectl::commands
