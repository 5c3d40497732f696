// The one list of commands, in the order of the help.
#include <vector>

#include "commands/acl.h"
#include "commands/apply.h"
#include "commands/check.h"
#include "commands/client.h"
#include "commands/command.h"
#include "commands/compare.h"
#include "commands/config.h"
#include "commands/doctor.h"
#include "commands/explain.h"
#include "commands/headers.h"
#include "commands/help.h"
#include "commands/history.h"
#include "commands/increment.h"
#include "commands/locate.h"
#include "commands/nodes.h"
#include "commands/refund.h"
#include "commands/replay.h"
#include "commands/reset.h"
#include "commands/reshard.h"
#include "commands/sandbox.h"
#include "commands/scan.h"
#include "commands/sharding.h"
#include "commands/stats.h"
#include "commands/top.h"
#include "commands/undo.h"
#include "commands/watch.h"

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
