// Operation ids, slices and records of one reshard: a copy, a removal and the clearing of a stale copy are operations
// of their own.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commands/deployment_context.h"
#include "commands/reshard/deployment_pair.h"
#include "commands/write/operation_writer.h"

namespace ratectl::commands::reshard {

struct MoveOrders {
    std::string id;  // the copies are ID-copy, the removals ID-remove, cleared copies ID-clear; -2 and so on behind
                     // them in later rounds
    std::optional<std::string> reason;
    bool op_keys = true;
};

enum class Step { copy, remove, clear };

class MoveRecords {
public:
    /// The contexts outlive it.
    MoveRecords(const MoveOrders& orders, DeploymentContext& from, DeploymentContext& to)
        : orders_(orders), from_(from), to_(to) {}

    /// The order of the next store call about these keys (`shard` is where they are written), row by row.
    store::WriteOrder order(Step step, int round, std::span<const PlannedKey> keys,
                            std::span<const std::uint64_t> rows);
    /// Outcomes that could not be recorded.
    std::optional<support::Error> failure() const;

private:
    const MoveOrders& orders_;
    DeploymentContext& from_;
    DeploymentContext& to_;
    std::map<std::pair<Step, int>, OperationWriter> writers_;
};

/// Throws Failure: usage for an id that leaves no room for what is appended, guard for one that was used before: what
/// is moved by then has no place in the same slices any more, and a reshard goes on under any id.
void check_fresh_id(const std::string& id, Context& context);

}  // namespace ratectl::commands::reshard
