// The deployments of a configuration file, and the settings of the one that was chosen.
#pragma once

#include <optional>

#include "config/config_file.h"
#include "config/given.h"
#include "config/settings.h"

namespace ratectl::config {

/// Reads and checks every deployment of the file; fetches passwords and class files for the chosen one only. `wanted` is
/// --deployment. Throws Failure: configuration for the file, usage when the choice is missing or wrong.
Settings settings_from_file(const ConfigFile& file, const std::optional<Given>& wanted, const World& world);

}  // namespace ratectl::config
