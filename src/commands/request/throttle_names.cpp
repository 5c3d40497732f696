// Finds the policy of throttles, and makes keys of names.
#include "commands/request/throttle_names.h"

#include <algorithm>

#include "commands/outcome.h"
#include "commands/report/key_mask.h"
#include "domain/knobs.h"
#include "support/quote.h"

namespace ratectl::commands::throttle {
namespace {

constexpr std::string_view kScheme = "limitlion";
constexpr std::string_view kKnobs = ":knobs";
constexpr std::size_t kNamesAtOnce = 1000;

bool is_of_throttles(const domain::Policy& policy, const config::Settings& settings) {
    return (policy.scheme.empty() ? settings.layout.scheme : policy.scheme) == kScheme;
}

}  // namespace

void bind_policy(Syntax syntax, Names& names) {
    syntax.add_option("--policy", names.policy, "the policy that has them, where several are of throttles")
        .type_name("NAME");
}

void bind_names(Syntax syntax, Names& names) {
    syntax.add_option("NAME", names.names, "a throttle, as the application calls it").required();
    bind_policy(syntax, names);
}

bool has_throttles(const config::Settings& settings) {
    return std::ranges::any_of(settings.policies.policies(),
                               [&](const auto& policy) { return is_of_throttles(policy, settings); });
}

const domain::Policy& policy_of(const Names& names, Context& context) {
    const auto& settings = context.settings();
    const auto& all = settings.policies.policies();
    // The one of --key is before all others, and named so that it is meant.
    if (context.options().overrides.key && !names.policy && is_of_throttles(all.front(), settings)) return all.front();
    const domain::Policy* found = nullptr;
    for (const auto& policy : all) {
        if (!is_of_throttles(policy, settings) || (names.policy && policy.name != *names.policy)) continue;
        if (found != nullptr)
            throw support::Failure(ExitCode::usage,
                                   "policies " + support::quoted(found->name) + " and " + support::quoted(policy.name) +
                                       " are both of throttles",
                                   "--policy NAME says which of them is meant");
        found = &policy;
    }
    if (found != nullptr) return *found;
    if (names.policy)
        throw support::Failure(ExitCode::usage, "no policy of throttles is called " + support::quoted(*names.policy),
                               "its scheme would be \"limitlion\"");
    throw support::Failure(ExitCode::configuration,
                           "no policy is of throttles, so it is not known what they are called",
                           "scheme = \"limitlion\" and key = \"throttle:{client}\" in a policy, or --scheme limitlion "
                           "--key 'throttle:{client}'");
}

Selection buckets_of(const Names& names, Context& context) {
    Selection selection;
    selection.clients = names.names;
    selection.policies = {policy_of(names, context).name};
    return selection;
}

Names read_names(const Names& names, Context& context) {
    const auto selection = buckets_of(names, context);
    check_selection(selection);
    if (!is_dash(names.names)) return names;
    Names read{{}, names.policy};
    KeyStream lines(selection, context, true);
    for (auto some = lines.next(kNamesAtOnce); !some.empty(); some = lines.next(kNamesAtOnce))
        for (auto& one : some) read.names.push_back(std::move(one.client));
    Outcome outcome(context);
    lines.left_out().tell(outcome);
    if (outcome.code() != ExitCode::done)
        support::throw_usage("not all that standard input names are throttles of this policy; nothing was written", {});
    return read;
}

std::vector<std::string> keys_of(const Names& names, Context& context) {
    const auto& policy = policy_of(names, context);
    std::vector<std::string> keys;
    for (const auto& name : names.names) {
        auto key = support::value_or_throw(domain::PolicyBook::key_of(policy, name));
        if (auto fault = fingerprint_fault(key, context.settings())) throw support::Failure(*std::move(fault));
        keys.push_back(std::move(key));
    }
    return keys;
}

std::string knobs_key(std::string_view throttle) { return std::string(throttle).append(kKnobs); }

std::string_view throttle_of(std::string_view key) {
    return key.ends_with(kKnobs) ? key.substr(0, key.size() - kKnobs.size()) : key;
}

std::vector<std::string> knobs_of(const Names& names, Context& context) {
    for (const auto& name : names.names) {
        const auto equals = name.find('=');
        if (equals != std::string::npos &&
            std::ranges::count(domain::kKnobNames, std::string_view(name).substr(0, equals)) > 0)
            support::throw_usage(support::quoted(name) + " turns a knob, and is no throttle's name here",
                                 "`ratectl knobs set NAME rps=N burst=N window=N` turns single knobs");
    }
    auto keys = keys_of(names, context);
    for (auto& key : keys) key = knobs_key(key);
    return keys;
}

}  // namespace ratectl::commands::throttle
