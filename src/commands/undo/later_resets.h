// What was removed after an operation had changed it: where ends move, nothing that is stored tells it for sure.
#pragma once

#include <set>
#include <span>
#include <string>

#include "commands/context.h"
#include "commands/report/fields/history_fields.h"

namespace ratectl::commands {

/// The keys, as records have them, of those windows whose end moves that this machine's journal knows were removed
/// since these rows of one operation were written, and not put back.
std::set<std::string> removed_since(std::span<const HistoryRow> rows, Context& context);

}  // namespace ratectl::commands
