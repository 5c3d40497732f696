// Sends a shard's writes over one connection, several calls at once; a failure is cleared up before more is sent.
#include "store/writes/shard_writer.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "redis/reply_class.h"
#include "schemes/operation_key.h"
#include "schemes/scheme.h"
#include "store/directory.h"
#include "store/nodes/replica_watch.h"
#include "store/writes/write_results.h"
#include "support/quote.h"

namespace ratectl::store {
namespace {

using support::ExitCode;
using support::Milliseconds;
using Clock = std::chrono::steady_clock;

// Enough for the server to go on while the caller does something else than run the loop.
constexpr std::size_t kCallsOnTheirWay = 16;
// Answers that take a larger share of the timeout than this leave too little for the calls behind them.
constexpr int kShareOfTimeout = 4;
// As old as the marks of loss may be when a batch begins.
constexpr std::chrono::seconds kTakesMoreFor{1};

redis::Fault harmless(ExitCode code, std::string message) { return {{code, std::move(message), ""}, false, false}; }

}  // namespace

ShardWriter::ShardWriter(std::shared_ptr<Core> core, std::shared_ptr<WriteTarget> target)
    : core_(std::move(core)), target_(std::move(target)), began_(Clock::now()) {
    const auto known = core_->written.find(target_->shard);
    if (known != core_->written.end()) room_ = known->second.calls_at_once;
}

void ShardWriter::add(JobClaim job, const std::vector<const Slice*>& slices) {
    const auto share = shares_.insert(shares_.end(), {std::move(job), slices.size()});
    const WriteRequest& request = *share->job->request;
    has_operation_key_ = !request.order->operation.id.empty();
    for (const Slice* slice : slices) {
        const auto i = parts_.size();
        Part& part = parts_.emplace_back();
        part.share = share;
        part.slice = slice;
        if (core().directory->has_slots()) part.slot = place_now(part).slot;
        waiting_.insert(waiting_.end(), i);
        for (const std::size_t item : slice->items) {
            const auto [entry, is_new] = last_with_key_.try_emplace(key_hash(request.at(item).key), i);
            if (is_new) continue;
            if (entry->second != i) part.after = std::max(part.after.value_or(0), entry->second);
            entry->second = i;
        }
    }
}

bool ShardWriter::takes_more(const WriteOrder& order) const {
    if (over_ || shares_.empty() || Clock::now() - began_ >= kTakesMoreFor) return false;
    const auto& last = *shares_.back().job->request->order;
    return order.wait_replicas == 0 && last.wait_replicas == 0 && order.operation.id.empty() != has_operation_key_;
}

std::string ShardWriter::what(const Part& part) const {
    const auto name = domain::name_of(request(part).kind);
    if (!has_operation_key()) return std::string(name);
    return fmt::format("{} {}", name, domain::to_string(domain::SliceId{order(part).operation.id, part.slice->number}));
}

asio::awaitable<void> ShardWriter::run() {
    std::optional<support::Error> broken;
    try {
        co_await leave_marker();
        use(std::move(target_->channel), {});
        co_await write_all();
    } catch (const support::Failure& failure) {
        broken = failure.error();
    } catch (const std::exception& e) {
        broken = support::Error{ExitCode::bug, where(target_->node) + ": " + e.what(), "please report this"};
    }
    if (broken) break_off(*broken);
    fail_waiting(harmless(core().interrupted().code, where(target_->node) + ": interrupted"));
    if (!broken) co_await wait_for_replicas();
    remember_server();
    pipeline_.reset();
    target_->channel = {};
}

// Where keys are deleted all the time, the server's counters cannot say whether one of ours was among them. A key
// beside our operation keys can, until the first of those is known to be there. Without it, what is lost there stays
// unknown.
asio::awaitable<void> ShardWriter::leave_marker() {
    const auto known = core().written.find(target_->shard);
    if (!has_operation_key() || known == core().written.end() || known->second.fresh_witness()) co_return;
    if (!target_->marks || target_->marks->deletions == 0 || core().stopping()) co_return;
    // Where keys have slots it has to be in one that is here.
    const bool by_slot = core().directory->has_slots();
    const std::uint64_t number = by_slot ? domain::slot_of_number(parts_.front().slice->number) : 0;
    const auto marker = core().named({order(parts_.front()).operation.id, number});
    const auto request = marker_request(marker);
    const auto replies = co_await target_->channel->exchange(request, core().exchange_deadline());
    if (!replies) {
        target_->channel->close();  // the first call opens another one
    } else if (!replies->front().is_error()) {
        remember_witness(marker);
    }
}

void ShardWriter::remember_witness(const domain::SliceId& id) {
    const auto known = core().written.find(target_->shard);
    if (known == core().written.end()) return;
    known->second.witness = core().named(id);
    known->second.witness_at = Clock::now();
}

asio::awaitable<void> ShardWriter::write_all() {
    while (!on_their_way_.empty() || may_send()) {
        auto lost = co_await fill();
        if (!lost && on_their_way_.empty()) {
            if (come_back_) {
                co_await come_back_later();
            } else if (may_send()) {
                const auto next = next_part();
                if (!next) co_await wait_for_slots();
                if (next && !is_here(parts_[*next])) co_await change_server();
            }
            continue;
        }
        if (!lost) {
            auto answer = co_await pipeline_->receive();
            if (answer) {
                lost = take(*answer);
            } else {
                lost = std::move(answer.error());
            }
        }
        if (lost) co_await recover(*std::move(lost));
        if (redirected_) co_await follow(*std::exchange(redirected_, std::nullopt));
    }
}

bool ShardWriter::may_send() const { return !over_ && !waiting_.empty() && !core().stopping(); }

asio::awaitable<std::optional<redis::Fault>> ShardWriter::fill() {
    while (may_send() && !come_back_ && on_their_way_.size() < room_) {
        const auto next = next_part();
        if (!next) break;
        const auto i = *next;
        Part& part = parts_[i];
        if (!is_here(part) || (part.after && !parts_[*part.after].settled)) break;
        if (!start(part)) break;
        if (part.slot && held_.contains(*part.slot)) held_[*part.slot] = support::Deadline::max();
        waiting_.erase(i);
        on_their_way_.insert(i);
        ++part.attempts;
        auto call = call_of(part);
        const auto sent = co_await pipeline_->send(i, std::move(call), part.end, part.ahead.has_value());
        if (sent || sent.error().maybe_executed) {
            anything_sent_ = true;
        } else {
            on_their_way_.erase(i);
            waiting_.insert(i);
            --part.attempts;
        }
        if (!sent) co_return sent.error();
    }
    co_return std::nullopt;
}

// The deadlines of one attempt; false when there is no time for one.
bool ShardWriter::start(Part& part) {
    const auto now = Clock::now();
    if (core().options.deadline && now >= *core().options.deadline) {
        end_with(harmless(ExitCode::unavailable, where(target_->node) + ": no time is left for this command"));
        return false;
    }
    part.sent = now;
    part.end = core().exchange_deadline();
    if (part.patience) part.end = std::min(part.end, *part.patience);
    part.late_after_ms.reset();
    if (const auto& clock = pipeline_->clock()) {
        part.late_after_ms = clock->at(part.end).time_since_epoch().count();
        if (!part.first_sent) part.first_sent = clock->at(now);
    }
    if (const auto& last = order(part).not_after) {
        const std::int64_t last_ms = last->time_since_epoch().count();
        part.late_after_ms = std::min(part.late_after_ms.value_or(last_ms), last_ms);
    }
    return true;
}

// One call until its answer shows that the server knows the script, then more with every answer; fewer where answers
// take long: calls that wait for each other on a slow link or server must not wait for their deadline.
void ShardWriter::adapt_room(const Part& part) {
    const auto now = Clock::now();
    if ((now - part.sent) * kShareOfTimeout < core().options.timeout) {
        room_ = std::min(room_ + 1, kCallsOnTheirWay);
    } else if (part.sent >= narrowed_at_) {
        room_ = std::max<std::size_t>(room_ / 2, 1);
        narrowed_at_ = now;
    }
}

redis::ScriptCall ShardWriter::call_of(const Part& part) const {
    schemes::CallHead head;
    const auto& operation = order(part).operation;
    if (has_operation_key()) head.id = core().named({operation.id, part.slice->number});
    head.repeatable = order(part).repeatable;
    head.deadline_ms = part.late_after_ms;
    head.fingerprint = part.slice->fingerprint;
    head.actor = operation.actor;
    head.host = operation.host;
    head.reason = operation.reason;
    if (part.slice->undoes) head.undoes = core().named(*part.slice->undoes);
    return request(part).call(part.slice->items, head);
}

std::optional<redis::Fault> ShardWriter::take(const redis::ScriptPipeline::Answer& answer) {
    const auto i = answer.tag;
    Part& part = parts_[i];
    reopened_ = 0;
    if (part.slot) held_.erase(*part.slot);
    part.connection = connection_;
    adapt_room(part);
    if (answer.reply.is_error()) return take_error(i, answer.reply);
    std::vector<std::string_view> keys;
    keys.reserve(part.slice->items.size());
    for (const std::size_t item : part.slice->items) keys.push_back(request(part).at(item).key);
    auto answers = schemes::decode_writes(keys, answer.reply);
    if (!answers) {
        auto fault = redis::Fault{answers.error(), true, false};
        fault.error.message = where(target_->node) + ": " + fault.error.message;
        return fault;
    }
    on_their_way_.erase(i);
    switch (answers->status) {
        case schemes::CallStatus::late: take_late(i, answers->server_time_ms); break;
        case schemes::CallStatus::other_operation: refuse_as_other(i); break;
        case schemes::CallStatus::done:
        case schemes::CallStatus::already: take_windows(i, std::move(*answers)); break;
    }
    return std::nullopt;
}

std::optional<redis::Fault> ShardWriter::take_error(std::size_t i, const redis::Reply& reply) {
    Part& part = parts_[i];
    auto fault = fault_of_reply(reply, where(target_->node), domain::name_of(request(part).kind));
    if (fault.maybe_executed) {
        if (redis::raised_inside_script(reply.text)) part.broke_inside = fault;
        return fault;
    }
    on_their_way_.erase(i);
    if (takes_apart(i, fault) || goes_ahead(i, fault)) return std::nullopt;
    if (is_ask(fault) || !fault.error.reason.empty()) {
        if (part.slot) {
            hold_slot(i, std::move(fault));
            return std::nullopt;
        }
        fault.redirect.reset();
        fault.transient = true;
    }
    if (fault.redirect && ++part.redirects <= kMostFollows) {
        --part.attempts;
        waiting_.insert(i);
        redirected_ = {i, std::move(fault)};
        return std::nullopt;
    }
    if (!fault.transient) {
        settle(i, not_written(core(), target_->node, std::move(fault)));
        over_ = true;
        return std::nullopt;
    }
    --part.attempts;
    if (!part.patience) part.patience = part.end;
    waiting_.insert(i);
    come_back_ = std::move(fault);
    return std::nullopt;
}

// The server's clock is ahead of what we took it for.
void ShardWriter::take_late(std::size_t i, std::int64_t server_time_ms) {
    pipeline_->set_clock({support::WallTime{Milliseconds(server_time_ms)}, Clock::now()});
    Part& part = parts_[i];
    const auto& last = order(part).not_after;
    const bool is_over = last && server_time_ms > last->time_since_epoch().count();
    if (part.attempts < kAttempts && !is_over) {
        waiting_.insert(i);
        return;
    }
    auto result = not_written(
        core(), target_->node,
        harmless(ExitCode::unavailable,
                 fmt::format("{}: {} came too late {} times", where(target_->node), what(part), part.attempts)));
    result.reason = "late";
    settle(i, result);
    over_ = true;
}

void ShardWriter::take_windows(std::size_t i, schemes::WriteAnswers answers) {
    const Part& part = parts_[i];
    // One that was there before may not live long any more.
    const bool wrote =
        std::ranges::any_of(answers.windows, [](const auto& w) { return w.status == WriteStatus::applied; });
    if (wrote && has_operation_key()) remember_witness({order(part).operation.id, part.slice->number});
    for (std::size_t k = 0; k < part.slice->items.size(); ++k) {
        const auto item = part.slice->items[k];
        set_answer(part, item, std::move(answers.windows[k]), support::WallTime{Milliseconds(answers.server_time_ms)});
    }
    close(i);
}

void ShardWriter::set_answer(const Part& part, std::size_t item, schemes::WriteAnswer&& answer,
                             support::WallTime written_at) {
    for (auto* window : {&answer.before, &answer.after})
        tell_used(*window, *core().scheme, request(part).at(item).key, written_at.time_since_epoch().count());
    auto& result = job(part).results[item];
    if (domain::wrote(answer.status)) core().changed.insert(target_->node.shard);
    result.status = answer.status;
    result.reason = std::move(answer.reason);
    result.before = std::move(answer.before);
    result.after = std::move(answer.after);
    if (request(part).wanted && result.after.used) result.after.expires = request(part).wanted(item);
    result.taken = answer.taken;
    result.written_at = written_at;
    result.attempts = part.attempts;
    if (server_since_ > 0) result.node = target_->node;
    result.error = std::move(answer.error);
    if (!result.error) return;
    result.error->message = fmt::format("{}: key {}: {}; nothing was written to it", where(target_->node),
                                        support::quoted(request(part).at(item).key), result.error->message);
}

void ShardWriter::settle(std::size_t i, const WriteResult& result) {
    const Part& part = parts_[i];
    for (const std::size_t item : part.slice->items) {
        job(part).results[item] = result;
        job(part).results[item].attempts = std::max(1, part.attempts);
    }
    close(i);
}

// A batch has ended with its last part. The last batch ends with this writer, whose channel is free again then.
void ShardWriter::close(std::size_t i) {
    Part& part = parts_[i];
    for (const std::size_t item : part.slice->items) {
        const auto entry = last_with_key_.find(key_hash(request(part).at(item).key));
        if (entry != last_with_key_.end() && entry->second == i) last_with_key_.erase(entry);
    }
    part.settled = true;
    --part.share->open;
    while (shares_.size() > 1 && shares_.front().open == 0) shares_.pop_front();
}

asio::awaitable<void> ShardWriter::wait_for_replicas() {
    if (shares_.size() != 1 || !target_->channel || !target_->channel->is_open()) co_return;
    WriteJob& last = *shares_.front().job;
    const auto& order = *last.request->order;
    if (order.wait_replicas == 0) co_return;
    // Until 7.0 a connection waits for everything before its last command, later ones only for what it wrote itself.
    const bool any_writer = !target_->channel->facts().at_least(7, 2);
    std::vector<std::size_t> written;
    for (const Part& part : parts_) {
        if (!part.settled || part.connection < server_since_) continue;
        if (!any_writer && part.connection != connection_) continue;
        for (const std::size_t item : part.slice->items) {
            const auto& result = last.results[item];
            const bool by_us = result.status == WriteStatus::applied && !result.resolved;
            const bool there = result.status == WriteStatus::applied || result.status == WriteStatus::already_applied;
            if (by_us || (any_writer && there)) written.push_back(item);
        }
    }
    if (written.empty()) co_return;
    const auto count =
        co_await store::wait_for_replicas(core_, *target_->channel, order.wait_replicas, order.wait_timeout);
    for (const std::size_t item : written) last.results[item].acknowledged = count;
}

}  // namespace ratectl::store
