// Moves batches of windows between deployments: copy, verify, remove.
// Rounds of five steps, each for all windows of a batch at once. A copy that no longer equals its source is cleared
// before the next round.
#include "commands/reshard/mover.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "commands/context.h"
#include "commands/request/selection.h"
#include "commands/reshard/route.h"
#include "support/number_text.h"
#include "support/quote.h"

namespace ratectl::commands::reshard {
namespace {

using domain::WriteStatus;

/// How many windows go through the steps together, round by round: the fewer, the less time there is for their clients
/// to count.
constexpr std::size_t kTogether[] = {500, 100, 20, 4, 1, 1};
constexpr int kRounds = std::size(kTogether);
static_assert(kRounds <= kMostRounds);

std::string_view word_for(Standing standing) {
    switch (standing) {
        case Standing::endless: return "endless";
        case Standing::orphan: return "orphan";
        case Standing::corrupt: return "corrupt";
        default: return "closed";
    }
}

}  // namespace

Mover::Mover(DeploymentPair& deployments, const MoveOrders& orders, std::vector<domain::WindowState> states,
             Context& context)
    : deployments_(deployments),
      states_(std::move(states)),
      context_(context),
      from_context_(context, deployments.from.settings, deployments.from.store->directory()),
      to_context_(context, deployments.to.settings, deployments.to.store->directory()),
      merges_(orders.merge),
      records_(orders, from_context_, to_context_) {}

std::vector<MoveRow> Mover::move(std::span<const PlannedMove> moves) {
    begin(moves);
    for (int round = 1; round <= kRounds && !failure(); ++round) {
        take_together_all();
        const Chosen left = at(Stage::look);
        const std::size_t most = kTogether[round - 1];
        for (std::size_t first = 0; first < left.size() && !failure(); first += most) {
            together_.assign(left.begin() + static_cast<std::ptrdiff_t>(first),
                             left.begin() + static_cast<std::ptrdiff_t>(std::min(left.size(), first + most)));
            take_steps(round);
        }
    }
    take_together_all();
    for (Item* item : at(Stage::look)) give_up(*item);
    return rows();
}

void Mover::take_steps(int round) {
    look_at_sources();
    carry_out(Stage::copy, Step::copy, round, &Mover::take_copy, "it was not copied");
    verify();
    carry_out(Stage::merge, Step::merge, round, &Mover::take_merge, "it was not added to the newer window");
    carry_out(Stage::remove, Step::remove, round, &Mover::take_removal, "it was copied and stands on both shards");
    carry_out(Stage::clear, Step::clear, round, &Mover::take_clearing, "a copy that is out of date stands beside it");
}

void Mover::give_up(Item& item) {
    if (failure()) return end(item, RowStatus::not_attempted, {});
    end(item, RowStatus::window_changed, "window-changed",
        support::Error{ExitCode::guard,
                       fmt::format("key {} changed whenever it was copied; it stands on '{}' as before",
                                   support::quoted(item.row.key), item.row.from),
                       "move it again when its client is quieter"});
}

std::vector<MoveRow> Mover::rehearse(std::span<const PlannedMove> moves) {
    begin(moves);
    look_at_sources();
    const Chosen chosen = at(Stage::copy);
    const auto answers = look(*deployments_.to.store, chosen, true);
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (!answers[i].look) {
            end(*chosen[i], RowStatus::failed, "no-look", answers[i].look.error());
        } else {
            const bool goes = domain::is_absent(*answers[i].look) ||
                              is_same(snapshot(answers[i], true), chosen[i]->source) ||
                              may_add(*chosen[i], domain::stored_window(*answers[i].look));
            end(*chosen[i], goes ? RowStatus::planned : RowStatus::skipped, goes ? "" : "window-there");
        }
    }
    return rows();
}

void Mover::begin(std::span<const PlannedMove> moves) {
    items_.clear();
    items_.reserve(moves.size());
    for (const PlannedMove& planned : moves) {
        Item item;
        item.planned = &planned;
        item.row.key = planned.key;
        item.row.new_key = planned.new_key;
        item.row.from = deployments_.from.store->directory().name_of(planned.from);
        item.row.to = deployments_.to.store->directory().name_of(planned.to);
        items_.push_back(std::move(item));
    }
    take_together_all();
}

std::vector<MoveRow> Mover::rows() {
    std::vector<MoveRow> rows;
    rows.reserve(items_.size());
    for (Item& item : items_) rows.push_back(std::move(item.row));
    return rows;
}

Mover::Chosen Mover::at(Stage stage) {
    Chosen chosen;
    std::copy_if(together_.begin(), together_.end(), std::back_inserter(chosen),
                 [stage](const Item* item) { return item->stage == stage; });
    return chosen;
}

void Mover::take_together_all() {
    together_.clear();
    for (Item& item : items_) together_.push_back(&item);
}

store::KeyAt Mover::place_of(const Item& item, bool at_target) {
    const auto& planned = *item.planned;
    return at_target ? store::KeyAt{planned.new_key, planned.to} : store::KeyAt{planned.key, planned.from};
}

std::vector<store::LookAnswer> Mover::look(store::Store& store, const Chosen& chosen, bool at_target) const {
    std::vector<store::KeyAt> question;
    for (const Item* item : chosen) question.push_back(place_of(*item, at_target));
    if (question.empty()) return {};
    return store.look({question, {domain::ReadFrom::Which::primary, {}}, domain::LookDepth::full, false});
}

Snapshot Mover::snapshot(const store::LookAnswer& answer, bool at_target) const {
    const auto& side = at_target ? deployments_.to : deployments_.from;
    return snapshot_of(*answer.look, answer.read_at, side.store->directory().has_slots());
}

void Mover::look_at_sources() {
    const Chosen chosen = at(Stage::look);
    const auto answers = look(*deployments_.from.store, chosen, false);
    const auto now = context_.now();
    for (std::size_t i = 0; i < answers.size(); ++i) take_source(*chosen[i], answers[i], now);
}

void Mover::take_source(Item& item, const store::LookAnswer& answer, support::Moment now) {
    if (!answer.look) {
        auto error = answer.look.error();
        error.message += "; nothing was written without a look";
        return end(item, RowStatus::failed, "no-look", std::move(error));
    }
    item.source = snapshot(answer, false);
    item.row.window = item.source.window;
    item.copied = item.again = item.added = false;
    if (domain::is_absent(*answer.look)) return end(item, RowStatus::skipped, "absent");
    if (!item.source.strings) {
        return end(
            item, RowStatus::refused, "wrong-type",
            support::Error{ExitCode::guard,
                           fmt::format("key {} holds no string, so it is not a window; nothing was written to it",
                                       support::quoted(item.row.key)),
                           ""});
    }
    const auto limit = meaning_of(item.row.key, deployments_.from.settings).limit;
    const auto window = domain::judge(*answer.look, now, limit);
    const auto standing = standing_of(*answer.look, window.state, now);
    if (standing != Standing::live && !domain::is_in(window, states_))
        return end(item, RowStatus::skipped, std::string(word_for(standing)));
    item.stage = Stage::copy;
}

store::WriteOrder Mover::order(Step step, int round, const Chosen& chosen) {
    std::vector<PlannedKey> keys;
    std::vector<std::uint64_t> rows;
    for (const Item* item : chosen) {
        PlannedKey key;
        key.key = step == Step::remove ? item->planned->key : item->planned->new_key;
        key.shard = step == Step::remove ? item->planned->from : item->planned->to;
        keys.push_back(std::move(key));
        rows.push_back(item->planned->row);
    }
    return records_.order(step, round, keys, rows);
}

std::vector<domain::RestoreItem> Mover::restores(const Chosen& chosen, bool merge) {
    const auto now = context_.now();
    std::vector<domain::RestoreItem> items;
    for (const Item* item : chosen) {
        domain::RestoreItem restore{{item->planned->new_key, item->planned->to}, item->source.window, merge, now};
        // A window that is over was named as such, or it would not be here.
        const auto ends = support::parse_decimal(item->source.window.reset_at.value_or(""));
        if (ends && support::from_epoch(*ends) < now) restore.now = support::from_epoch(*ends);
        items.push_back(std::move(restore));
    }
    return items;
}

std::vector<domain::ResetItem> Mover::resets(const Chosen& chosen, bool at_target) {
    std::vector<domain::ResetItem> items;
    for (const Item* item : chosen) {
        domain::ResetItem reset{place_of(*item, at_target), std::nullopt, std::nullopt};
        reset.if_stored = at_target ? item->copy : item->source.window;
        items.push_back(std::move(reset));
    }
    return items;
}

std::vector<store::WriteResult> Mover::send(Step step, const Chosen& chosen, const store::WriteOrder& order) {
    auto& to = *deployments_.to.store;
    if (step == Step::remove) return deployments_.from.store->reset(resets(chosen, false), order);
    if (step == Step::clear) return to.reset(resets(chosen, true), order);
    return to.restore(restores(chosen, step == Step::merge), order);
}

void Mover::carry_out(Stage stage, Step step, int round, Take take, const std::string& what_stands) {
    const Chosen chosen = at(stage);
    if (chosen.empty()) return;
    try {
        auto results = send(step, chosen, order(step, round, chosen));
        for (std::size_t i = 0; i < results.size(); ++i) (this->*take)(*chosen[i], std::move(results[i]));
    } catch (const support::Failure& failure) {
        break_off(chosen, failure.error(), what_stands);
    }
}

void Mover::take_copy(Item& item, store::WriteResult result) {
    ++item.row.copies;
    if (is_written(result)) {
        item.copied = !was_done_before(result);
        item.stage = Stage::verify;
    } else if (result.reason == "window-there") {
        --item.row.copies;
        item.stage = Stage::verify;
    } else if (result.reason == "closed") {
        end(item, RowStatus::skipped, "closed");
    } else {
        end_like(item, std::move(result), fmt::format("it stands on '{}' as before", item.row.from));
    }
}

void Mover::verify() {
    const Chosen chosen = at(Stage::verify);
    const auto answers = look(*deployments_.to.store, chosen, true);
    for (std::size_t i = 0; i < answers.size(); ++i) take_target(*chosen[i], answers[i]);
    tell_leftovers(at(Stage::verify));
}

void Mover::take_target(Item& item, const store::LookAnswer& answer) {
    if (!answer.look) {
        auto error = answer.look.error();
        error.message += fmt::format("; whether '{}' has a good copy is not known, and '{}' keeps the window",
                                     item.row.to, item.row.from);
        return end(item, RowStatus::failed, "no-look", std::move(error));
    }
    if (domain::is_absent(*answer.look)) {
        item.stage = Stage::look;
        return;
    }
    const Snapshot there = snapshot(answer, true);
    item.copy = there.window;
    // Whichever run made it: what has the same bytes and the same end on both sides is one window, and one of them is
    // enough.
    if (is_same(there, item.source)) {
        item.stage = Stage::remove;
    } else if (item.copied) {
        end(item, RowStatus::window_changed, "target-changed",
            support::Error{
                ExitCode::guard,
                fmt::format("key {}: the copy on '{}' is being changed already; both stand, and '{}' was not "
                            "removed",
                            support::quoted(item.row.key), item.row.to, item.row.from),
                "is the application using both deployments?"});
    }
}

void Mover::take_removal(Item& item, store::WriteResult result) {
    // The window that stands there now is another one than that.
    if (was_done_before(result)) {
        item.stage = Stage::look;
        return;
    }
    if (is_written(result)) return end(item, RowStatus::applied, {});
    if (item.added) return end_added(item, std::move(result));
    if (result.status == WriteStatus::unknown) {
        return end_like(item, std::move(result), fmt::format("'{}' has a good copy", item.row.to));
    }
    if (result.status == WriteStatus::window_changed) return clear_first(item, true);
    if (result.status == WriteStatus::skipped) {
        end(item, RowStatus::skipped, "absent");
    } else {
        end_like(item, std::move(result), fmt::format("it stands on '{}' as before", item.row.from));
    }
    clear_first(item, false);
}

void Mover::take_clearing(Item& item, store::WriteResult result) {
    if (is_written(result) || result.status == WriteStatus::skipped) {
        item.stage = item.again ? Stage::look : Stage::done;
    } else if (result.status == WriteStatus::window_changed) {
        end(item, RowStatus::window_changed, "window-changed",
            support::Error{
                ExitCode::guard,
                fmt::format("key {} changed on '{}' while it was copied, and so did the copy on '{}': both stand",
                            support::quoted(item.row.key), item.row.from, item.row.to),
                "is the application using both deployments?"});
    } else {
        end_like(item, std::move(result), fmt::format("a copy that is out of date may stand on '{}'", item.row.to));
    }
}

void Mover::end(Item& item, RowStatus status, std::string reason, std::optional<support::Error> error) {
    item.row.status = status;
    item.row.reason = std::move(reason);
    item.row.error = std::move(error);
    item.stage = Stage::done;
}

void Mover::end_like(Item& item, store::WriteResult result, const std::string& what_stands) {
    if (result.error) result.error->message += "; " + what_stands;
    end(item, row_status(result.status), std::move(result.reason), std::move(result.error));
}

void Mover::clear_first(Item& item, bool again) {
    item.again = again;
    item.stage = Stage::clear;
}

void Mover::break_off(const Chosen& chosen, const support::Error& error, const std::string& what_stands) {
    failure_ = error;
    for (Item* item : chosen) {
        end(*item, RowStatus::failed, "not-recorded",
            support::Error{error.code, fmt::format("key {}: {}", support::quoted(item->row.key), what_stands), ""});
    }
}

}  // namespace ratectl::commands::reshard
