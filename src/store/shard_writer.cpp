// A window of calls over one connection; whatever breaks it is found out about before anything more is sent.
#include "store/shard_writer.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "redis/reply_class.h"
#include "schemes/operation_record.h"
#include "store/replica_wait.h"
#include "store/write_results.h"

namespace ratectl::store {
namespace {

using support::ExitCode;
using support::Milliseconds;
using Clock = std::chrono::steady_clock;

// Enough for the server to go on while the caller does something else than run the loop.
constexpr std::size_t kCallsOnTheirWay = 16;

redis::Fault harmless(ExitCode code, std::string message) { return {{code, std::move(message), ""}, false, false}; }

}  // namespace

ShardWriter::ShardWriter(std::shared_ptr<WriteJob> job, std::shared_ptr<WriteTarget> target,
                         std::vector<const Slice*> slices)
    : job_(std::move(job)), target_(std::move(target)), parts_(slices.size()) {
    std::unordered_map<std::string_view, std::size_t> last_with_key;
    for (std::size_t i = 0; i < slices.size(); ++i) {
        parts_[i].slice = slices[i];
        waiting_.insert(waiting_.end(), i);
        for (const std::size_t item : slices[i]->items) {
            const auto [entry, is_new] = last_with_key.try_emplace(job_->request->at(item).key, i);
            if (is_new) continue;
            parts_[i].after = std::max(parts_[i].after.value_or(0), entry->second);
            entry->second = i;
        }
    }
}

std::string ShardWriter::what(const Part& part) const {
    const auto name = domain::name_of(job_->request->kind);
    if (!has_operation_key()) return std::string(name);
    return fmt::format("{} {}", name, domain::to_string(domain::SliceId{order().operation.id, part.slice->number}));
}

asio::awaitable<void> ShardWriter::run() {
    std::optional<support::Error> broken;
    try {
        use(std::move(target_->channel), {});
        co_await write_all();
    } catch (const support::Failure& failure) {
        broken = failure.error();
    } catch (const std::exception& e) {
        broken = support::Error{ExitCode::bug, where(target_->node) + ": " + e.what(), "please report this"};
    }
    if (broken) break_off(*broken);
    fail_waiting(harmless(core().interrupted().code, where(target_->node) + ": interrupted"));
    if (order().wait_replicas > 0 && !broken) co_await wait_for_replicas();
    remember_clock();
    pipeline_.reset();
    target_->channel = {};
}

asio::awaitable<void> ShardWriter::write_all() {
    while (!on_their_way_.empty() || may_send()) {
        auto lost = co_await fill();
        if (!lost && on_their_way_.empty()) {
            if (come_back_) co_await come_back_later();
            continue;
        }
        if (!lost) {
            auto answer = co_await pipeline_->receive();
            if (answer) {
                lost = take(std::move(*answer));
            } else {
                lost = std::move(answer.error());
            }
        }
        if (lost) co_await recover(*std::move(lost));
    }
}

bool ShardWriter::may_send() const { return !over_ && !waiting_.empty() && !core().stopping(); }

asio::awaitable<std::optional<redis::Fault>> ShardWriter::fill() {
    while (may_send() && !come_back_ && on_their_way_.size() < kCallsOnTheirWay) {
        const auto i = *waiting_.begin();
        Part& part = parts_[i];
        if (part.after && !parts_[*part.after].settled) break;
        if (!start(part)) break;
        waiting_.erase(i);
        on_their_way_.insert(i);
        ++part.attempts;
        auto call = call_of(part);
        const auto sent = co_await pipeline_->send(i, std::move(call), part.end);
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
    part.end = core().exchange_deadline();
    if (part.patience) part.end = std::min(part.end, *part.patience);
    part.late_after_ms.reset();
    if (const auto& clock = pipeline_->clock()) {
        part.late_after_ms = clock->at(part.end).time_since_epoch().count();
        if (!part.first_sent) part.first_sent = clock->at(now);
    }
    return true;
}

redis::ScriptCall ShardWriter::call_of(const Part& part) const {
    schemes::CallHead head;
    const auto& operation = order().operation;
    if (has_operation_key()) head.id = domain::SliceId{operation.id, part.slice->number};
    head.deadline_ms = part.late_after_ms;
    head.fingerprint = part.slice->fingerprint;
    head.actor = operation.actor;
    head.host = operation.host;
    head.reason = operation.reason;
    return job_->request->call(part.slice->items, head);
}

std::optional<redis::Fault> ShardWriter::take(redis::ScriptPipeline::Answer answer) {
    const auto i = answer.tag;
    Part& part = parts_[i];
    reopened_ = 0;
    part.connection = connection_;
    if (answer.reply.is_error()) return take_error(i, answer.reply);
    std::vector<std::string_view> keys;
    keys.reserve(part.slice->items.size());
    for (const std::size_t item : part.slice->items) keys.push_back(job_->request->at(item).key);
    auto answers = core().scheme->decode_writes(keys, answer.reply);
    if (!answers) {
        auto fault = redis::Fault{answers.error(), true, false};
        fault.error.message = where(target_->node) + ": " + fault.error.message;
        return fault;
    }
    on_their_way_.erase(i);
    switch (answers->status) {
        case schemes::CallStatus::late:
            take_late(i, answers->server_time_ms);
            break;
        case schemes::CallStatus::other_operation:
            refuse_as_other(part);
            break;
        case schemes::CallStatus::done:
        case schemes::CallStatus::already:
            take_windows(part, std::move(*answers));
            break;
    }
    return std::nullopt;
}

std::optional<redis::Fault> ShardWriter::take_error(std::size_t i, const redis::Reply& reply) {
    Part& part = parts_[i];
    auto fault = fault_of_reply(reply, where(target_->node), domain::name_of(job_->request->kind));
    if (fault.maybe_executed) {
        if (redis::raised_inside_script(reply.text)) part.broke_inside = fault;
        return fault;
    }
    on_their_way_.erase(i);
    if (!fault.transient) {
        settle(part, not_written(target_->node, std::move(fault)));
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
    if (part.attempts < kAttempts) {
        waiting_.insert(i);
        return;
    }
    auto result = not_written(
        target_->node, harmless(ExitCode::unavailable, fmt::format("{}: {} came too late {} times",
                                                                   where(target_->node), what(part), part.attempts)));
    result.reason = "late";
    settle(part, result);
    over_ = true;
}

void ShardWriter::take_windows(Part& part, schemes::WriteAnswers answers) {
    part.settled = true;
    for (std::size_t i = 0; i < part.slice->items.size(); ++i) {
        set_answer(part, part.slice->items[i], std::move(answers.windows[i]));
    }
}

void ShardWriter::set_answer(const Part& part, std::size_t item, schemes::WriteAnswer answer) {
    auto& result = job_->results[item];
    result.status = answer.status;
    result.reason = std::move(answer.reason);
    result.before = std::move(answer.before);
    result.after = std::move(answer.after);
    result.taken = answer.taken;
    result.written_at = core().now();
    result.attempts = part.attempts;
    result.error = std::move(answer.error);
    if (!result.error) return;
    result.error->message = fmt::format("{}: {}: {}; nothing was written", where(target_->node),
                                        job_->request->at(item).key, result.error->message);
}

void ShardWriter::refuse_as_other(Part& part) {
    auto result = not_written(
        target_->node, harmless(ExitCode::guard, fmt::format("{}: {} has been carried out already, as another write",
                                                             where(target_->node), what(part))));
    result.error->hint =
        fmt::format("ratectl history {} shows it; another --op-id makes this a write of its own", order().operation.id);
    result.status = WriteStatus::refused;
    result.reason = "other-operation";
    settle(part, result);
}

void ShardWriter::settle(Part& part, const WriteResult& result) {
    part.settled = true;
    for (const std::size_t item : part.slice->items) {
        job_->results[item] = result;
        job_->results[item].attempts = std::max(1, part.attempts);
    }
}

asio::awaitable<void> ShardWriter::wait_for_replicas() {
    if (!target_->channel || !target_->channel->is_open()) co_return;
    // Until 7.0 a connection waits for everything before its last command, later ones only for what it wrote itself.
    const bool any_writer = !target_->channel->facts().at_least(7, 2);
    std::vector<std::size_t> written;
    for (const Part& part : parts_) {
        if (!part.settled || (!any_writer && part.connection != connection_)) continue;
        for (const std::size_t item : part.slice->items) {
            const auto& result = job_->results[item];
            const bool by_us = result.status == WriteStatus::applied && !result.resolved;
            const bool there = result.status == WriteStatus::applied || result.status == WriteStatus::already_applied;
            if (by_us || (any_writer && there)) written.push_back(item);
        }
    }
    if (written.empty()) co_return;
    const auto& [replicas, timeout] = std::pair(order().wait_replicas, order().wait_timeout);
    const auto count = co_await store::wait_for_replicas(job_->core, *target_->channel, replicas, timeout);
    for (const std::size_t item : written) job_->results[item].acknowledged = count;
}

}  // namespace ratectl::store
