// Flags that mean something elsewhere, and nothing here: refused with the reason instead of being ignored.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ratectl::commands {

/// Not listed in the help. A flag that every command has is refused where the command line gives it, not where the environment does.
void refuse_flags(CLI::App& app, const std::vector<std::string>& flags, const std::string& why,
                  const std::string& hint);
/// --from and --max-staleness, of a command that reads no replica.
void refuse_other_nodes(CLI::App& app, const std::string& why);
/// --limit, which is taken for a number of rows.
void refuse_limit(CLI::App& app, const std::string& hint);

}  // namespace ratectl::commands
