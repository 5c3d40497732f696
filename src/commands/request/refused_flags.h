// Flags that mean something elsewhere, and nothing here: refused with the reason instead of being ignored.
#pragma once

#include <string>
#include <vector>

#include "commands/context.h"
#include "commands/request/syntax.h"

namespace ratectl::commands {

/// Not listed in the help. A flag that every command has is refused where the command line gives it, not where the
/// environment does.
void refuse_flags(Syntax syntax, const std::vector<std::string>& flags, const std::string& why,
                  const std::string& hint);
/// --from and --max-staleness, of a command that reads no replica.
void refuse_other_nodes(Syntax syntax, const std::string& why);
/// --limit stands alone on the command line, as where it is taken for a number of rows: beside --key, or in the
/// environment, it belongs to what is said for all commands.
bool may_mean_rows_by_limit(Context& context);
/// Throws Failure (usage) then. For a command that has no use for limits.
void refuse_limit(Context& context, const std::string& hint);
/// The same for --limit, --period and --burst, and in any case for --now: of a command that no figure of a policy, and
/// no clock of an application, means anything to. `why`: what counts instead.
void refuse_terms(Context& context, const std::string& why, const std::string& hint);
/// For lists of what was found: where policies have limits, another one for all windows is hardly what is wanted of
/// them. `hint`: how fewer rows are had; without flags of its own the command points at scan's.
void say_limit_is_no_count(Context& context, const std::string& hint =
                                                 "`ratectl scan --first N` shows the first N rows, `ratectl scan "
                                                 "--top N` those with the most requests");

}  // namespace ratectl::commands
