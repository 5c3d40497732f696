// check: used, limit, remaining, reset and state of the windows of a selection.
#pragma once

#include <optional>
#include <string>

#include "commands/command.h"
#include "commands/report/window_report.h"
#include "commands/request/selection.h"
#include "commands/request/syntax.h"

namespace ratectl::commands {

struct CheckRequest {
    Selection selection;
    ReportOptions report;
    std::optional<std::string> look;
    bool as_script = false;
};

/// The flags beside the selection, for check and client alike.
void bind_check_flags(Syntax syntax, CheckRequest& request);
ExitCode run_check(const CheckRequest& request, Context& context);

}  // namespace ratectl::commands
