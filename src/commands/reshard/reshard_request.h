// What the subcommands of reshard were asked for, and who runs them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/context.h"
#include "commands/report/row_writer.h"
#include "commands/reshard/deployment_pair.h"
#include "commands/write/consent.h"
#include "domain/window.h"

namespace ratectl::commands::reshard {

struct ForecastRequest {
    double above = 80;                        // percent of the limit
    std::vector<domain::WindowState> states;  // counted beside live windows
    ColumnOrder order;
};
/// reshard plan: how many windows would move, and who would notice. Reads only.
ExitCode forecast(const ForecastRequest& request, const DeploymentPair& deployments, Context& context);

struct ApplyRequest {
    std::vector<domain::WindowState> states;  // moved beside live windows
    ConsentFlags consent;
    std::optional<std::string> op_id;
    bool op_keys = true;
    ColumnOrder order = {};
    bool merge = false;  // add to newer windows at the target
};
/// reshard apply: asks, then moves window after window; may be stopped, killed and run again.
ExitCode apply(const ApplyRequest& request, DeploymentPair& deployments, Context& context);

}  // namespace ratectl::commands::reshard
