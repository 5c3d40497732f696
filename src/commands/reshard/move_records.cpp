// Records a reshard's moves: one Slicer and one WriteRecord for each step of each round.
#include "commands/reshard/move_records.h"

#include <fmt/format.h>

#include "commands/write/unresolved_entries.h"

namespace ratectl::commands::reshard {
namespace {

constexpr std::size_t kLongestId = 54;  // with what is appended, 64

std::string_view word_for(Step step) {
    switch (step) {
        case Step::copy:
            return "copy";
        case Step::remove:
            return "remove";
        case Step::clear:
            break;
    }
    return "clear";
}

std::string id_of(const std::string& id, Step step, int round) {
    return round == 1 ? fmt::format("{}-{}", id, word_for(step)) : fmt::format("{}-{}-{}", id, word_for(step), round);
}

}  // namespace

MoveRecords::Entry& MoveRecords::entry(Step step, int round) {
    if (const auto found = entries_.find({step, round}); found != entries_.end()) return found->second;
    DeploymentContext& context = step == Step::remove ? from_ : to_;
    const auto kind = step == Step::copy ? domain::WriteKind::restore : domain::WriteKind::reset;
    auto head = start_operation(context, kind, kReshardCommand, id_of(orders_.id, step, round), orders_.reason);
    head.op_keys = orders_.op_keys;
    Entry made{Slicer(std::string(word_for(step))), WriteRecord(context, std::move(head))};
    return entries_.emplace(std::pair{step, round}, std::move(made)).first->second;
}

store::WriteOrder MoveRecords::order(Step step, int round, std::span<const PlannedKey> keys,
                                     std::span<const std::uint64_t> rows) {
    Entry& mine = entry(step, round);
    std::vector<RecordedItem> items;
    for (std::size_t i = 0; i < keys.size(); ++i) items.push_back({rows[i], keys[i].key, std::nullopt});
    mine.record.expect(std::move(items));
    store::WriteOrder order;
    order.operation = mine.record.operation();
    if (!orders_.op_keys) order.operation.id.clear();
    for (auto& slice : mine.slicer.cut(keys)) {
        order.slices.push_back(
            {slice.number, fmt::format("{}{}", kReshardFingerprint, slice.fingerprint), std::move(slice.keys)});
    }
    order.observer = &mine.record;
    return order;
}

std::optional<support::Error> MoveRecords::failure() const {
    for (const auto& [step, each] : entries_) {
        if (each.record.failure()) return each.record.failure();
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
