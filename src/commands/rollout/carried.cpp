// Sums up the copies, less what was taken back of them, window by window.
#include "commands/rollout/carried.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "commands/write/unresolved_entries.h"
#include "store/directory.h"
#include "support/number_text.h"

namespace ratectl::commands::rollout {
namespace {

std::int64_t number_in(const std::optional<std::string>& text) {
    return support::parse_decimal(text.value_or("0")).value_or(0);
}

}  // namespace

void CarriedOver::learn(Context& context) {
    if (!leaves_operation_keys(context)) return;  // nothing is copied to such servers
    auto known = operations_on_servers(context, std::nullopt);
    silent_ = std::move(known.failures);
    windows_.clear();
    learn_evicting(context);
    std::set<std::string> copies;
    for (const auto& row : known.rows) {
        if (!row.outcome || !domain::wrote(row.outcome->status)) continue;
        if (row.head.command == kCopyCommand) {
            copies.insert(row.head.operation.id);
            take_copy(row);
        } else if (row.head.undoes && copies.contains(*row.head.undoes)) {
            take_undo(row);
        }
    }
}

// What names no shard may be about any.
const support::Error* CarriedOver::silence_of(std::string_view shard) const {
    const auto found = std::ranges::find_if(silent_, [shard](const store::NodeFailure& failure) {
        return failure.node.shard.empty() || failure.node.shard == shard;
    });
    return found == silent_.end() ? nullptr : &found->error;
}

void CarriedOver::learn_evicting(Context& context) {
    const auto& directory = context.directory();
    evicting_.clear();
    for (std::size_t shard = 0; shard < directory.places().size(); ++shard) evicting_.insert(shard);
    for (const auto& report : context.store().node_reports()) {
        const bool keeps = report.facts && report.facts->evicted_keys == 0;
        const auto shard = directory.find(report.node.shard);
        if (keeps && shard && report.node.role == domain::Role::primary) evicting_.erase(*shard);
    }
}

void CarriedOver::take_copy(const HistoryRow& row) {
    const auto& [before, after] = std::tie(row.outcome->before, row.outcome->after);
    const auto reset = support::parse_decimal(after.reset_at.value_or(""));
    if (!reset) return;
    auto& into = windows_[row.intent.key];
    const auto window = support::from_epoch(*reset);
    if (into.reset != window) into = {.reset = window, .left = {}};
    const bool was_open = before.reset_at == after.reset_at;
    into.used += number_in(after.used) - (was_open ? number_in(before.used) : 0);
    into.has_gaps = into.has_gaps || (was_open && into.left && into.left != before.used);
    into.left = after.used;
    into.is_whole = into.is_whole || !was_open;
}

void CarriedOver::take_undo(const HistoryRow& row) {
    const auto found = windows_.find(row.intent.key);
    if (found == windows_.end()) return;
    const auto& before = row.outcome->before;
    const auto reset = support::parse_decimal(before.reset_at.value_or(""));
    if (!reset || support::from_epoch(*reset) != found->second.reset) return;
    found->second.used -= row.outcome->taken;
    found->second.left = row.outcome->after.used;
}

const CarriedOver::Into* CarriedOver::into(std::string_view key, support::Instant reset) const {
    const auto found = windows_.find(key);
    const bool is_known = found != windows_.end() && found->second.reset == reset && found->second.is_whole;
    return is_known ? &found->second : nullptr;
}

}  // namespace ratectl::commands::rollout
