// Replies to calls of the write scripts -> an answer a window.
#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "schemes/operation_key.h"
#include "schemes/scheme.h"
#include "schemes/write_answer.h"
#include "support/number_text.h"

namespace ratectl::schemes {
namespace {

using redis::Reply;
using support::ExitCode;

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

support::Result<WriteAnswers> decode_writes(std::span<const std::string_view> keys, const redis::Reply& reply) {
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

}  // namespace ratectl::schemes
