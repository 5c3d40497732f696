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
    std::string id;  // the copies are ID-copy, additions ID-merge, the removals ID-remove, cleared copies ID-clear; -2
                     // and so on behind them in later rounds
    std::optional<std::string> reason;
    bool op_keys = true;
    bool merge = false;  // add to newer windows
};

enum class Step { copy, merge, remove, clear };
/// No step has more of them.
inline constexpr int kMostRounds = 6;

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

/// Under what a reshard goes on that was begun as `id`: the id itself, and after that ID-again, ID-again2 and so on, as
/// what is moved by then has no place in the same slices any more. Throws Failure: usage for an id that leaves no room
/// for what is appended, guard for one that the journal has of something else than a reshard from there to there.
std::string id_to_go_on_under(const std::string& id, const DeploymentPair& deployments, Context& context);

}  // namespace ratectl::commands::reshard
