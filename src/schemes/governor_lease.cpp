// Asks for a governor's lease.
#include "schemes/governor_lease.h"

#include <algorithm>
#include <array>

#include "support/number_text.h"

namespace ratectl::schemes::governor {
namespace {

using domain::governor::LeaseAnswer;
using domain::governor::LeaseCall;

constexpr std::array<std::string_view, 5> kVerbs{"take", "keep", "free", "reserve", "look"};
constexpr std::array<std::string_view, 4> kWords{"held", "other", "free", "odd"};
constexpr std::size_t kTexts = 8;

support::WallTime moment(std::string_view text) {
    return support::WallTime{support::Milliseconds{support::parse_decimal(text).value_or(0)}};
}

}  // namespace

std::string governor_key(std::string_view throttle, std::string_view tag) {
    std::string key(domain::governor::kGovernorPrefix);
    if (!tag.empty()) key.append("{").append(tag).append("}:");
    return key.append(throttle);
}

redis::ScriptCall lease_call(const LeaseCall& call, std::string_view tag) {
    return {&kLeaseScript,
            {governor_key(call.throttle, tag)},
            {std::string(kVerbs.at(static_cast<std::size_t>(call.verb))), call.token, call.actor, call.host,
             std::to_string(call.length.count()), call.memory},
            call.verb == LeaseCall::Verb::look};
}

support::Result<LeaseAnswer> decode_lease(const redis::Reply& reply) {
    const auto odd = [] {
        return support::failure(support::ExitCode::protocol, "the reply to a governor's lease is none of its script",
                                "is that server a Redis?");
    };
    const auto& texts = reply.elements;
    const bool is_whole = reply.is_array() && texts.size() == kTexts &&
                          std::ranges::all_of(texts, [](const redis::Reply& text) { return text.is_text(); });
    if (!is_whole) return odd();
    const auto word = std::ranges::find(kWords, texts[0].text);
    if (word == kWords.end()) return odd();
    LeaseAnswer answer;
    answer.word = static_cast<LeaseAnswer::Word>(word - kWords.begin());
    answer.server_now = moment(texts[1].text);
    answer.token = texts[2].text;
    answer.actor = texts[3].text;
    answer.host = texts[4].text;
    answer.since = moment(texts[5].text);
    answer.until = moment(texts[6].text);
    answer.memory = texts[7].text;
    return answer;
}

}  // namespace ratectl::schemes::governor
