// One client's windows in the shape of GitHub's GET /rate_limit: resources by policy, and `rate` for core.
#pragma once

#include "commands/selection.h"

namespace ratectl::commands {

/// {"resources":{"core":{"limit":..,"used":..,"remaining":..,"reset":..},..},"rate":{..}}. A window that is absent or over is
/// shown as the client would see it: nothing used, reset a period from now. What is unknown is null.
ExitCode print_rate_limit_document(const Selection& selection, Context& context);

}  // namespace ratectl::commands
