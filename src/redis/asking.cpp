// Takes a finished request apart, and puts ASKING between its commands.
#include "redis/asking.h"

#include <string_view>
#include <utility>

namespace ratectl::redis {
AskingRequest with_asking(const Request& request) {
    AskingRequest result;
    bool in_transaction = false;
    auto bytes = request.bytes();
    while (!bytes.empty()) {
        const auto words = take_command(bytes);
        if (!in_transaction) {
            result.request.add({"ASKING"});
            result.is_asking.push_back(true);
        }
        result.request.add(std::span<const std::string_view>(words));
        result.is_asking.push_back(false);
        in_transaction = words.front() == "MULTI" || (in_transaction && words.front() != "EXEC");
    }
    return result;
}

asio::awaitable<Outcome<std::vector<Reply>>> exchange_asking(Channel& channel, const Request& request,
                                                             support::Deadline deadline) {
    const auto asking = with_asking(request);
    auto replies = co_await channel.exchange(asking.request, deadline);
    if (!replies) co_return replies;
    std::vector<Reply> own;
    for (std::size_t i = 0; i < replies->size(); ++i) {
        if (!asking.is_asking[i]) own.push_back(std::move((*replies)[i]));
    }
    co_return own;
}

asio::awaitable<Outcome<std::vector<Reply>>> exchange_for_slot(Channel& channel, const Request& request,
                                                               support::Deadline deadline, bool asking) {
    if (asking) co_return co_await exchange_asking(channel, request, deadline);
    co_return co_await channel.exchange(request, deadline);
}

}  // namespace ratectl::redis
