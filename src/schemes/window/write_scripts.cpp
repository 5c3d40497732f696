// Calls of the write scripts, and what their answers mean.
#include <algorithm>
#include <array>
#include <utility>

#include "schemes/window/scripts.h"
#include "schemes/window/window_scheme.h"
#include "support/decimal.h"

namespace ratectl::schemes::window {
namespace {

using domain::WriteStatus;
using redis::Reply;
using support::ExitCode;

std::string seconds(support::Instant t) { return std::to_string(support::epoch_seconds(t)); }

struct Word {
    std::string_view word;
    WriteStatus status;
    ExitCode code;
    std::string_view message;  // empty: nothing has to be explained
    std::string_view hint;
};

constexpr std::array kWords{
    Word{"applied", WriteStatus::applied, ExitCode::done, "", ""},
    Word{"absent", WriteStatus::nothing_to_do, ExitCode::attention, "", ""},
    Word{"nothing-to-take", WriteStatus::nothing_to_do, ExitCode::attention, "", ""},
    Word{"no-window", WriteStatus::window_changed, ExitCode::guard, "the window is not there any more", ""},
    Word{"window-changed", WriteStatus::window_changed, ExitCode::guard,
         "it is no longer the window that was looked at", "look again and decide anew"},
    Word{"closed", WriteStatus::window_changed, ExitCode::guard, "the window is over", ""},
    Word{"used-too-low", WriteStatus::window_changed, ExitCode::guard,
         "fewer requests are used than the guard asks for", ""},
    Word{"below-zero", WriteStatus::refused, ExitCode::guard, "fewer requests are used than would be given back",
         "--clamp takes what is there"},
    Word{"wrong-type", WriteStatus::refused, ExitCode::guard, "the key holds no string, so it is no window", ""},
    Word{"too-large", WriteStatus::refused, ExitCode::guard, "the key holds more than 64 KiB, so it is no window", ""},
    Word{"not-an-integer", WriteStatus::refused, ExitCode::guard, "what is stored is no integer within 2^53", ""},
    Word{"overflow", WriteStatus::refused, ExitCode::guard,
         "the counter would leave the range of exact integers (2^53)", ""},
    Word{"reset-in-past", WriteStatus::refused, ExitCode::guard,
         "the window would already be over on the server's clock, which would delete it at once and leak a counter",
         "check --now, --period and the server's clock (ratectl nodes)"},
    Word{"bad-argument", WriteStatus::refused, ExitCode::bug, "the script did not accept its arguments", ""},
};

// The part at `i`: null where the array is shorter or holds nil; an error where it is anything but text.
support::Result<std::optional<std::string>> text_at(std::vector<Reply>& parts, std::size_t i) {
    if (i >= parts.size() || parts[i].is_nil()) return std::nullopt;
    if (!parts[i].is_text()) return support::failure(ExitCode::protocol, "odd reply of a write script");
    return std::move(parts[i].text);
}

support::Result<std::optional<std::int64_t>> number_at(std::vector<Reply>& parts, std::size_t i) {
    auto text = text_at(parts, i);
    if (!text) return tl::make_unexpected(text.error());
    if (!*text) return std::nullopt;
    const auto number = support::parse_decimal(**text);
    if (!number) return support::failure(ExitCode::protocol, "odd number in a write script's reply");
    return number;
}

// { word, used_before, reset_before, used_after, reset_after, taken, counter_expires_ms, expiry_expires_ms }, shorter
// where the script has no more to say.
support::Result<WriteAnswer> decode_window(std::vector<Reply>& parts) {
    std::array<std::optional<std::string>, 5> texts;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        auto text = text_at(parts, i);
        if (!text) return tl::make_unexpected(text.error());
        texts[i] = std::move(*text);
    }
    const auto taken = number_at(parts, 5);
    const auto counter_expires = number_at(parts, 6);
    const auto expiry_expires = number_at(parts, 7);
    const auto* word = std::find_if(kWords.begin(), kWords.end(), [&](const Word& w) { return w.word == texts[0]; });
    if (!taken || !counter_expires || !expiry_expires || word == kWords.end()) {
        return support::failure(ExitCode::protocol, "odd reply of a write script");
    }
    WriteAnswer answer;
    answer.status = word->status;
    if (word->status != WriteStatus::applied) answer.reason = word->word;
    if (!word->message.empty()) {
        answer.error = support::Error{word->code, std::string(word->message), std::string(word->hint)};
    }
    answer.before = {std::move(texts[1]), std::move(texts[2]), *counter_expires, *expiry_expires};
    answer.after = {std::move(texts[3]), std::move(texts[4]), std::nullopt, std::nullopt};
    answer.taken = taken->value_or(0);
    return answer;
}

}  // namespace

redis::ScriptCall WindowScheme::count_call(std::span<const domain::CountItem* const> items) const {
    redis::ScriptCall call{.script = &kRateScript, .keys = {}, .arguments = {}, .read_only = false};
    for (const auto* item : items) {
        call.keys.insert(call.keys.end(), {item->at.key, expiry_of(item->at.key)});
        call.arguments.insert(call.arguments.end(),
                              {std::to_string(item->amount), seconds(item->next_reset), seconds(item->now)});
    }
    return call;
}

redis::ScriptCall WindowScheme::refund_call(std::span<const domain::RefundItem* const> items) const {
    redis::ScriptCall call{.script = &kRefundScript, .keys = {}, .arguments = {}, .read_only = false};
    for (const auto* item : items) {
        call.keys.insert(call.keys.end(), {item->at.key, expiry_of(item->at.key)});
        call.arguments.insert(call.arguments.end(), {std::to_string(item->amount), seconds(item->if_reset),
                                                     item->clamp ? "1" : "0", seconds(item->now)});
    }
    return call;
}

redis::ScriptCall WindowScheme::reset_call(std::span<const domain::ResetItem* const> items) const {
    redis::ScriptCall call{.script = &kResetScript, .keys = {}, .arguments = {}, .read_only = false};
    for (const auto* item : items) {
        call.keys.insert(call.keys.end(), {item->at.key, expiry_of(item->at.key)});
        call.arguments.push_back(item->if_reset ? seconds(*item->if_reset) : "");
        call.arguments.push_back(item->if_used_at_least ? std::to_string(*item->if_used_at_least) : "");
    }
    return call;
}

support::Result<WriteAnswers> WindowScheme::decode_writes(std::size_t windows, redis::Reply reply) const {
    const auto odd = [] { return support::failure(ExitCode::protocol, "odd reply of a write script"); };
    if (!reply.is_array() || reply.elements.size() != windows + 1) return odd();
    const auto server_time = number_at(reply.elements, 0);
    if (!server_time || !*server_time) return odd();
    WriteAnswers answers{.server_time_ms = **server_time, .windows = {}};
    answers.windows.reserve(windows);
    for (std::size_t i = 1; i <= windows; ++i) {
        if (!reply.elements[i].is_array()) return odd();
        auto answer = decode_window(reply.elements[i].elements);
        if (!answer) return tl::make_unexpected(answer.error());
        answers.windows.push_back(std::move(*answer));
    }
    return answers;
}

}  // namespace ratectl::schemes::window
