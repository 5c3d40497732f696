// `nodes --capabilities`: what answers at each node, and which of the commands that ratectl sends it lets this user
// run.
#pragma once

#include <span>

#include "commands/context.h"
#include "commands/report/row_writer.h"

namespace ratectl::commands {

/// A row a node and command; one alone where a node does not answer. Nothing is written. Refused commands are rows, not
/// failures: what is broken by them is doctor's to say.
ExitCode run_capabilities(std::span<const std::size_t> shards, const ColumnOrder& order, Context& context);

}  // namespace ratectl::commands
