// reshard plan: how many windows would move, and who would notice. Reads only.
#pragma once

#include "commands/context.h"
#include "commands/report/row_writer.h"
#include "commands/reshard/deployment_pair.h"
#include "domain/window.h"

namespace ratectl::commands::reshard {

struct ForecastRequest {
    double above = 80;                        // percent of the limit
    std::vector<domain::WindowState> states;  // counted beside live windows
    ColumnOrder order;
};
ExitCode forecast(const ForecastRequest& request, const DeploymentPair& deployments, Context& context);

}  // namespace ratectl::commands::reshard
