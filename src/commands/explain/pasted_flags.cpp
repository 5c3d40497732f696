// Writes the flags of a pasted command so that it cannot hit another deployment than the one that the advice is about.
#include "commands/explain/pasted_flags.h"

#include <optional>
#include <string_view>

#include "commands/report/wording.h"
#include "output/printable.h"

namespace ratectl::commands::explain {
namespace {

bool is_deployment_chosen(const GlobalOptions& options, const config::Settings& settings) {
    if (!settings.file || !options.overrides.urls.empty()) return false;
    const auto origin = settings.origins.find("deployment");
    if (origin == settings.origins.end()) return false;
    return origin->second.kind == config::Origin::Kind::flag ||
           origin->second.kind == config::Origin::Kind::environment;
}

/// A value that cannot be shown as it is, or would be taken for a flag, is left to the user who pastes it.
std::string value_or(std::string_view value, std::string_view stand_in, bool redacted) {
    const bool whole = !redacted && output::is_plain(value) && !value.starts_with('-');
    return whole ? as_argument(value) : std::string(stand_in);
}

}  // namespace

std::string flags_of_deployment(const GlobalOptions& options, const config::Settings& settings, bool redacted) {
    const auto& given = options.overrides;
    std::string flags;
    const auto add = [&](std::string_view flag, std::string_view value, std::string_view stand_in) {
        flags.append(" ").append(flag).append(" ").append(value_or(value, stand_in, redacted));
    };
    if (given.config_file) add("-c", *given.config_file, "FILE");
    // A URL on the command line has no password: those are refused.
    for (const auto& url : given.urls) add("-u", url, "URL");
    if (is_deployment_chosen(options, settings)) flags += " -d " + as_argument(settings.deployment);
    if (given.sharding) add("--sharding", *given.sharding, "PRESET");
    if (given.all_shards) flags += " --all-shards";
    if (given.key) add("--key", *given.key, "TEMPLATE");
    if (given.scheme) add("--scheme", *given.scheme, "NAME");
    if (given.expiry_suffix) add("--expiry-suffix", *given.expiry_suffix, "SUFFIX");
    return flags;
}

}  // namespace ratectl::commands::explain
