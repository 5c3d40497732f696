// The one list of commands, in the order of the help, and the headings under which help groups them.
#include "commands/all_commands.h"

#include <vector>

namespace ratectl::commands {

std::string_view name_of(Group group) {
    switch (group) {
        case Group::look: return "Look";
        case Group::change: return "Change";
        case Group::investigate: return "Investigate";
        case Group::limiters: return "Limiters";
        case Group::set_up: return "Set up";
    }
    return "Look";
}

std::span<const Command> all_commands() {
    static const std::vector<Command> list = {
        check_command(),    client_command(),     explain_command(),  headers_command(),   scan_command(),
        watch_command(),    stats_command(),      top_command(),      increment_command(), refund_command(),
        reset_command(),    apply_command(),      history_command(),  undo_command(),      replay_command(),
        locate_command(),   identify_command(),   nodes_command(),    compare_command(),   doctor_command(),
        sharding_command(), reshard_command(),    throttle_command(), knobs_command(),     running_command(),
        governor_command(), limit_command(),      rollout_command(),  config_command(),    acl_command(),
        sandbox_command(),  completion_command(), help_command(),
    };
    return list;
}

}  // namespace ratectl::commands
