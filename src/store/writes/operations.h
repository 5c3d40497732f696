// Operation keys on the servers: those of one operation, or all there are.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/core.h"
#include "store/found_operations.h"

namespace ratectl::store {

/// operation_key() or undone_key().
using RecordName = std::string (*)(const domain::SliceId&);

/// See Store::recall() and recall_undone().
support::Result<std::vector<std::optional<domain::OperationRecord>>> recall_operations(
    const std::shared_ptr<Core>& core, std::size_t shard, std::span<const domain::SliceId> slices, RecordName name_of);

/// See Store::find_operations().
FoundOperations sweep_for_operations(const std::shared_ptr<Core>& core, const std::optional<std::string>& operation);

}  // namespace ratectl::store
