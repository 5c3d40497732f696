// The part of a move that meets something at the target: what an earlier run has left there, or a newer window.
#include <utility>

#include <fmt/format.h>

#include "commands/context.h"
#include "commands/reshard/mover.h"
#include "support/number_text.h"
#include "support/quote.h"

namespace ratectl::commands::reshard {

using domain::WriteStatus;

bool Mover::is_written(const store::WriteResult& result) {
    return result.status == WriteStatus::applied || result.status == WriteStatus::already_applied;
}

bool Mover::was_done_before(const store::WriteResult& result) {
    return result.status == WriteStatus::already_applied && result.attempts == 1 && !result.resolved;
}

/// What else stands at the target may be what a reshard that was cut short has put there.
void Mover::tell_leftovers(const Chosen& chosen) {
    std::vector<WindowOnBoth> windows;
    for (const Item* item : chosen) {
        const auto& planned = *item->planned;
        windows.push_back({planned.key, planned.new_key, planned.from, planned.to, item->source.window, item->copy});
    }
    const auto leftovers = leftovers_of(windows, deployments_, merges_, context_);
    for (std::size_t i = 0; i < chosen.size(); ++i) take_leftover(*chosen[i], leftovers[i]);
}

void Mover::take_leftover(Item& item, const Leftover& leftover) {
    using Kind = Leftover::Kind;
    if (leftover.kind == Kind::copy) return clear_first(item, true);
    if (leftover.kind == Kind::counted && item.source.window.used == std::to_string(leftover.put)) {
        item.added = true;
        item.stage = Stage::remove;
    } else if (leftover.kind == Kind::none && may_add(item, item.copy)) {
        item.stage = Stage::merge;
    } else if (merges_ && leftover.kind == Kind::counted) {
        store::WriteResult changed;
        changed.status = WriteStatus::window_changed;
        end_added(item, std::move(changed));
    } else if (merges_ && leftover.kind == Kind::unclear) {
        end(item, RowStatus::failed, "no-answer",
            support::Error{ExitCode::unavailable,
                           fmt::format("key {}: whether an earlier run has added it to what stands on '{}' cannot be "
                                       "told (yet); it stands on '{}' as before",
                                       support::quoted(item.row.key), item.row.to, item.row.from),
                           "move it again in a moment"});
    } else {
        end(item, RowStatus::skipped, "window-there");
    }
}

/// What was removed and what was opened since make one window, which ends when the older of them would have.
bool Mover::may_add(const Item& item, const domain::StoredWindow& there) const {
    if (!merges_) return false;
    const auto ends = support::parse_decimal(item.source.window.reset_at.value_or(""));
    const auto newer_ends = support::parse_decimal(there.reset_at.value_or(""));
    return ends && newer_ends && *ends <= *newer_ends;
}

void Mover::take_merge(Item& item, store::WriteResult result) {
    if (was_done_before(result)) {
        item.stage = Stage::look;
    } else if (is_written(result)) {
        ++item.row.copies;
        item.added = true;
        item.stage = Stage::remove;
    } else if (result.reason == "closed") {
        end(item, RowStatus::skipped, "closed");
    } else {
        end_like(item, std::move(result), fmt::format("it stands on '{}' as before", item.row.from));
    }
}

/// Of a removal that failed after an addition, which stays.
void Mover::end_added(Item& item, store::WriteResult result) {
    if (result.status == WriteStatus::skipped) return end(item, RowStatus::skipped, "absent");
    if (result.status != WriteStatus::window_changed) {
        return end_like(item, std::move(result),
                        fmt::format("'{}' has counted them in, and the next run removes what stands on '{}'",
                                    item.row.to, item.row.from));
    }
    end(item, RowStatus::window_changed, "window-changed",
        support::Error{ExitCode::guard,
                       fmt::format("key {} was changed on '{}' after its requests had been counted in on '{}': both "
                                   "stand",
                                   support::quoted(item.row.key), item.row.from, item.row.to),
                       "is the application using both deployments?"});
}

}  // namespace ratectl::commands::reshard
