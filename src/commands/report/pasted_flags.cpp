// Writes the flags of a pasted command so that it cannot hit another deployment than the one at hand.
#include "commands/report/pasted_flags.h"

#include <optional>
#include <string_view>

#include "commands/report/wording.h"
#include "config/given.h"
#include "output/printable.h"

namespace ratectl::commands {
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
    const bool whole = !redacted && !value.empty() && output::is_plain(value) && !value.starts_with('-');
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
    // A URL on the command line has no password: those are refused. A user is not named either.
    for (const auto& url : given.urls) add("-u", url.find('@') == std::string::npos ? url : "", "URL");
    if (is_deployment_chosen(options, settings)) flags += " -d " + as_argument(settings.deployment);
    if (given.sharding) add("--sharding", *given.sharding, "PRESET");
    if (given.all_shards) flags += " --all-shards";
    if (given.key) add("--key", *given.key, "TEMPLATE");
    if (given.scheme) add("--scheme", *given.scheme, "NAME");
    if (given.expiry_suffix) add("--expiry-suffix", *given.expiry_suffix, "SUFFIX");
    if (!windows_need_terms(settings)) return flags;
    if (given.limit) add("--limit", *given.limit, "N");
    if (given.period) add("--period", *given.period, "DURATION");
    if (given.burst) add("--burst", *given.burst, "N");
    return flags;
}

bool windows_need_terms(const config::Settings& settings) { return &limiter_of(settings) != &store::limiter_of({}); }

std::string missing_terms(const KeyMeaning& meaning, std::string_view key, const config::Settings& settings) {
    std::string flags = meaning.limit ? "" : " --limit N";
    if (!limiter_of(settings).of(key).end_moves()) return flags;
    const auto* policy = meaning.match ? meaning.match->policy : nullptr;
    const bool is_flag = policy != nullptr && policy->name == config::kKeyPolicy;
    if (settings.policies.find(config::kKeyPolicy) == nullptr && policy == nullptr) flags += " --key TEMPLATE";
    // The terms of --key are its scheme's only where the command line names that, too.
    const auto scheme = settings.origins.find("scheme");
    const bool is_said = scheme != settings.origins.end() && scheme->second.kind == config::Origin::Kind::flag;
    if (!is_said && (policy == nullptr || is_flag)) flags += " --scheme " + settings.layout.scheme;
    if (!period_of(meaning, settings)) flags += " --period DURATION";
    if (!settings.burst && (policy == nullptr || !policy->burst)) flags += " --burst N";
    return flags;
}

std::string pasted(Context& context, std::string_view rest) {
    const auto& options = context.options();
    auto command = "ratectl" + flags_of_deployment(options, context.settings(), false);
    if (options.journal) command += " --journal " + value_or(*options.journal, "PATH", false);
    return command.append(" ").append(rest);
}

}  // namespace ratectl::commands
