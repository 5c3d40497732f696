// headers --verify: pasted response headers beside what every node of the window's shard says.
#pragma once

#include <string>

#include "commands/context.h"
#include "commands/report/row_writer.h"
#include "commands/request/selection.h"

namespace ratectl::commands {

/// `from`: a file, or `-` for standard input. A row a response; attention when one of them cannot have been said by an
/// application that works. Throws Failure (usage) when it is not clear which window a response is about.
ExitCode verify_headers(const Selection& selection, const std::string& from, const ColumnOrder& order,
                        Context& context);

}  // namespace ratectl::commands
