// How a second deployment is named on a command line, beside the one that -d or -u names.
#pragma once

#include <string>

#include "commands/context.h"

namespace ratectl::commands {

/// `a.toml`, `etc/a.toml:DEPLOYMENT`, or the name of a deployment in the usual file. Throws Failure (usage).
DeploymentName parse_deployment_name(const std::string& text);
/// The same, or the URL of a server: `memcached://HOST:PORT`, or `env:NAME` for one in the environment.
DeploymentName parse_deployment_or_url(const std::string& text);

}  // namespace ratectl::commands
