// Sends one WAIT, with time enough for its reply to come back.
#include "store/writes/replica_wait.h"

#include <algorithm>
#include <string>
#include <utility>

#include "redis/reply_class.h"

namespace ratectl::store {
namespace {

void say_unknown(Core& core, support::Error why) {
    why.message += "; so it is not known how many replicas have the writes";
    core.notice(why);
}

}  // namespace

asio::awaitable<std::optional<int>> wait_for_replicas(std::shared_ptr<Core> core, redis::Channel& channel, int replicas,
                                                      support::Milliseconds timeout) {
    using Clock = std::chrono::steady_clock;
    if (core->options.deadline) {
        const auto left = std::chrono::floor<support::Milliseconds>(*core->options.deadline - Clock::now());
        timeout = std::min(timeout, left);
    }
    // 0 would mean: forever.
    timeout = std::max(timeout, support::Milliseconds(1));
    redis::Request request;
    request.add({"WAIT", std::to_string(replicas), std::to_string(timeout.count())});
    auto deadline = Clock::now() + timeout + core->options.timeout;
    if (core->options.deadline) deadline = std::min(deadline, *core->options.deadline);
    auto replies = co_await channel.exchange(request, deadline);
    if (!replies) {
        say_unknown(*core, std::move(replies.error().error));
        co_return std::nullopt;
    }
    const auto& reply = replies->front();
    if (reply.kind == redis::Reply::Kind::integer)
        co_return static_cast<int>(std::clamp<std::int64_t>(reply.integer, 0, 1'000'000));
    if (reply.is_error()) {
        say_unknown(*core, redis::fault_from_reply(reply.text, channel.where(), "WAIT").error);
    } else {
        say_unknown(*core, {support::ExitCode::protocol, channel.where() + ": unexpected reply to WAIT", ""});
    }
    co_return std::nullopt;
}

}  // namespace ratectl::store
