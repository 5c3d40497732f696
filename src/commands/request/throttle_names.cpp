// Finds the policy of throttles, and makes keys of names.
#include "commands/request/throttle_names.h"

#include <algorithm>

#include <fmt/format.h>

#include "commands/outcome.h"
#include "commands/report/key_mask.h"
#include "domain/knobs.h"
#include "support/quote.h"

namespace ratectl::commands::throttle {
namespace {

constexpr std::string_view kScheme = "limitlion";
constexpr std::string_view kKnobs = ":knobs";
constexpr std::size_t kNamesAtOnce = 1000;

/// One name fills one hole, and no flag fills another.
void check_names_make_keys(const domain::Policy& policy) {
    if (domain::PolicyBook::key_of(policy, "x")) return;
    support::throw_usage(
        fmt::format("policy {} has keys of another shape ('{}') than one name of a throttle fills",
                    support::quoted(policy.name), policy.key.text()),
        "--scheme limitlion --key 'throttle:{client}' takes for the name all that stands behind `throttle:`; `ratectl "
        "check KEY` and `ratectl reset KEY` take the keys themselves");
}

void refuse_turned(std::string_view name) {
    const auto equals = name.find('=');
    if (equals == std::string_view::npos || std::ranges::count(domain::kKnobNames, name.substr(0, equals)) == 0) return;
    support::throw_usage(support::quoted(std::string(name)) + " turns a knob, and is no throttle's name here",
                         "`ratectl knobs set NAME rps=N burst=N window=N` turns single knobs");
}

}  // namespace

bool is_of_throttles(const domain::Policy& policy, const config::Settings& settings) {
    return (policy.scheme.empty() ? settings.layout.scheme : policy.scheme) == kScheme;
}

void bind_policy(Syntax syntax, Names& names) {
    syntax.add_option("--policy", names.policy, "the policy that has them, where several are of throttles")
        .type_name("NAME");
}

void bind_names(Syntax syntax, Names& names, bool reads_input) {
    syntax
        .add_option("NAME", names.names,
                    reads_input
                        ? "a throttle, as the application calls it; `-`: those on standard input, by name, or as "
                          "-o name, json, ndjson, csv and tsv print them"
                        : "a throttle, as the application calls it")
        .required();
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
    const auto& policy = policy_of(names, context);
    check_names_make_keys(policy);
    Selection selection;
    selection.clients = names.names;
    selection.clients_or_keys = true;
    selection.policies = {policy.name};
    return selection;
}

std::string key_of(const domain::Policy& policy, std::string_view name, const config::Settings& settings) {
    check_names_make_keys(policy);
    auto key = support::value_or_throw(domain::PolicyBook::key_of(policy, name));
    const auto match = match_of(key, settings);
    if (match && match->policy != &policy) throw support::Failure(taken_fault(key, policy.name, match->policy->name));
    return key;
}

void check_together(const std::string& throttle, Context& context) {
    const auto& directory = context.directory();
    if (directory.leads_to_keys()) {
        if (auto fault = context.store().unfit(throttle)) {
            fault->message += "; nothing was written";
            throw support::Failure(*std::move(fault));
        }
        return;
    }
    const auto home = directory.place_of(throttle);
    const auto place = directory.place_of(knobs_key(throttle));
    if (!home || !place || home->shard == place->shard) return;
    throw support::Failure(
        ExitCode::configuration,
        fmt::format("throttle {} is on shard '{}', and this rule has its knobs on '{}', where its limiter, which reads "
                    "both on one server, does not look for them; nothing was written",
                    support::quoted(visible_client(*match_of(throttle, context.settings()))),
                    directory.name_of(home->shard), directory.name_of(place->shard)),
        "a key tag in the template that both share keeps them together, or -u names the one server of the throttle");
}

std::vector<std::string> keys_of(const Names& names, Context& context) {
    const auto selection = buckets_of(names, context);
    check_selection(selection);
    const auto& settings = context.settings();
    const auto& policy = policy_of(names, context);
    std::vector<std::string> keys;
    if (!is_dash(names.names)) {
        for (const auto& name : names.names) {
            refuse_turned(name);
            auto key = key_of(policy, name, settings);
            if (auto fault = fingerprint_fault(key, settings)) throw support::Failure(*std::move(fault));
            check_together(key, context);
            keys.push_back(std::move(key));
        }
        return keys;
    }
    KeyStream lines(selection, context, true);
    for (auto some = lines.next(kNamesAtOnce); !some.empty(); some = lines.next(kNamesAtOnce)) {
        for (auto& one : some) {
            refuse_turned(one.client);
            const auto match = match_of(one.key, settings);
            if (!match || match->policy != &policy) {
                lines.left_out().note(one.key, "--policy");
            } else {
                keys.push_back(std::move(one.key));
            }
        }
    }
    Outcome outcome(context);
    lines.left_out().tell(outcome);
    if (outcome.code() != ExitCode::done)
        support::throw_usage("not all that standard input names are throttles of this policy; nothing was written", {});
    for (const auto& key : keys) check_together(key, context);
    return keys;
}

std::string knobs_key(std::string_view throttle) { return std::string(throttle).append(kKnobs); }

std::string_view throttle_of(std::string_view key) {
    return key.ends_with(kKnobs) ? key.substr(0, key.size() - kKnobs.size()) : key;
}

}  // namespace ratectl::commands::throttle
