// Calls of the write scripts, and their answers.
#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "schemes/operation_key.h"
#include "schemes/window/window_scheme.h"
#include "schemes/write_answer.h"
#include "support/number_text.h"

namespace ratectl::schemes::window {
namespace {

using redis::Reply;
using support::ExitCode;

// The letters of a call's layout: an argument for all windows, and one for each.
constexpr char kOnce = '1';
constexpr char kEach = 'n';

std::string seconds(support::Instant t) { return std::to_string(support::epoch_seconds(t)); }
std::string seconds(const std::optional<support::Instant>& t) { return t ? seconds(*t) : std::string(); }
std::string number(const std::optional<std::int64_t>& n) { return n ? std::to_string(*n) : std::string(); }
std::string flag(bool on) { return on ? "1" : "0"; }
std::string halves(const domain::StoredWindow& window) { return packed({window.used, window.reset_at}); }
std::string if_stored(const std::optional<domain::StoredWindow>& seen) { return seen ? halves(*seen) : std::string(); }

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

using AllAnswers = std::optional<std::vector<WriteAnswer>>;

// Those of a record that was made just now: as many windows as were asked about, in their order.
AllAnswers answers_from(std::string_view record, std::size_t windows) {
    std::vector<WriteAnswer> answers;
    answers.reserve(windows);
    PackedReader reader(record);
    if (!skip_operation_head(reader)) return std::nullopt;
    while (!reader.at_end()) {
        auto next = answers.size() < windows ? next_answer(reader) : std::nullopt;
        if (!next) return std::nullopt;
        answers.push_back(std::move(next->answer));
    }
    if (answers.size() != windows) return std::nullopt;
    return answers;
}

// What the operation key says of these windows.
AllAnswers recalled_answers(std::string_view record_bytes, std::span<const std::string_view> keys) {
    const auto record = decode_operation({"it", 1}, record_bytes);
    if (!record) return std::nullopt;
    std::unordered_map<std::string_view, const domain::OperationRecord::WindowAnswer*> by_key;
    for (const auto& window : record->windows) by_key.emplace(window.key, &window);
    std::vector<WriteAnswer> answers;
    for (const auto key : keys) {
        const auto found = by_key.find(key);
        answers.push_back(found == by_key.end() ? answer_for_word("other-operation").value_or(WriteAnswer{})
                                                : answer_of(*found->second));
        if (answers.back().status == domain::WriteStatus::applied) {
            answers.back().status = domain::WriteStatus::already_applied;
        }
    }
    return answers;
}

}  // namespace

// KEYS and ARGV as the frame in lua/operation.lua wants them: a column of which every window has the same is sent once.
template <class Item, class Arguments>
redis::ScriptCall WindowScheme::write_call(const redis::Script& script, std::span<const Item* const> items,
                                           const CallHead& head, Arguments arguments_of) const {
    using Row = decltype(arguments_of(*items.front()));
    redis::ScriptCall call;
    call.script = &script;
    call.keys.reserve(2 * items.size() + 2);
    std::vector<Row> rows;
    rows.reserve(items.size());
    std::string layout(std::tuple_size_v<Row>, kOnce);
    for (const Item* item : items) {
        call.keys.push_back(item->at.key);
        call.keys.push_back(expiry_key(item->at.key));
        const Row& row = rows.emplace_back(arguments_of(*item));
        for (std::size_t c = 0; c < row.size(); ++c) {
            if (row[c] != rows.front()[c]) layout[c] = kEach;
        }
    }
    if (head.id) call.keys.push_back(operation_key(*head.id));
    if (head.undoes) call.keys.push_back(undone_key(*head.undoes));
    call.arguments = {
        number(head.deadline_ms), head.fingerprint, head.actor, head.host, head.reason, head.undoes ? "1" : "", layout};
    for (std::size_t c = 0; c < layout.size(); ++c) {
        const auto end = layout[c] == kOnce ? rows.begin() + std::min<std::ptrdiff_t>(1, std::ssize(rows)) : rows.end();
        for (auto row = rows.begin(); row != end; ++row) call.arguments.push_back(std::move((*row)[c]));
    }
    return call;
}

redis::ScriptCall WindowScheme::count_call(std::span<const domain::CountItem* const> items,
                                           const CallHead& head) const {
    return write_call(kRateScript, items, head, [](const domain::CountItem& item) {
        return std::array{std::to_string(item.amount), seconds(item.next_reset),  seconds(item.now),
                          seconds(item.if_reset),      if_stored(item.if_stored), number(item.if_used_at_least)};
    });
}

redis::ScriptCall WindowScheme::refund_call(std::span<const domain::RefundItem* const> items,
                                            const CallHead& head) const {
    return write_call(kRefundScript, items, head, [](const domain::RefundItem& item) {
        return std::array{std::to_string(item.amount), seconds(item.if_reset), flag(item.clamp),
                          seconds(item.now),           flag(item.opened),      number(item.if_used_at_least)};
    });
}

redis::ScriptCall WindowScheme::reset_call(std::span<const domain::ResetItem* const> items,
                                           const CallHead& head) const {
    return write_call(kResetScript, items, head, [](const domain::ResetItem& item) {
        return std::array{seconds(item.if_reset), number(item.if_used_at_least), if_stored(item.if_stored)};
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

support::Result<WriteAnswers> WindowScheme::decode_writes(std::span<const std::string_view> keys,
                                                          const redis::Reply& reply) const {
    const auto odd = [] { return support::failure(ExitCode::protocol, "unexpected reply of a write script"); };
    const auto& parts = reply.elements;
    const bool all_text = std::all_of(parts.begin(), parts.end(), [](const Reply& part) { return part.is_text(); });
    if (!reply.is_array() || parts.size() < 2 || !all_text) return odd();
    const auto status = status_from(parts[0]);
    const auto server_time = support::parse_decimal(parts[1].text);
    if (!status || !server_time) return odd();
    WriteAnswers answers{.status = *status, .server_time_ms = *server_time, .windows = {}};
    const bool ran = *status == CallStatus::done || *status == CallStatus::already;
    if (parts.size() != (ran ? 3u : 2u)) return odd();
    if (!ran) return answers;
    auto windows =
        *status == CallStatus::done ? answers_from(parts[2].text, keys.size()) : recalled_answers(parts[2].text, keys);
    if (windows) {
        answers.windows = std::move(*windows);
    } else if (*status == CallStatus::already) {
        // Its beginning is that of our call, and the rest is not ours.
        answers.status = CallStatus::other_operation;
    } else {
        return odd();
    }
    return answers;
}

}  // namespace ratectl::schemes::window
