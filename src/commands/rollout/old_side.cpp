// Opens the deployment that clients move from.
#include "commands/rollout/old_side.h"

#include <algorithm>

#include <fmt/format.h>

#include "commands/request/deployment_name.h"
#include "store/directory.h"

namespace ratectl::commands::rollout {
namespace {

void check_homes(const std::string& name, const store::Directory& directory) {
    if (directory.knows_homes()) return;
    throw support::Failure(ExitCode::configuration,
                           fmt::format("{}: nothing says how keys are shared out over its {} servers, so it is unknown "
                                       "which of them has a client's window",
                                       name, directory.places().size()),
                           "`sharding` in its configuration");
}

OpenDeployment opened(const std::string& name, Context& context) {
    const auto named = parse_deployment_or_url(name);
    auto old = context.open_deployment(named);
    // A bare URL brings no policies: the same clients are meant, and they have the same limits.
    if (named.url) old.settings.policies = context.settings().policies;
    return old;
}

void tell_other_keys(const OpenDeployment& old, Context& context) {
    for (const auto& policy : context.settings().policies.policies()) {
        const auto* there = old.settings.policies.find(policy.name);
        if (there == nullptr || there->key.text() == policy.key.text()) continue;
        context.messages().warning(
            // Between single quotes a text with a template at its end would be taken for a key, and hidden.
            fmt::format("keys of policy '{}' are `{}` in deployment '{}', and `{}` in '{}'", policy.name,
                        there->key.text(), old.settings.deployment, policy.key.text(), context.settings().deployment),
            "`ratectl rollout compare` looks at both; a copy carries nothing over into another key, so those clients "
            "start afresh");
    }
}

}  // namespace

OldSide::OldSide(const std::string& name, Context& context)
    : opened_(opened(name, context)),
      here_(context),
      context_(context, opened_.settings, opened_.store->directory(), opened_.store.get()),
      name_(fmt::format("deployment '{}'", opened_.settings.deployment)) {
    check_homes(name_, opened_.store->directory());
    check_homes(fmt::format("deployment '{}'", context.settings().deployment), context.directory());
    for (const auto& from : opened_.store->directory().places()) {
        const auto is_same = [&](const domain::Shard& to) { return from.primary.same_server(to.primary); };
        if (std::ranges::any_of(context.directory().places(), is_same)) {
            throw support::Failure(ExitCode::usage,
                                   fmt::format("--old names {}, and -d or -u the same: a rollout goes from one "
                                               "deployment to another",
                                               from.primary.address()),
                                   "-d or -u names the new one, --old the one that clients come from");
        }
    }
    tell_other_keys(opened_, context);
}

std::string OldSide::how_to_hide() const {
    if (here_.options().overrides.urls.empty())
        return "give the deployment here a policy with this key and `secret = true`";
    return "a bare URL has no policies: write the deployment into the configuration, with a policy that has this key "
           "and `secret = true`, and name it with -d";
}

std::string OldSide::key_of(const std::string& key, std::string_view client) const {
    const auto match = here_.settings().policies.match(key);
    const auto* there = match ? opened_.settings.policies.find(match->policy->name) : nullptr;
    if (there == nullptr || there->key.text() == match->policy->key.text()) return key;
    const auto& here = match->policy->key;
    const auto client_hole = domain::PolicyBook::client_hole(*match->policy);
    auto values = here.match(key).value_or(domain::Captures{});
    for (auto& [hole, value] : values) {
        if (hole == client_hole && !client.empty()) {
            value = client;
        } else if (!here.holds_as_given(hole)) {
            return key;
        }
    }
    return there->key.expand(values).value_or(key);
}

const domain::Policy* OldSide::policy_with_other_keys(std::string_view key) const {
    const auto& policies = here_.settings().policies;
    const auto there = opened_.settings.policies.match(key);
    if (!there || policies.match(key)) return nullptr;
    const auto* here = policies.find(there->policy->name);
    return here == nullptr || here->key.text() == there->policy->key.text() ? nullptr : here;
}

std::vector<store::LookAnswer> OldSide::look(std::span<const std::string_view> keys) {
    return look_surely(keys, *opened_.store);
}

std::vector<store::KeyAt> places_of(std::span<const std::string_view> keys, const store::Directory& directory) {
    std::vector<store::KeyAt> places;
    places.reserve(keys.size());
    for (const auto key : keys) places.push_back({std::string(key), directory.place_of(key).value_or(store::Place{})});
    return places;
}

std::vector<store::LookAnswer> look_surely(std::span<const std::string_view> keys, store::Store& store) {
    if (keys.empty()) return {};
    const auto places = places_of(keys, store.directory());
    return store.look({places, {domain::ReadFrom::Which::primary, {}}, domain::LookDepth::light, false, true});
}

}  // namespace ratectl::commands::rollout
