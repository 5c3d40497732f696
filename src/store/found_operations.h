// Operation keys as they stand on the servers.
#pragma once

#include <optional>
#include <vector>

#include "domain/operation.h"
#include "store/store.h"
#include "support/time.h"

namespace ratectl::store {

/// An operation key as it stands on a server.
struct FoundOperation {
    domain::Node node;
    domain::OperationRecord record;
    std::optional<support::Milliseconds> expires_in;
};

/// What find_operations() saw.
struct FoundOperations {
    // In the order of shards, then of slice numbers; those of slots that moved meanwhile come last.
    std::vector<FoundOperation> found;
    std::vector<NodeFailure> failures;
};

}  // namespace ratectl::store
