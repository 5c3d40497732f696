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
        case Step::remove: return "remove";
        case Step::clear: break;
    }
    return "clear";
}

std::string id_of(const std::string& id, Step step, int round) {
    return round == 1 ? fmt::format("{}-{}", id, word_for(step)) : fmt::format("{}-{}-{}", id, word_for(step), round);
}

}  // namespace

store::WriteOrder MoveRecords::order(Step step, int round, std::span<const PlannedKey> keys,
                                     std::span<const std::uint64_t> rows) {
    auto found = writers_.find({step, round});
    if (found == writers_.end()) {
        DeploymentContext& context = step == Step::remove ? from_ : to_;
        const auto kind = step == Step::copy ? domain::WriteKind::restore : domain::WriteKind::reset;
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

void check_fresh_id(const std::string& id, Context& context) {
    support::value_or_throw(domain::check_operation_id(id));
    if (id.size() > kLongestId) {
        throw support::Failure(ExitCode::usage,
                               fmt::format("--op-id '{}' is too long for a reshard, whose operations add "
                                           "words to it",
                                           id),
                               fmt::format("at most {} characters", kLongestId));
    }
    if (!context.journal().find(id_of(id, Step::copy, 1))) return;
    throw support::Failure(ExitCode::guard, fmt::format("operation '{}' has been used; nothing was written", id),
                           "a reshard that was cut short goes on without --op-id, or under a new one");
}

}  // namespace ratectl::commands::reshard
