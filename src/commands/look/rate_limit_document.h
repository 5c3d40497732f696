// One client's windows in the shape of GitHub's GET /rate_limit: resources by policy, and `rate` for core.
#pragma once

#include "commands/request/selection.h"

namespace ratectl::commands {

/// {"resources":{"core":{"limit":..,"used":..,"remaining":..,"reset":..},..},"rate":{..}}. A window that is absent or
/// over is shown as the client would see it: nothing used, reset a period from now. What is unknown is null; of what a
/// client is exempt from, it is told nothing. With --org a resource is the window that binds, the client's own or its
/// organisation's. `exit_status`: ends with 1 when one of them is exhausted, with 3 when that cannot be told.
ExitCode print_rate_limit_document(const Selection& selection, bool exit_status, Context& context);

}  // namespace ratectl::commands
