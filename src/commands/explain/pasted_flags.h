// The flags by which a command that is pasted into a shell acts on the servers and the keys that were explained.
#pragma once

#include <string>

#include "commands/global_options.h"
#include "config/settings.h"

namespace ratectl::commands::explain {

/// ` -c FILE -d NAME`, ` -u URL --sharding PRESET`: what of it the command line said, quoted for a shell, and a
/// deployment that the environment chose. Empty: the same command line without flags means the same. `redacted`: words
/// such as FILE and URL stand for what was said.
std::string flags_of_deployment(const GlobalOptions& options, const config::Settings& settings, bool redacted);

}  // namespace ratectl::commands::explain
