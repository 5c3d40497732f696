// Sends sentinels their questions. What they refuse is told apart: a master that they do not watch, and being none.
#include "store/sentinel/hearing.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "redis/reply_class.h"
#include "store/nodes/conversation.h"
#include "support/quote.h"

namespace ratectl::store::sentinel {
namespace {

domain::Node node_of(const domain::Endpoint& endpoint) { return {"", domain::Role::primary, endpoint}; }

support::Error no_sentinel(const domain::Node& node) {
    return {support::ExitCode::protocol, node.name() + ": is a Redis server, and no sentinel",
            "sentinels = [...] names sentinels, not the servers that they watch"};
}

support::Error watches_no(const domain::Node& node, const std::string& master) {
    return {support::ExitCode::configuration,
            fmt::format("{}: watches no master {}", node.name(), support::quoted(master)), ""};
}

/// One question to one sentinel. Nil in the place of each reply that it does not watch a master, and of a last reply
/// that only helps.
asio::awaitable<redis::Outcome<Reading>> consult(std::shared_ptr<Core> core, domain::Node node, redis::Request request,
                                                 bool last_may_fail) {
    const Talk talk = [&request, &node, last_may_fail](
                          redis::Channel& channel,
                          support::Deadline deadline) -> asio::awaitable<redis::Outcome<std::vector<redis::Reply>>> {
        auto replies = co_await channel.exchange(request, deadline);
        if (!replies) co_return replies;
        const auto& first = replies->front();
        if (first.is_error() && redis::classify_error(first.text) == redis::ReplyClass::unknown_command)
            co_return redis::fault({no_sentinel(node), false, false});
        std::ranges::replace_if(*replies, is_unknown_master, redis::Reply{});
        if (last_may_fail && replies->back().is_error()) replies->back() = {};
        co_return replies;
    };
    co_return co_await read_from(core, node, "SENTINEL", talk);
}

/// What it has in place of the master that it does not watch.
asio::awaitable<Refusal> refuse_master(std::shared_ptr<Core> core, domain::Node node, std::string master) {
    redis::Request request;
    request.add({"SENTINEL", "MASTERS"});
    Refusal refusal{watches_no(node, master), {}, true};
    const auto reading = co_await consult(core, node, std::move(request), true);
    if (reading) refusal.watched = masters_in(reading->replies.front());
    co_return refusal;
}

}  // namespace

asio::awaitable<Heard> ask(std::shared_ptr<Core> core, const domain::Endpoint* endpoint, std::string master) {
    const auto node = node_of(*endpoint);
    auto request = question(master);
    auto reading = co_await consult(core, node, std::move(request), true);
    Heard heard{endpoint};
    if (!reading) {
        heard.refusal = Refusal{std::move(reading.error().error)};
        auto& error = heard.refusal->error;
        // Of a password that is not the right one nothing more is said.
        const bool is_wrong = error.code == support::ExitCode::access && error.hint.empty();
        if (is_wrong || error.hint == redis::kPasswordHint) error.hint = kLoginHint;
    } else if (reading->replies.front().is_nil()) {
        heard.refusal = co_await refuse_master(core, node, master);
    } else if (auto word = read_word(reading->replies)) {
        heard.word = std::move(*word);
    } else {
        heard.refusal = Refusal{no_sentinel(node)};
    }
    co_return heard;
}

}  // namespace ratectl::store::sentinel
