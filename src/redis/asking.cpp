// Takes a finished request apart, and puts ASKING between its commands.
#include "redis/asking.h"

#include <charconv>
#include <string_view>
#include <utility>

namespace ratectl::redis {
namespace {

/// The number behind the sign at the beginning of this line, which is taken off with it.
std::size_t take_header(std::string_view& bytes) {
    std::size_t number = 0;
    const auto end = bytes.find('\r');
    std::from_chars(bytes.data() + 1, bytes.data() + end, number);
    bytes.remove_prefix(end + 2);
    return number;
}

std::vector<std::string_view> take_command(std::string_view& bytes) {
    std::vector<std::string_view> words(take_header(bytes));
    for (auto& word : words) {
        const auto size = take_header(bytes);
        word = bytes.substr(0, size);
        bytes.remove_prefix(size + 2);
    }
    return words;
}

}  // namespace

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

}  // namespace ratectl::redis
