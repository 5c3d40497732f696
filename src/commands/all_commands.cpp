// The one list of commands, in the order of the help.
#include <vector>

#include "commands/change/apply.h"
#include "commands/change/increment.h"
#include "commands/change/refund.h"
#include "commands/change/reset.h"
#include "commands/command.h"
#include "commands/doctor/doctor.h"
#include "commands/explain/explain.h"
#include "commands/look/check.h"
#include "commands/look/client.h"
#include "commands/look/compare.h"
#include "commands/look/headers.h"
#include "commands/look/locate.h"
#include "commands/look/scan.h"
#include "commands/nodes/nodes.h"
#include "commands/replay/replay.h"
#include "commands/reshard/reshard.h"
#include "commands/setup/acl.h"
#include "commands/setup/config.h"
#include "commands/setup/help.h"
#include "commands/setup/sandbox.h"
#include "commands/setup/sharding.h"
#include "commands/stats/stats.h"
#include "commands/top/top.h"
#include "commands/undo/history.h"
#include "commands/undo/undo.h"
#include "commands/watch/watch.h"

namespace ratectl::commands {

std::span<const Command> all_commands() {
    static const std::vector<Command> list = {
        check_command(),   client_command(), explain_command(), headers_command(),   scan_command(),
        watch_command(),   stats_command(),  top_command(),     increment_command(), refund_command(),
        reset_command(),   apply_command(),  history_command(), undo_command(),      replay_command(),
        locate_command(),  nodes_command(),  compare_command(), doctor_command(),    sharding_command(),
        reshard_command(), config_command(), acl_command(),     sandbox_command(),   completion_command(),
        help_command(),
    };
    return list;
}

}  // namespace ratectl::commands
