// Sends script calls and hands out answers: a queue of what was sent, answered from its front.
#include "redis/script_pipeline.h"

#include <utility>

namespace ratectl::redis {

using Clock = std::chrono::steady_clock;

ScriptPipeline::ScriptPipeline(Channel& channel, std::optional<ServerClock> clock)
    : channel_(&channel), clock_(channel.facts().clock) {
    if (clock && (!clock_ || clock->ours > clock_->ours)) clock_ = clock;
}

asio::awaitable<Outcome<void>> ScriptPipeline::refresh_clock(support::Deadline deadline) {
    // A server that never told will not begin to.
    const bool tells = clock_ && !channel_->facts().proxied;
    const bool due = tells && !asking_time_ && Clock::now() - clock_->ours > kClockAge;
    if (!due) co_return Outcome<void>();
    Request request;
    request.add({"TIME"});
    const auto asked = Clock::now();
    auto sent = co_await channel_->send(request, deadline);
    if (!sent) {
        sent.error().maybe_executed = false;
        co_return sent;
    }
    asking_time_ = true;
    Sent& time = sent_.emplace_back();
    time.deadline = deadline;
    time.asked = asked;
    co_return sent;
}

asio::awaitable<Outcome<void>> ScriptPipeline::put_last() {
    Request request;
    const Sent& last = sent_.back();
    if (last.asking) request.add({"ASKING"});
    add_call(request, channel_->facts(), last.call, last.by_text);
    co_return co_await channel_->send(request, last.deadline);
}

asio::awaitable<Outcome<void>> ScriptPipeline::send(std::size_t tag, ScriptCall call, support::Deadline deadline,
                                                    bool asking) {
    auto ready = co_await refresh_clock(deadline);
    if (!ready) co_return ready;
    sent_.emplace_back();
    sent_.back().tag = tag;
    sent_.back().call = std::move(call);
    sent_.back().deadline = deadline;
    sent_.back().asking = asking;
    auto done = co_await put_last();
    if (done) ++calls_on_their_way_;
    co_return done;
}

asio::awaitable<Outcome<ScriptPipeline::Answer>> ScriptPipeline::receive() {
    for (;;) {
        Sent front = std::move(sent_.front());
        sent_.pop_front();
        auto reply = co_await channel_->receive(front.deadline);
        if (reply && front.asking) reply = co_await channel_->receive(front.deadline);
        if (!reply) co_return fault(std::move(reply.error()));
        if (!front.tag) {
            asking_time_ = false;
            if (const auto clock = read_clock(*reply, front.asked, Clock::now())) clock_ = clock;
            continue;
        }
        if (is_no_script(*reply) && !front.by_text) {
            front.by_text = true;
            sent_.push_back(std::move(front));
            auto sent = co_await put_last();
            if (!sent) co_return fault(std::move(sent.error()));
            continue;
        }
        --calls_on_their_way_;
        co_return Answer{*front.tag, std::move(*reply)};
    }
}

}  // namespace ratectl::redis
