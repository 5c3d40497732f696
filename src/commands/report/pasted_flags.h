// The flags by which a command that is pasted into a shell acts on the servers and the keys of the one at hand.
#pragma once

#include <string>
#include <string_view>

#include "commands/context.h"
#include "commands/request/selection.h"

namespace ratectl::commands {

/// ` -c FILE -d NAME`, ` -u URL --sharding PRESET`: what of it the command line said, quoted for a shell, and a
/// deployment that the environment chose. Empty: the same command line without flags means the same. `redacted`: words
/// such as FILE and URL stand for what was said, as URL does for one that logs in.
std::string flags_of_deployment(const GlobalOptions& options, const config::Settings& settings, bool redacted);

/// Whether windows of this deployment cannot be read without the terms of their policies: then flags_of_deployment()
/// has --limit, --period and --burst, too.
bool windows_need_terms(const config::Settings& settings);

/// ` --limit N`, ` --limit N --period DURATION --burst N`: what of the terms by which this key is counted is not known,
/// as flags.
std::string missing_terms(const KeyMeaning& meaning, std::string_view key, const config::Settings& settings);

/// `ratectl -d NAME undo ID`, of `undo ID`: with these flags, and --journal where the command line named one.
std::string pasted(Context& context, std::string_view rest);

}  // namespace ratectl::commands
