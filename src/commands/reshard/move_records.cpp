// Records a reshard's moves: one operation for each step of each round.
#include "commands/reshard/move_records.h"

#include <fmt/format.h>

#include "commands/write/unresolved_entries.h"

namespace ratectl::commands::reshard {
namespace {

constexpr std::size_t kLongestId = 54;  // with what is appended, 64

std::string_view word_for(Step step) {
    switch (step) {
        case Step::copy: return "copy";
        case Step::merge: return "merge";
        case Step::remove: return "remove";
        case Step::clear: break;
    }
    return "clear";
}

std::string id_of(const std::string& id, Step step, int round) {
    return round == 1 ? fmt::format("{}-{}", id, word_for(step)) : fmt::format("{}-{}-{}", id, word_for(step), round);
}

std::string id_of_attempt(const std::string& id, int attempt) {
    if (attempt == 1) return id;
    return attempt == 2 ? id + "-again" : fmt::format("{}-again{}", id, attempt - 1);
}

/// Any step of any round: the first that a reshard had to do may have been a removal.
bool is_used(const std::string& id, const DeploymentPair& deployments, Context& context) {
    for (const auto step : {Step::copy, Step::merge, Step::remove, Step::clear}) {
        const auto& side = step == Step::remove ? deployments.from : deployments.to;
        for (int round = 1; round <= kMostRounds; ++round) {
            const auto head = context.journal().find(id_of(id, step, round));
            if (!head) continue;
            if (head->command == kReshardCommand && head->deployment == side.settings.deployment) return true;
            throw support::Failure(
                ExitCode::guard,
                fmt::format("operation '{}' has been used for something else ({} of deployment '{}'); nothing was "
                            "written",
                            id, head->command, head->deployment),
                "another --op-id, or none");
        }
    }
    return false;
}

}  // namespace

store::WriteOrder MoveRecords::order(Step step, int round, std::span<const PlannedKey> keys,
                                     std::span<const std::uint64_t> rows) {
    auto found = writers_.find({step, round});
    if (found == writers_.end()) {
        DeploymentContext& context = step == Step::remove ? from_ : to_;
        const bool puts = step == Step::copy || step == Step::merge;
        const auto kind = puts ? domain::WriteKind::restore : domain::WriteKind::reset;
        Orders orders;
        orders.op_keys = orders_.op_keys;
        orders.head = start_operation(context, kind, kReshardCommand, id_of(orders_.id, step, round), orders_.reason);
        orders.head.op_keys = orders_.op_keys;
        found = writers_
                    .emplace(std::pair{step, round}, OperationWriter(std::move(orders), std::string(word_for(step)),
                                                                     context, kReshardFingerprint))
                    .first;
    }
    return found->second.order(keys, rows);
}

std::optional<support::Error> MoveRecords::failure() const {
    for (const auto& [step, writer] : writers_) {
        if (writer.record_failure()) return writer.record_failure();
    }
    return std::nullopt;
}

std::string id_to_go_on_under(const std::string& id, const DeploymentPair& deployments, Context& context) {
    support::value_or_throw(domain::check_operation_id(id));
    for (int attempt = 1;; ++attempt) {
        auto own = id_of_attempt(id, attempt);
        if (own.size() > kLongestId) {
            throw support::Failure(ExitCode::usage,
                                   fmt::format("--op-id '{}' is too long for a reshard, whose operations add "
                                               "words to it",
                                               id),
                                   fmt::format("at most {} characters", kLongestId - (own.size() - id.size())));
        }
        if (!is_used(own, deployments, context)) return own;
    }
}

}  // namespace ratectl::commands::reshard
