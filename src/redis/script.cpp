// Calls scripts: by EVALSHA first, by EVAL once where the server does not know the script.
#include "redis/script.h"

#include <string>
#include <utility>

#include "redis/asking.h"
#include "redis/reply_class.h"
#include "support/error.h"

namespace ratectl::redis {

bool is_no_script(const Reply& reply) {
    return reply.is_error() && classify_error(reply.text) == ReplyClass::no_script;
}

void add_call(Request& request, const ServerFacts& facts, const ScriptCall& call, bool by_text) {
    const bool read_only = call.read_only && facts.at_least(7);
    const std::string key_count = std::to_string(call.keys.size());
    std::vector<std::string_view> words;
    words.reserve(3 + call.keys.size() + call.arguments.size());
    if (by_text) {
        words.insert(words.end(), {read_only ? "EVAL_RO" : "EVAL", call.script->source});
    } else {
        words.insert(words.end(), {read_only ? "EVALSHA_RO" : "EVALSHA", call.script->sha1});
    }
    words.push_back(key_count);
    words.insert(words.end(), call.keys.begin(), call.keys.end());
    words.insert(words.end(), call.arguments.begin(), call.arguments.end());
    request.add(std::span<const std::string_view>(words));
}

namespace {

asio::awaitable<Outcome<std::vector<Reply>>> exchange(Channel& channel, const Request& request,
                                                      support::Deadline deadline, bool asking) {
    if (asking) co_return co_await exchange_asking(channel, request, deadline);
    co_return co_await channel.exchange(request, deadline);
}

}  // namespace

asio::awaitable<Outcome<std::vector<Reply>>> call_scripts(Channel& channel, std::span<const ScriptCall> calls,
                                                          support::Deadline deadline, bool asking) {
    Request request;
    for (const ScriptCall& call : calls) add_call(request, channel.facts(), call, false);
    if (request.empty()) co_return std::vector<Reply>();
    Outcome<std::vector<Reply>> replies = co_await exchange(channel, request, deadline, asking);
    if (!replies) co_return replies;

    Request again;
    std::vector<std::size_t> unknown;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        if (!is_no_script((*replies)[i])) continue;
        unknown.push_back(i);
        // Once the first EVAL of a script has run, the server knows it; but a flush may come between, so each carries
        // its text.
        add_call(again, channel.facts(), calls[i], true);
    }
    if (unknown.empty()) co_return replies;
    const bool others_ran = unknown.size() < calls.size();
    Outcome<std::vector<Reply>> second = co_await exchange(channel, again, deadline, asking);
    if (!second) {
        second.error().maybe_executed |= others_ran;
        co_return second;
    }
    for (std::size_t i = 0; i < unknown.size(); ++i) {
        Reply& reply = (*second)[i];
        if (is_no_script(reply)) {
            Fault refused = fault_from_reply(reply.text, channel.where(), "EVAL");
            refused.maybe_executed |= others_ran;
            co_return fault(std::move(refused));
        }
        (*replies)[unknown[i]] = std::move(reply);
    }
    co_return replies;
}

}  // namespace ratectl::redis
