// The one list of commands: each is declared here and defined in the file that has its name; and words that a shell
// may offer for a flag or argument whose values are too many for its help.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commands/command.h"

namespace ratectl::commands {

/// Every command, in the order of the help.
std::span<const Command> all_commands();

Command check_command();
Command client_command();
Command explain_command();
Command headers_command();
Command scan_command();
Command watch_command();
Command stats_command();
Command top_command();
Command increment_command();
Command refund_command();
Command reset_command();
Command apply_command();
Command history_command();
Command undo_command();
Command replay_command();
Command locate_command();
Command identify_command();
Command nodes_command();
Command compare_command();
Command doctor_command();
Command sharding_command();
Command reshard_command();
Command throttle_command();
Command knobs_command();
Command running_command();
Command governor_command();
Command limit_command();
Command rollout_command();
Command config_command();
Command acl_command();
Command sandbox_command();
Command completion_command();
Command help_command();

/// What -o takes of this command beside the formats of rows.
std::vector<std::string> own_formats(std::string_view command);
/// By the command's path, the long flag without dashes or an argument's name as usage shows it, and how help names the
/// value. Empty: nothing is known. Never looks at any data.
std::vector<std::string> completion_values(std::string_view command, std::string_view name, std::string_view value);
/// Whether rows of any command have a column that a header may call so.
bool is_column(std::string_view name);
/// The KIND of `config names` that the values of a flag are, by its long name and how help names its value; empty:
/// none.
std::string_view offered_names(std::string_view name, std::string_view value);

}  // namespace ratectl::commands
