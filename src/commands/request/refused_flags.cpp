// Declares refused flags as hidden options of the command, which go before those that every command has.
#include "commands/request/refused_flags.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/error.h"

namespace ratectl::commands {

void refuse_flags(Syntax syntax, const std::vector<std::string>& flags, const std::string& why,
                  const std::string& hint) {
    for (const auto& flag : flags) {
        const auto refuse = [=](const std::string&) {
            support::throw_usage(fmt::format("{} has no meaning here: {}", flag, why), hint);
        };
        syntax.add_option(flag, refuse, "refused, with the reason").type_name("VALUE").group("");
    }
}

void refuse_other_nodes(Syntax syntax, const std::string& why) {
    refuse_flags(syntax, {"--from", "--max-staleness"}, why, "`ratectl check --from NODE` shows what another node has");
}

bool may_mean_rows_by_limit(Context& context) {
    const auto& given = context.options().overrides;
    return given.limit && !given.key && !context.env("RATECTL_LIMIT");
}

void say_limit_is_no_count(Context& context, const std::string& hint) {
    const auto& policies = context.settings().policies.policies();
    if (!may_mean_rows_by_limit(context) ||
        std::ranges::none_of(policies, [](const auto& policy) { return policy.limit.has_value(); }))
        return;
    context.messages().notice(
        fmt::format("--limit {} is the limit of every window here, whatever the policies say, and no number of rows",
                    *context.options().overrides.limit),
        hint);
}

void refuse_terms(Context& context, const std::string& why, const std::string& hint) {
    const auto& given = context.options().overrides;
    const auto refuse = [&](const std::optional<std::string>& value, std::string_view flag, const char* variable) {
        if (value && !context.env(variable))
            support::throw_usage(fmt::format("{} has no meaning here: {}", flag, why), hint);
    };
    refuse(given.now, "--now", "RATECTL_NOW");
    if (given.key) return;
    refuse(given.limit, "--limit", "RATECTL_LIMIT");
    refuse(given.period, "--period", "RATECTL_PERIOD");
    refuse(given.burst, "--burst", "RATECTL_BURST");
}

void refuse_limit(Context& context, const std::string& hint) {
    if (!may_mean_rows_by_limit(context)) return;
    support::throw_usage("--limit has no meaning here: it is the limit of windows, and no number of rows", hint);
}

}  // namespace ratectl::commands
