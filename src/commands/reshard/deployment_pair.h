// The two deployments of a reshard, and which of their shards are one server.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/context.h"
#include "store/store.h"

namespace ratectl::commands::reshard {

/// What is known of two servers: one address and database, or one run id and database, is one server; two run ids are
/// two.
enum class ServerMatch { same, other, unproven };
struct ServerIdentity {
    domain::Endpoint endpoint;
    std::optional<std::string> run_id;
};
ServerMatch match_of(const ServerIdentity& a, const ServerIdentity& b);

struct DeploymentPair {
    OpenDeployment from;
    OpenDeployment to;
    std::string from_name;  // for people; tells the two apart even where both are called the same
    std::string to_name;
    /// [shard of from][shard of to]; empty: no server is one of both.
    std::vector<std::vector<ServerMatch>> match;
    std::vector<store::NodeFailure> silent_sources;  // primaries that did not say who they are
    std::vector<store::NodeFailure> silent_targets;
};

/// Opens both and asks their servers who they are. Throws Failure: usage (flags that name servers), configuration (no
/// rule for the second deployment, two names for the expiry half, policies that do not go together, two Redis Clusters
/// that are one).
DeploymentPair open_pair(const std::string& from, const std::string& to, Context& context);

}  // namespace ratectl::commands::reshard
