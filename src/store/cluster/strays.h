// Nodes of a Redis Cluster that belong to no shard of it.
#pragma once

#include <vector>

#include "domain/node.h"

namespace ratectl::store {

/// What a directory that has such nodes can do beside.
class Strays {
public:
    virtual ~Strays() = default;

    /// Primaries without slots, as one is that failed and has a successor, with their replicas; each named as a shard
    /// of its own.
    virtual std::vector<domain::Node> strays() const = 0;
};

}  // namespace ratectl::store
