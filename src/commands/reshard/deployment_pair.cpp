// Finds shards of two deployments that are one server: by run id, since an address may be written in two ways.
#include "commands/reshard/deployment_pair.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "commands/request/deployment_name.h"
#include "commands/reshard/renaming.h"

namespace ratectl::commands::reshard {
namespace {

using support::Failure;

/// The primaries' identities, in the order of shards; those that keep silent are without one.
std::vector<ServerIdentity> identities(OpenDeployment& side, std::vector<store::NodeFailure>& silent) {
    std::vector<ServerIdentity> found;
    const auto& directory = side.store->directory();
    for (const auto& place : directory.places()) found.push_back({place.primary, std::nullopt});
    for (const auto& report : side.store->node_reports()) {
        if (report.node.role != domain::Role::primary) continue;
        if (!report.facts) {
            silent.push_back({report.node, report.facts.error()});
            continue;
        }
        for (std::size_t i = 0; i < found.size(); ++i) {
            if (directory.name_of(i) == report.node.shard) found[i].run_id = report.facts->run_id;
        }
    }
    return found;
}

void refuse_flags(Context& context) {
    const auto& given = context.options().overrides;
    const char* flag = !given.urls.empty() ? "--url"
                       : given.deployment  ? "--deployment"
                       : given.sharding    ? "--sharding"
                       : given.all_shards  ? "--all-shards"
                                           : nullptr;
    if (flag == nullptr) return;
    throw Failure(ExitCode::usage, fmt::format("{} speaks of one deployment, and reshard is about two", flag),
                  "name both as arguments: deployments, or files as FILE or FILE:DEPLOYMENT");
}

/// Keys and their schemes, of the policies that name one.
std::vector<std::array<std::string, 3>> own_schemes(const config::Settings& settings) {
    std::vector<std::array<std::string, 3>> own;
    for (const auto& policy : settings.policies.policies()) {
        if (!policy.scheme.empty()) own.push_back({policy.key.text(), policy.clients, policy.scheme});
    }
    return own;
}

void check_agreement(const DeploymentPair& deployments) {
    if (!deployments.to.store->directory().knows_homes()) {
        throw Failure(ExitCode::configuration,
                      fmt::format("{}: nothing says how keys are shared out over its {} shards, so it is unknown where "
                                  "windows would go",
                                  deployments.to_name, deployments.to.store->directory().places().size()),
                      "`sharding` in its configuration");
    }
    const Renaming renaming(deployments.from.settings, deployments.to.settings);
    renaming.check(deployments.from_name, deployments.to_name);
    if (!renaming.renames() && own_schemes(deployments.from.settings) != own_schemes(deployments.to.settings)) {
        throw Failure(
            ExitCode::configuration,
            fmt::format("the policies of {} and {} do not name the same schemes for the same keys: windows of "
                        "one are none of the other",
                        deployments.from_name, deployments.to_name),
            "the same policies with a scheme of their own in both");
    }
    const auto& [from, to] = std::tie(deployments.from.settings.layout, deployments.to.settings.layout);
    if (from != to) {
        throw Failure(ExitCode::configuration,
                      fmt::format("{} keeps its windows as '{}' with '{}' and {} as '{}' with '{}': windows of one are "
                                  "none of the other",
                                  deployments.from_name, from.scheme, from.expiry_suffix, deployments.to_name,
                                  to.scheme, to.expiry_suffix),
                      "the same scheme and expiry_suffix in both");
    }
}

/// A node of a Redis Cluster is no shard of its own, which every look at it says. Two clusters are two where all of
/// their primaries say that they are others: keys of one would be where they go to already, and be removed there.
void tell_clusters_apart(DeploymentPair& deployments) {
    const bool from = deployments.from.store->directory().has_slots();
    const bool to = deployments.to.store->directory().has_slots();
    if (!from && !to) return;
    for (const auto& row : deployments.match) {
        if (!from || !to || std::ranges::all_of(row, [](auto match) { return match == ServerMatch::other; })) continue;
        throw Failure(ExitCode::configuration,
                      fmt::format("nothing shows that {} and {} are two Redis Clusters, and what is moved within one "
                                  "would be lost; nothing was done",
                                  deployments.from_name, deployments.to_name),
                      "INFO on all primaries of both tells them apart");
    }
    deployments.match.clear();
}

}  // namespace

ServerMatch match_of(const ServerIdentity& a, const ServerIdentity& b) {
    if (a.endpoint.same_server(b.endpoint)) return ServerMatch::same;
    if (!a.run_id || !b.run_id) return ServerMatch::unproven;
    return *a.run_id == *b.run_id && a.endpoint.db == b.endpoint.db ? ServerMatch::same : ServerMatch::other;
}

DeploymentPair open_pair(const std::string& from, const std::string& to, Context& context) {
    refuse_flags(context);
    DeploymentPair deployments{context.open_deployment(parse_deployment_name(from)),
                               context.open_deployment(parse_deployment_name(to)),
                               {},
                               {},
                               {},
                               {},
                               {}};
    deployments.from_name = fmt::format("deployment '{}'", deployments.from.settings.deployment);
    deployments.to_name = fmt::format("deployment '{}'", deployments.to.settings.deployment);
    if (deployments.from_name == deployments.to_name) {
        deployments.from_name += fmt::format(" of {}", from);
        deployments.to_name += fmt::format(" of {}", to);
    }
    check_agreement(deployments);
    const auto sources = identities(deployments.from, deployments.silent_sources);
    const auto targets = identities(deployments.to, deployments.silent_targets);
    for (const auto& source : sources) {
        auto& row = deployments.match.emplace_back();
        for (const auto& target : targets) row.push_back(match_of(source, target));
    }
    tell_clusters_apart(deployments);
    return deployments;
}

}  // namespace ratectl::commands::reshard
