// An exchange over any channel: everything out, then one reply a command.
#include "redis/channel.h"

namespace ratectl::redis {

asio::awaitable<Outcome<std::vector<Reply>>> Channel::exchange(const Request& request, support::Deadline deadline) {
    const Outcome<void> sent = co_await send(request, deadline);
    if (!sent) co_return fault(sent.error());
    std::vector<Reply> replies;
    replies.reserve(request.commands());
    while (replies.size() < request.commands()) {
        Outcome<Reply> reply = co_await receive(deadline);
        if (!reply) co_return fault(std::move(reply.error()));
        replies.push_back(std::move(*reply));
    }
    co_return replies;
}

}  // namespace ratectl::redis
