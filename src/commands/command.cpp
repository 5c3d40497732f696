// The headings under which help groups the commands.
#include "commands/command.h"

namespace ratectl::commands {

std::string_view name_of(Group group) {
    switch (group) {
        case Group::look:
            return "Look";
        case Group::change:
            return "Change";
        case Group::investigate:
            return "Investigate";
        case Group::set_up:
            return "Set up";
    }
    return "Look";
}

}  // namespace ratectl::commands
