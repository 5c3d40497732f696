// Calls scripts: by EVALSHA first, by EVAL once where the server does not know the script.
#include "redis/script.h"

#include <numeric>
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

/// NOPERM for the command itself, not for a key.
bool is_call_denied(const Reply& reply, std::string_view name) {
    return reply.is_error() && classify_error(reply.text) == ReplyClass::no_permission &&
           reply.text.find(name) != std::string::npos;
}

/// Refused by name: renamed, or forbidden by the service or an ACL. The other way to call a script does the same.
bool knows_no_read_only_calls(const Reply& reply, const ScriptCall& call) {
    if (!call.read_only || !reply.is_error()) return false;
    return classify_error(reply.text) == ReplyClass::unknown_command || is_call_denied(reply, "_ro'");
}

/// Where neither way is allowed, the right that is missing is the lesser one.
void prefer_first_refusals(std::vector<Reply>& answers, const std::vector<Reply>& refusals) {
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (refusals[i].is_error() && is_call_denied(answers[i], "'eval")) answers[i] = refusals[i];
    }
}

}  // namespace

asio::awaitable<Outcome<std::vector<Reply>>> call_scripts(Channel& channel, std::span<const ScriptCall> calls,
                                                          support::Deadline deadline, bool asking) {
    std::vector<ScriptCall> ways(calls.begin(), calls.end());
    std::vector<bool> by_text(calls.size());
    std::vector<Reply> answers(calls.size());
    std::vector<Reply> refusals(calls.size());
    std::vector<std::size_t> asked(calls.size());
    std::iota(asked.begin(), asked.end(), std::size_t{0});
    bool others_ran = false;
    while (!asked.empty()) {
        Request request;
        // Once the first EVAL of a script has run, the server knows it; but a flush may come between, so each carries
        // its text.
        for (const std::size_t i : asked) add_call(request, channel.facts(), ways[i], by_text[i]);
        auto replies = co_await exchange_for_slot(channel, request, deadline, asking);
        if (!replies) {
            replies.error().maybe_executed |= others_ran;
            co_return replies;
        }
        std::vector<std::size_t> again;
        for (std::size_t k = 0; k < asked.size(); ++k) {
            const std::size_t i = asked[k];
            answers[i] = std::move((*replies)[k]);
            if (knows_no_read_only_calls(answers[i], ways[i])) {
                ways[i].read_only = false;
                refusals[i] = std::move(answers[i]);
                again.push_back(i);
            } else if (is_no_script(answers[i]) && !by_text[i]) {
                by_text[i] = true;
                again.push_back(i);
            } else if (is_no_script(answers[i])) {
                Fault refused = fault_from_reply(answers[i].text, channel.where(), "EVAL");
                refused.maybe_executed |= others_ran;
                co_return fault(std::move(refused));
            }
        }
        others_ran = others_ran || again.size() < asked.size();
        asked = std::move(again);
    }
    prefer_first_refusals(answers, refusals);
    co_return answers;
}

}  // namespace ratectl::redis
