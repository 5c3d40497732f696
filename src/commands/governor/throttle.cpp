// Where a governed throttle is, and which rate it has as long as no knob says one.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "commands/governor/governing.h"
#include "domain/governor/decide.h"
#include "support/digest.h"
#include "support/quote.h"

namespace ratectl::commands::governor {
namespace {

using domain::Knob;
using support::Failure;

/// Tokens that come back with each window, which is a period long, and a capacity: as the knobs would say it.
std::optional<domain::Knobs> without_knobs(const std::string& key, const config::Settings& settings) {
    const auto meaning = meaning_of(key, settings);
    const auto period = period_of(meaning, settings);
    if (!meaning.limit || *meaning.limit <= 0 || !period || period->count() <= 0) return std::nullopt;
    const auto limit = static_cast<double>(*meaning.limit);
    const auto window = static_cast<double>(period->count());
    domain::Knobs knobs;
    knobs.of(Knob::rps) = fmt::format("{}", std::max(0.001, std::round(limit / window * 1e6) / 1e6));
    knobs.of(Knob::window) = fmt::format("{}", period->count());
    knobs.of(Knob::burst) = domain::kUsualBurst;
    const auto* const policy = meaning.match ? meaning.match->policy : nullptr;
    if (policy != nullptr && policy->burst && *policy->burst > 0) {
        // Rounded down: what they come to is rounded up.
        const double windows = static_cast<double>(*policy->burst) / limit;
        knobs.of(Knob::burst) = fmt::format("{}", std::max(0.001, std::floor(windows * 1e6) / 1e6));
    }
    return knobs;
}

}  // namespace

Throttle::Throttle(const throttle::Names& names, Context& context) {
    const auto& policy = throttle::policy_of(names, context);
    const auto& given = names.names.front();
    if (given == "-")
        support::throw_usage("`-` stands for standard input, which names no throttle here",
                             "a governor has one throttle, named on the command line");
    name = policy.masked ? support::fingerprint(given) : given;
    key = throttle::key_of(policy, given, context.settings());
    throttle::check_together(key, context);
    knobs = throttle::knobs_key(key);
    const auto place = context.directory().place_of(knobs);
    if (!place)
        throw Failure(
            ExitCode::configuration,
            "which shard has throttle " + support::quoted(name) + " cannot be computed, so it is not governed",
            "--sharding says how keys are shared out; `ratectl sharding guess` finds the rule");
    shard = place->shard;
    unturned = without_knobs(key, context.settings());
}

std::string rate_words(double rps) {
    if (rps < 0) return "every request is let through";
    if (rps == 0) return "no request is let through";
    return fmt::format("{} requests a second are let through", domain::governor::rounded(rps));
}

}  // namespace ratectl::commands::governor
