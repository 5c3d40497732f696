// An exchange over any channel: everything out, then one reply a command.
#include "redis/channel.h"

namespace ratectl::redis {

asio::awaitable<Outcome<Reply>> Channel::receive(support::Deadline deadline) {
    Reply reply;
    const Outcome<void> received = co_await receive(reply, deadline);
    if (!received) co_return fault(received.error());
    co_return reply;
}

asio::awaitable<Outcome<std::vector<Reply>>> Channel::exchange(const Request& request, support::Deadline deadline) {
    const Outcome<void> sent = co_await send(request, deadline);
    if (!sent) co_return fault(sent.error());
    std::vector<Reply> replies;
    replies.reserve(request.commands());
    while (replies.size() < request.commands()) {
        const Outcome<void> received = co_await receive(replies.emplace_back(), deadline);
        if (!received) co_return fault(received.error());
    }
    co_return replies;
}

}  // namespace ratectl::redis
