// The one list of commands, in the order of the help.
#include <vector>

#include "commands/command.h"
#include "commands/help.h"
#include "commands/sandbox.h"

namespace ratectl::commands {

std::span<const Command> all_commands() {
    static const std::vector<Command> list = {
        sandbox_command(),
        completion_command(),
        help_command(),
    };
    return list;
}

}  // namespace ratectl::commands
