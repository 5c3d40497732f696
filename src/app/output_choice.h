// How rows and messages look: from options, environment and terminal to sink and diagnostics options. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/terminal.h"
#include "commands/global_options.h"
#include "output/diagnostics.h"
#include "output/row_sink.h"

namespace ratectl::app {

/// Fills the options that were not given from RATECTL_<OPTION>. Throws Failure (usage) naming the variable.
/// Those of the configuration are config's business.
void fill_from_environment(commands::GlobalOptions& options, const Env& env);

/// Throws Failure (usage) for a bad format, colour, zone or key format. `schema` and `now` are left to the caller.
output::SinkOptions choose_output(const commands::GlobalOptions& options, const TerminalFacts& facts, const Env& env);
/// Throws what choose_output() throws, for a command that also has `own_formats`, which are its own business.
void check_output(const commands::GlobalOptions& options, const std::vector<std::string>& own_formats,
                  const TerminalFacts& facts, const Env& env);
output::DiagnosticsOptions choose_messages(const commands::GlobalOptions& options, const TerminalFacts& facts,
                                           const Env& env);

}  // namespace ratectl::app
