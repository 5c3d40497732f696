// Calls of the write scripts, and their answers.
#include <array>
#include <utility>

#include "schemes/operation_key.h"
#include "schemes/packed.h"
#include "schemes/window/scripts.h"
#include "schemes/window/window_scheme.h"
#include "support/decimal.h"

namespace ratectl::schemes::window {
namespace {

using redis::Reply;
using support::ExitCode;

std::string seconds(support::Instant t) { return std::to_string(support::epoch_seconds(t)); }
std::string seconds(const std::optional<support::Instant>& t) { return t ? seconds(*t) : std::string(); }
std::string number(const std::optional<std::int64_t>& n) { return n ? std::to_string(*n) : std::string(); }
std::string flag(bool on) { return on ? "1" : "0"; }
std::string halves(const domain::StoredWindow& window) { return packed({window.used, window.reset_at}); }

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
    auto answer = answer_for_word(texts[0].value_or(""));
    if (!taken || !counter_expires || !expiry_expires || !answer) {
        return support::failure(ExitCode::protocol, "odd reply of a write script");
    }
    answer->before = {std::move(texts[1]), std::move(texts[2]), *counter_expires, *expiry_expires};
    answer->after = {std::move(texts[3]), std::move(texts[4]), std::nullopt, std::nullopt};
    answer->taken = taken->value_or(0);
    return std::move(*answer);
}

std::optional<CallStatus> status_from(const Reply& reply) {
    constexpr std::array<std::pair<std::string_view, CallStatus>, 4> kStatuses{
        {{"done", CallStatus::done},
         {"already", CallStatus::already},
         {"late", CallStatus::late},
         {"other-operation", CallStatus::other_operation}}};
    for (const auto& [word, status] : kStatuses) {
        if (reply.is_text() && reply.text == word) return status;
    }
    return std::nullopt;
}

bool has_windows(CallStatus status) { return status == CallStatus::done || status == CallStatus::already; }

}  // namespace

// KEYS and ARGV as the frame in lua/operation.lua wants them.
template <class Item, class Arguments>
redis::ScriptCall WindowScheme::write_call(const redis::Script& script, std::span<const Item* const> items,
                                           const CallHead& head, Arguments arguments_of) const {
    redis::ScriptCall call;
    call.script = &script;
    call.arguments = {number(head.deadline_ms), head.fingerprint, head.actor, head.host, head.reason};
    for (const Item* item : items) {
        call.keys.push_back(item->at.key);
        call.keys.push_back(expiry_of(item->at.key));
        for (auto& argument : arguments_of(*item)) call.arguments.push_back(std::move(argument));
    }
    if (head.id) call.keys.push_back(operation_key(*head.id));
    return call;
}

redis::ScriptCall WindowScheme::count_call(std::span<const domain::CountItem* const> items,
                                           const CallHead& head) const {
    return write_call(kRateScript, items, head, [](const domain::CountItem& item) {
        return std::array{std::to_string(item.amount), seconds(item.next_reset), seconds(item.now),
                          seconds(item.if_reset), flag(item.if_absent)};
    });
}

redis::ScriptCall WindowScheme::refund_call(std::span<const domain::RefundItem* const> items,
                                            const CallHead& head) const {
    return write_call(kRefundScript, items, head, [](const domain::RefundItem& item) {
        return std::array{std::to_string(item.amount), seconds(item.if_reset), flag(item.clamp), seconds(item.now)};
    });
}

redis::ScriptCall WindowScheme::reset_call(std::span<const domain::ResetItem* const> items,
                                           const CallHead& head) const {
    return write_call(kResetScript, items, head, [](const domain::ResetItem& item) {
        return std::array{seconds(item.if_reset), number(item.if_used_at_least),
                          item.if_stored ? halves(*item.if_stored) : std::string()};
    });
}

redis::ScriptCall WindowScheme::restore_call(std::span<const domain::RestoreItem* const> items,
                                             const CallHead& head) const {
    return write_call(kRestoreScript, items, head, [](const domain::RestoreItem& item) {
        return std::array{halves(item.window), number(item.window.counter_expires_at_ms),
                          number(item.window.expiry_expires_at_ms), flag(item.merge), seconds(item.now)};
    });
}

redis::ScriptCall WindowScheme::repair_call(std::span<const domain::RepairItem* const> items,
                                            const CallHead& head) const {
    return write_call(kRepairScript, items, head, [](const domain::RepairItem& item) {
        return std::array{seconds(item.if_reset), number(item.seen.counter_ms), number(item.seen.expiry_ms),
                          number(item.wanted.counter_ms), number(item.wanted.expiry_ms)};
    });
}

support::Result<WriteAnswers> WindowScheme::decode_writes(std::size_t windows, redis::Reply reply) const {
    const auto odd = [] { return support::failure(ExitCode::protocol, "odd reply of a write script"); };
    if (!reply.is_array() || reply.elements.size() < 2) return odd();
    const auto status = status_from(reply.elements[0]);
    const auto server_time = number_at(reply.elements, 1);
    if (!status || !server_time || !*server_time) return odd();
    WriteAnswers answers{.status = *status, .server_time_ms = **server_time, .windows = {}};
    if (reply.elements.size() != 2 + (has_windows(*status) ? windows : 0)) return odd();
    answers.windows.reserve(reply.elements.size() - 2);
    for (std::size_t i = 2; i < reply.elements.size(); ++i) {
        if (!reply.elements[i].is_array()) return odd();
        auto answer = decode_window(reply.elements[i].elements);
        if (!answer) return tl::make_unexpected(answer.error());
        if (*status == CallStatus::already && answer->status == domain::WriteStatus::applied) {
            answer->status = domain::WriteStatus::already_applied;
        }
        answers.windows.push_back(std::move(*answer));
    }
    return answers;
}

}  // namespace ratectl::schemes::window
