// The value of an operation key, field by field.
#include "schemes/operation_record.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "schemes/packed.h"
#include "schemes/write_answer.h"
#include "support/decimal.h"

namespace ratectl::schemes {
namespace {

using domain::OperationRecord;
using domain::WriteKind;
using support::ExitCode;

constexpr std::string_view kFormat = "1";
constexpr std::size_t kHead = 8;         // format, fingerprint, kind, actor, host, reason, server_ms, number of windows
constexpr std::size_t kWindowTexts = 9;  // key, word, used and reset before, used and reset after, taken, two expiries
// Ten times what any call has: a value of millions of texts would take many times its size in memory.
constexpr std::size_t kMostTexts = kHead + 1000 * kWindowTexts;

support::Result<OperationRecord> odd(const domain::SliceId& id, std::string_view what) {
    return support::failure(ExitCode::protocol,
                            "the operation key of " + domain::to_string(id) + " " + std::string(what));
}

std::optional<WriteKind> kind_from(std::string_view word) {
    constexpr std::array<std::pair<std::string_view, WriteKind>, 5> kKinds{{{"count", WriteKind::count},
                                                                            {"refund", WriteKind::refund},
                                                                            {"reset", WriteKind::reset},
                                                                            {"restore", WriteKind::restore},
                                                                            {"repair", WriteKind::repair}}};
    for (const auto& [name, kind] : kKinds) {
        if (name == word) return kind;
    }
    return std::nullopt;
}

// Sets `number` to what the text says, null where there is none; false when it says no integer.
bool take_number(const OptionalText& text, std::optional<std::int64_t>& number) {
    number = text ? support::parse_decimal(*text) : std::nullopt;
    return number.has_value() == text.has_value();
}

std::optional<OperationRecord::WindowAnswer> window_from(std::span<OptionalText> texts) {
    if (!texts[0] || !texts[1]) return std::nullopt;
    const auto meaning = answer_for_word(*texts[1]);
    std::optional<std::int64_t> taken;
    OperationRecord::WindowAnswer window;
    if (!meaning || !take_number(texts[6], taken) || !take_number(texts[7], window.before.counter_expires_at_ms) ||
        !take_number(texts[8], window.before.expiry_expires_at_ms)) {
        return std::nullopt;
    }
    window.key = std::move(*texts[0]);
    window.status = meaning->status;
    window.why = meaning->reason;
    window.before.used = std::move(texts[2]);
    window.before.reset_at = std::move(texts[3]);
    window.after.used = std::move(texts[4]);
    window.after.reset_at = std::move(texts[5]);
    window.taken = taken.value_or(0);
    return window;
}

}  // namespace

support::Result<OperationRecord> decode_operation(const domain::SliceId& id, std::string_view value) {
    auto texts = texts_of(value, kMostTexts);
    if (!texts || texts->empty()) return odd(id, "holds nothing that ratectl wrote");
    if (texts->front() != kFormat) return odd(id, "was written by another version of ratectl");
    const auto has_head = [&] {
        return texts->size() >= kHead && std::all_of(texts->begin(), texts->begin() + kHead,
                                                     [](const OptionalText& text) { return text.has_value(); });
    };
    if (!has_head()) return odd(id, "holds a broken record");
    const std::span<OptionalText> head(texts->data(), kHead);
    const auto kind = kind_from(*head[2]);
    const auto server_ms = support::parse_decimal(*head[6]);
    const auto windows = support::parse_unsigned(*head[7], texts->size());
    if (!kind || !server_ms || !windows || texts->size() != kHead + *windows * kWindowTexts) {
        return odd(id, "holds a broken record");
    }
    OperationRecord record;
    record.id = id;
    record.kind = *kind;
    record.fingerprint = std::move(*head[1]);
    record.actor = std::move(*head[3]);
    record.host = std::move(*head[4]);
    record.reason = std::move(*head[5]);
    record.at = support::WallTime{support::Milliseconds{*server_ms}};
    record.windows.reserve(*windows);
    for (std::size_t i = 0; i < *windows; ++i) {
        auto window = window_from(std::span<OptionalText>(*texts).subspan(kHead + i * kWindowTexts, kWindowTexts));
        if (!window) return odd(id, "holds a broken record");
        record.windows.push_back(std::move(*window));
    }
    return record;
}

}  // namespace ratectl::schemes
