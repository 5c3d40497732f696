// The recovering half of ShardWriter: lost connections, missing replies, redirects, and endings.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

#include "domain/cluster/slot_faults.h"
#include "schemes/operation_key.h"
#include "store/cluster/questions.h"
#include "store/directory.h"
#include "store/writes/shard_writer.h"
#include "store/writes/write_results.h"

namespace ratectl::store {
namespace {

using support::ExitCode;

// An operation key that is older than our first attempt by more than two clocks may differ was there before us.
constexpr std::chrono::seconds kBeforeUs{1};

constexpr support::Milliseconds kTimeForAnswer{50};
// Of a write that is on a server which nothing was sent to: its replicas cannot be waited for here.
constexpr int kElsewhere = -1;

}  // namespace

void ShardWriter::use(Lease channel, std::optional<redis::ServerClock> clock) {
    target_->channel = std::move(channel);
    ++connection_;
    const auto known = core().written.find(target_->shard);
    const bool same = known != core().written.end() && known->second.run_id == target_->run_id;
    if (!clock && same) clock = known->second.clock;
    // Behind a proxy each server has a clock of its own; one that is ahead of ours says so in its first answer.
    if (target_->channel->facts().proxied) clock = redis::ServerClock{core().now(), std::chrono::steady_clock::now()};
    pipeline_ = std::make_unique<redis::ScriptPipeline>(*target_->channel, clock);
}

// Asked of the directory only when it has learned something: for most deployments it never does.
Place ShardWriter::place_now(const Part& part) const {
    const auto& first = request(part).at(part.slice->items.front());
    if (part.ahead) return {*part.ahead, part.slot, true};
    return core().directory->place_of(first.key).value_or(first.place);
}

bool ShardWriter::is_here(const Part& part) const {
    if (!part.ahead && server_since_ == 0 && core().directory->epoch() == target_->epoch) return true;
    return channel_name(core().directory->primary(place_now(part).shard)) == channel_name(target_->node);
}

asio::awaitable<void> ShardWriter::follow(Redirected redirected) {
    Part& part = parts_[redirected.part];
    const bool again = co_await core().directory->redirected(core_, place_now(part), *redirected.fault.redirect);
    if (is_ask(redirected.fault)) {
        if (again) part.ahead = core().directory->place_to_ask(*redirected.fault.redirect);
        if (!part.ahead) {
            hold_slot(redirected.part, std::move(redirected.fault));
            co_return;
        }
        --part.attempts;
        waiting_.insert(redirected.part);
        co_return;
    }
    const bool at_once = part.redirects <= kFollowsAtOnce;
    if (again && !at_once) co_await back_off(core_, target_->node, part.redirects, core().exchange_deadline());
    if (again) co_return;
    waiting_.erase(redirected.part);
    ++parts_[redirected.part].attempts;
    settle(redirected.part, not_written(core(), target_->node, std::move(redirected.fault)));
    over_ = true;
}

// All that was sent to the one before has been answered. The next is found fit like the first.
asio::awaitable<void> ShardWriter::change_server() {
    co_await wait_for_replicas();
    remember_server();
    pipeline_.reset();
    target_->channel = {};
    target_->shard = place_now(parts_[next_part().value_or(*waiting_.begin())]).shard;
    target_->node = core().directory->primary(target_->shard);
    room_ = 1;
    server_since_ = connection_ + 1;
    co_await prepare(core_, target_, has_operation_key());
    if (!target_->fit()) {
        end_with(*target_->refusal);
        co_return;
    }
    co_await leave_marker();
    use(std::move(target_->channel), {});
}

std::optional<std::size_t> ShardWriter::next_part() const {
    if (held_.empty()) return waiting_.empty() ? std::nullopt : std::optional(*waiting_.begin());
    const auto now = std::chrono::steady_clock::now();
    const auto next = std::ranges::find_if(waiting_, [&](std::size_t i) {
        const auto held = parts_[i].slot ? held_.find(*parts_[i].slot) : held_.end();
        return held == held_.end() || held->second <= now;
    });
    return next == waiting_.end() ? std::nullopt : std::optional(*next);
}

// The node that its slot goes to is asked for windows that have gone there already, and what that one refuses goes
// back. With an operation key it need not be asked: there is no record of this call yet, so that it would not take it
// either.
bool ShardWriter::goes_ahead(std::size_t i, const redis::Fault& fault) {
    Part& part = parts_[i];
    const bool was_ahead = std::exchange(part.ahead, {}).has_value();
    if (!part.slot || !fault.redirect || (!was_ahead && (!is_ask(fault) || has_operation_key()))) return false;
    if (was_ahead) {
        auto refused = fault;
        if (!is_ask(fault)) refused.error = takes_no_slot_in(target_->node, *part.slot);
        hold_slot(i, std::move(refused));
    } else {
        redirected_ = {i, fault};
    }
    return true;
}

// Each window of a slot on its way may be whole at one of the two nodes, and is changed there by itself: without an
// operation key a call is no more than its windows.
bool ShardWriter::takes_apart(std::size_t i, const redis::Fault& fault) {
    const Slice& whole = *parts_[i].slice;
    const auto waits = [&](std::size_t other) { return parts_[other].after == i; };
    if (has_operation_key() || fault.error.reason != domain::kKeysApart || whole.items.size() < 2) return false;
    if (!parts_[i].slot || std::ranges::any_of(waiting_, waits)) return false;
    parts_[i].ahead.reset();
    --parts_[i].attempts;
    for (const std::size_t item : whole.items) {
        const bool is_first = item == whole.items.front();
        const auto own = is_first ? i : parts_.size();
        if (!is_first) parts_.push_back(parts_[i]);
        parts_[own].slice = &alone_.emplace_back(Slice{whole.number, whole.fingerprint, {item}, whole.undoes});
        const auto last = last_with_key_.find(key_hash(request(parts_[own]).at(item).key));
        if (last != last_with_key_.end() && last->second == i) last->second = own;
        waiting_.insert(own);
    }
    parts_[i].share->open += whole.items.size() - 1;
    return true;
}

// One slot alone is not to be had now: the others go on.
void ShardWriter::hold_slot(std::size_t i, redis::Fault fault) {
    Part& part = parts_[i];
    if (!part.patience) part.patience = part.end;
    const auto again = std::chrono::steady_clock::now() + pause_before(target_->node, ++part.holds);
    if (again >= *part.patience - kTimeForAnswer || given_up_.contains(*part.slot)) {
        leave_slot(i, std::move(fault));
        return;
    }
    --part.attempts;
    waiting_.insert(i);
    held_[*part.slot] = again;
}

// Nor in time. What else waits for it is not tried, or once.
void ShardWriter::leave_slot(std::size_t i, redis::Fault fault) {
    const auto slot = parts_[i].slot;
    const bool is_apart = fault.of_slot && fault.error.reason == domain::kKeysApart;
    if (is_apart && has_operation_key()) fault.error.message += ", the operation's own new key among them";
    if (is_apart || is_ask(fault)) {
        fault.error.hint = domain::kWaitForSlot;
        if (has_operation_key() || parts_[i].slice->items.size() > 1) fault.error.hint += domain::kAloneMeanwhile;
    }
    const auto refused = not_written(core(), target_->node, std::move(fault));
    settle(i, refused);
    if (!has_operation_key()) {  // what is whole at one of the two nodes is not refused there
        given_up_.insert(*slot);
        return;
    }
    WriteResult untried;
    untried.node = target_->node;
    untried.reason = refused.reason;
    for (const std::size_t other : Indices(waiting_)) {
        if (parts_[other].slot != slot) continue;
        for (const std::size_t item : parts_[other].slice->items) job(parts_[other]).results[item] = untried;
        close(other);
        waiting_.erase(other);
    }
}

asio::awaitable<void> ShardWriter::wait_for_slots() {
    auto first = support::Deadline::max();
    for (const auto& [slot, again] : held_) first = std::min(first, again);
    asio::steady_timer timer(core().loop.executor(), first);
    co_await timer.async_wait(asio::use_awaitable);
}

// What the server has refused for a moment is asked again, all of it, after a pause.
asio::awaitable<void> ShardWriter::come_back_later() {
    const auto refusal = *std::exchange(come_back_, std::nullopt);
    auto patience = support::Deadline::max();
    for (const std::size_t i : waiting_) patience = std::min(patience, parts_[i].patience.value_or(patience));
    // A call whose answer has no time to come would only make its outcome unknown.
    const bool again = co_await back_off(core_, target_->node, ++pauses_, patience - kTimeForAnswer);
    if (again) co_return;
    lost_ = refusal;
    end_with(refusal);
}

asio::awaitable<void> ShardWriter::recover(redis::Fault lost) {
    held_.clear();
    remember_server();
    pipeline_.reset();
    if (target_->channel) target_->channel->close();
    target_->channel = {};
    room_ = 1;
    if (on_their_way_.empty()) {
        co_await reopen(std::move(lost));
    } else if (has_operation_key() && !core().hurried()) {
        co_await find_out_about_lost(lost);
    } else {
        for (const std::size_t i : Indices(on_their_way_)) leave_unknown(i, lost.error);
    }
}

// Nothing was on its way: a connection that had been closed while it was idle is not a failure.
asio::awaitable<void> ShardWriter::reopen(redis::Fault lost) {
    if (may_send() && !is_here(parts_[next_part().value_or(*waiting_.begin())])) co_return;
    if (!may_send() || ++reopened_ >= kAttempts) {
        end_with(lost);
        co_return;
    }
    auto opened = co_await open_channel(core_, target_->node, support::Milliseconds(0), core().exchange_deadline());
    if (!opened) {
        bool moved = may_send();
        if (moved) moved = co_await has_successor(core_, target_->shard, target_->node, opened.error());
        if (moved) co_return;
        end_with(opened.error());
        co_return;
    }
    // A server that never said who it is cannot be told from another; it was found fit all the same.
    std::optional<std::string> change;
    if (!target_->run_id.empty()) change = co_await recognise(core_, **opened, *target_);
    if (change) {
        const bool moved =
            co_await has_successor(core_, target_->shard, target_->node, redis::Redirect::Kind::other_server);
        if (moved) co_return;
        redis::Fault other;
        other.error = support::Error{ExitCode::unavailable, fmt::format("{}: {}", where(target_->node), *change), ""};
        end_with(other);
        co_return;
    }
    use(std::move(*opened), {});
}

asio::awaitable<void> ShardWriter::find_out_about_lost(const redis::Fault& lost) {
    const std::vector<std::size_t> indices(on_their_way_.begin(), on_their_way_.end());
    std::vector<LostCall> calls;
    for (const std::size_t i : indices) {
        const Part& part = parts_[i];
        calls.push_back({core().named({order(part).operation.id, part.slice->number}), part.late_after_ms, part.end,
                         part.broke_inside.has_value()});
    }
    auto findings = co_await find_out(core_, *target_, calls, lost);
    for (std::size_t k = 0; k < indices.size(); ++k) {
        auto& finding = findings.of_calls[k];
        parts_[indices[k]].connection = finding.elsewhere ? kElsewhere : connection_;
        if (finding.kind == Finding::Kind::unknown) {
            leave_unknown(indices[k], finding.why);
        } else if (finding.kind == Finding::Kind::applied) {
            take_record(indices[k], *finding.record);
        } else {
            take_absent(indices[k], lost);
        }
    }
    if (findings.channel) {
        use(std::move(findings.channel), findings.clock);
    } else if (may_send()) {
        co_await reopen(lost);
    }
}

void ShardWriter::refuse_as_other(std::size_t i) {
    const Part& part = parts_[i];
    auto result = not_written(
        core(), target_->node,
        {{ExitCode::guard,
          fmt::format("{}: {} has been carried out already, as another write", where(target_->node), what(part)), ""},
         false,
         false});
    result.error->hint = fmt::format("ratectl history {} shows it; another --op-id makes this a write of its own",
                                     order(part).operation.id);
    result.status = WriteStatus::refused;
    result.reason = "other-operation";
    settle(i, result);
}

void ShardWriter::take_record(std::size_t i, const domain::OperationRecord& record) {
    Part& part = parts_[i];
    on_their_way_.erase(i);
    if (record.fingerprint != part.slice->fingerprint || record.kind != request(part).kind) {
        refuse_as_other(i);
        return;
    }
    // RATE, REFUND and undo store the key before they write; an error after that leaves half of it done.
    if (part.broke_inside && record.kind != domain::WriteKind::reset) {
        on_their_way_.insert(i);
        leave_unknown(i, part.broke_inside->error);
        return;
    }
    std::unordered_map<std::string_view, const domain::OperationRecord::WindowAnswer*> by_key;
    for (const auto& window : record.windows) by_key.emplace(window.key, &window);
    const bool before_us = part.first_sent && record.at < *part.first_sent - kBeforeUs;
    for (const std::size_t item : part.slice->items) {
        const auto found = by_key.find(request(part).at(item).key);
        auto answer = found == by_key.end()
                          ? schemes::answer_for_word("other-operation").value_or(schemes::WriteAnswer{})
                          : schemes::answer_of(*found->second);
        if (before_us && answer.status == WriteStatus::applied) answer.status = WriteStatus::already_applied;
        set_answer(part, item, std::move(answer), record.at);
        job(part).results[item].resolved = true;
    }
    close(i);
}

void ShardWriter::take_absent(std::size_t i, const redis::Fault& lost) {
    Part& part = parts_[i];
    if (part.broke_inside && request(part).kind == domain::WriteKind::reset) {
        // It deletes first and stores its key last.
        leave_unknown(i, part.broke_inside->error);
        return;
    }
    on_their_way_.erase(i);
    part.patience.reset();
    if (part.broke_inside) {
        settle(i, not_written(core(), target_->node, *part.broke_inside));
        over_ = true;
    } else if (part.attempts >= kAttempts) {
        auto fault = lost;
        fault.error.message += fmt::format("; {} was lost {} times", what(part), part.attempts);
        settle(i, not_written(core(), target_->node, std::move(fault)));
        over_ = true;
    } else {
        waiting_.insert(i);
        lost_ = lost;
    }
}

void ShardWriter::leave_unknown(std::size_t i, const support::Error& why) {
    on_their_way_.erase(i);
    const Part& part = parts_[i];
    core().changed.insert(target_->node.shard);
    settle(i, unknown_outcome(target_->node, why, what(part), order(part).operation.id));
    over_ = true;
    left_unknown_ = true;
}

// Nothing more is sent. The first that had to wait says why; what stops the first call of all stops every one.
void ShardWriter::end_with(redis::Fault fault) { end_with(not_written(core(), target_->node, std::move(fault))); }

void ShardWriter::end_with(const WriteResult& result) {
    over_ = true;
    for (const std::size_t i : Indices(waiting_)) {
        settle(i, result);
        waiting_.erase(i);
        if (anything_sent_) return;
    }
}

// What was sent and is known not to have been carried out is no longer sent again; the rest was never attempted.
void ShardWriter::fail_waiting(const redis::Fault& interruption) {
    for (const std::size_t i : waiting_) {
        Part& part = parts_[i];
        if (part.attempts == 0 && !part.patience) continue;
        settle(i, not_written(core(), target_->node, core().stopping() || !lost_ ? interruption : *lost_));
    }
}

void ShardWriter::break_off(const support::Error& error) {
    for (const std::size_t i : Indices(on_their_way_)) leave_unknown(i, error);
    for (const std::size_t i : Indices(waiting_)) {
        if (parts_[i].attempts > 0) continue;
        WriteResult result;
        result.node = target_->node;
        result.error = error;
        settle(i, result);
        waiting_.erase(i);
    }
    if (target_->channel) target_->channel->close();
}

void ShardWriter::remember_server() {
    const auto known = core().written.find(target_->shard);
    if (known == core().written.end()) return;
    known->second.calls_at_once = room_;
    if (pipeline_) known->second.clock = pipeline_->clock();
}

}  // namespace ratectl::store
