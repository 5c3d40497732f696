// The options that every command has.
#pragma once

#include "commands/global_options.h"

namespace CLI {
class App;
}

namespace ratectl::cli {

/// Declares them all; --help and --version are declared too, and answered by the parser.
void bind_global_flags(CLI::App& app, commands::GlobalOptions& options);

}  // namespace ratectl::cli
