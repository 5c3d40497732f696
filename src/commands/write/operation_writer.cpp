// Pairs what is sent with what is recorded of it, item by item.
#include "commands/write/operation_writer.h"

#include <utility>

#include "commands/write/unresolved_entries.h"
#include "domain/cluster/slot_faults.h"
#include "store/directory.h"

namespace ratectl::commands {

OperationWriter::OperationWriter(Orders orders, std::string asked, Context& context, std::string_view mark)
    : context_(context),
      orders_(std::move(orders)),
      mark_(mark.empty() && orders_.head.kind == domain::WriteKind::put ? command_mark(orders_.head.command)
                                                                        : std::string(mark)),
      slicer_(std::move(asked), limiter_of(context.settings()),
              context.settings().kind == config::DeploymentKind::cluster, store::windows_per_call(context.directory())),
      record_(context, orders_.head) {}

std::vector<PlannedSlice> OperationWriter::cut(std::span<const PlannedKey> keys) {
    auto slices = slicer_.cut(keys);
    for (auto& slice : slices) slice.fingerprint.insert(0, mark_);
    return slices;
}

store::WriteOrder OperationWriter::order(std::vector<RecordedItem> items, std::vector<store::Slice> slices) {
    if (record_.failure()) throw support::Failure(*record_.failure());
    record_.expect(std::move(items));
    return orders_.order(std::move(slices), &record_);
}

store::WriteOrder OperationWriter::order(std::span<const PlannedKey> keys, std::span<const std::uint64_t> rows) {
    std::vector<RecordedItem> items;
    items.reserve(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) items.push_back({rows[i], keys[i].key, keys[i].amount});
    std::vector<store::Slice> slices;
    for (auto& slice : cut(keys)) slices.push_back({slice.number, std::move(slice.fingerprint), std::move(slice.keys)});
    return order(std::move(items), std::move(slices));
}

void OperationWriter::count_replicas(std::span<WriteRow> rows) {
    if (orders_.wait_replicas == 0 || orders_.dry) return;
    await_earlier(rows);
    for (auto& row : rows) {
        const bool is_there = row.status == RowStatus::applied || row.status == RowStatus::already_applied;
        if (!is_there || !row.reason.empty() || row.acknowledged.value_or(0) >= orders_.wait_replicas) continue;
        row.reason = row.acknowledged ? "too-few-replicas" : "replicas-unknown";
    }
}

void OperationWriter::await_earlier(std::span<WriteRow> rows) {
    const auto& directory = context_.directory();
    const auto is_earlier = [](const WriteRow& row) {
        return row.status == RowStatus::already_applied && !row.acknowledged && !row.shard.empty();
    };
    std::vector<store::KeyAt> keys;
    std::vector<std::optional<int>*> counts;
    for (const auto& row : rows) {
        const auto shard = is_earlier(row) ? directory.find(row.shard) : std::nullopt;
        if (!shard) continue;
        const auto [count, is_new] = replicas_.try_emplace(row.shard);
        if (!is_new) continue;
        keys.push_back({row.key, *shard});
        counts.push_back(&count->second);
    }
    const auto found = context_.store().await_replicas(keys, orders_.order({}, nullptr));
    for (std::size_t i = 0; i < counts.size(); ++i) *counts[i] = found[i];
    for (auto& row : rows) {
        const auto count = is_earlier(row) ? replicas_.find(row.shard) : replicas_.end();
        if (count != replicas_.end()) row.acknowledged = count->second;
    }
}

void take_node(WriteRow& row, const domain::Node& node) {
    if (!node.shard.empty()) {
        row.shard = node.shard;
        row.node = node.name();
    }
    if (row.error && domain::blames_no_node(*row.error)) row.shard = row.node = "";
}

void take_result(WriteRow& row, store::WriteResult&& result, domain::WriteKind kind,
                 const std::function<std::string(std::string_view)>& hint) {
    row.status = row_status(result.status);
    row.reason = std::move(result.reason);
    row.error = std::move(result.error);
    // The command knows better than the word of a script.
    if (auto own = row.error ? hint(row.reason) : std::string(); !own.empty()) row.error->hint = std::move(own);
    take_node(row, result.node);
    row.attempts = result.attempts;
    row.resolved = result.resolved;
    if (row.status == RowStatus::failed || row.status == RowStatus::unknown || row.status == RowStatus::not_attempted)
        return;
    row.before = std::move(result.before);
    row.after = std::move(result.after);
    row.acknowledged = result.acknowledged;
    if (row.status != RowStatus::applied) return;
    row.written_at = result.written_at;
    if (kind == domain::WriteKind::refund) row.taken = result.taken;
}

}  // namespace ratectl::commands
