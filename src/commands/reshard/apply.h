// reshard apply: asks, then moves window after window; may be stopped, killed and run again.
#pragma once

#include <vector>

#include "commands/context.h"
#include "commands/report/row_writer.h"
#include "commands/reshard/deployment_pair.h"
#include "commands/write/consent.h"
#include "domain/window.h"

namespace ratectl::commands::reshard {

struct ApplyRequest {
    std::vector<domain::WindowState> states;  // moved beside live windows
    ConsentFlags consent;
    std::optional<std::string> op_id;
    bool op_keys = true;
    ColumnOrder order = {};
};
ExitCode apply(const ApplyRequest& request, DeploymentPair& deployments, Context& context);

}  // namespace ratectl::commands::reshard
