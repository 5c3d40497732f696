// Servers in cluster mode become one Redis Cluster: slots are given away, nodes meet, replicas follow.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "domain/endpoint.h"
#include "support/error.h"
#include "support/time.h"

namespace ratectl::sandbox {

/// A server that is up (ServerOptions::cluster) and knows only itself.
struct ClusterNode {
    domain::Endpoint endpoint;  // TCP: the others meet it there
    std::uint16_t bus_port = 0;
    std::optional<std::size_t> follows;  // the number of its primary in the list; a primary follows none
};

/// The primaries share the slots evenly, in order. Returns when every node says that all is well, knows every other and
/// who is whose replica, and every replica's link is up. Errors: local_io, and those of asking.
support::Result<void> join_cluster(const std::vector<ClusterNode>& nodes, support::Deadline deadline);
/// The same, of primaries that have their slots already, each in an epoch of its own.
support::Result<void> gather_cluster(const std::vector<ClusterNode>& nodes, support::Deadline deadline);

}  // namespace ratectl::sandbox
