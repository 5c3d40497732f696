// The deployments of a configuration file, and the settings of the one that was chosen.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/config_file.h"
#include "config/given.h"
#include "config/settings.h"

namespace ratectl::config {

/// Reads and checks every deployment of the file; fetches passwords and class files for the chosen one only. `wanted`
/// is
/// --deployment. Throws Failure: configuration for the file, usage when the choice is missing or wrong.
Settings settings_from_file(const ConfigFile& file, const std::optional<Given>& wanted, const World& world);

/// Where writes are recorded, as a file says it for all of its deployments.
struct JournalPlace {
    std::string path;  // absolute
    Origin origin;
};
/// Of the file that resolve() would read; null: it says nothing of it, servers are named without a file, or there is
/// none. Throws Failure (configuration).
std::optional<JournalPlace> configured_journal(const Overrides& overrides, const World& world);

/// The names of a file's deployments, in its order. Throws Failure (configuration).
std::vector<std::string> deployment_names(const ConfigFile& file);
/// The same when there are several and no default; else empty.
std::vector<std::string> deployments_without_default(const ConfigFile& file);

}  // namespace ratectl::config
