// Unpacks a window's answer from its nine texts; the short words leave out what follows from the others.
#include "schemes/packed_answer.h"

#include <array>
#include <string>
#include <utility>

#include "support/decimal.h"

namespace ratectl::schemes {
namespace {

enum class Words { in_full, counted, given_back, removed };

Words words_of(std::string_view word) {
    if (word == "counted") return Words::counted;
    if (word == "given-back") return Words::given_back;
    return word == "removed" ? Words::removed : Words::in_full;
}

// Sets `number` to what the text says, null where there is none; false when it says no integer.
bool take_number(OptionalView text, std::optional<std::int64_t>& number) {
    number = text ? support::parse_decimal(*text) : std::nullopt;
    return number.has_value() == text.has_value();
}

std::optional<std::string> owned(OptionalView text) { return text ? std::optional<std::string>(*text) : std::nullopt; }

// What the counter is then; null where that does not follow.
std::optional<std::string> changed(const std::optional<std::string>& used, std::int64_t taken, Words words) {
    const auto count = used ? support::parse_decimal(*used) : std::nullopt;
    std::int64_t after = 0;
    if (!count) return std::nullopt;
    const bool overflows = words == Words::counted ? __builtin_add_overflow(*count, taken, &after)
                                                   : __builtin_sub_overflow(*count, taken, &after);
    if (overflows) return std::nullopt;
    return std::to_string(after);
}

// When halves expire that are as they are to be: one second after the window.
std::optional<std::int64_t> usual_expiry_ms(const std::optional<std::string>& reset) {
    const auto ends = reset ? support::parse_decimal(*reset) : std::nullopt;
    std::int64_t after = 0;
    std::int64_t ms = 0;
    if (!ends || __builtin_add_overflow(*ends, 1, &after) || __builtin_mul_overflow(after, 1000, &ms)) return {};
    return ms;
}

// Fills in what the short words leave out; false where it does not follow from the rest.
bool complete(WriteAnswer& answer, std::optional<std::int64_t> taken, Words words) {
    if (words == Words::in_full) return true;
    if (words == Words::removed) {
        answer.before.counter_expires_at_ms = usual_expiry_ms(answer.before.reset_at);
        answer.before.expiry_expires_at_ms = answer.before.counter_expires_at_ms;
        return answer.before.counter_expires_at_ms.has_value();
    }
    answer.after.used = taken ? changed(answer.before.used, *taken, words) : std::nullopt;
    answer.after.reset_at = answer.before.reset_at;
    return answer.after.used.has_value();
}

}  // namespace

std::optional<PackedAnswer> next_answer(PackedReader& reader) {
    std::array<OptionalView, kAnswerTexts> texts;
    for (auto& text : texts) {
        if (!reader.next(text)) return std::nullopt;
    }
    if (!texts[0] || !texts[1]) return std::nullopt;
    const auto words = words_of(*texts[1]);
    auto meaning = answer_for_word(words == Words::in_full ? *texts[1] : "applied");
    std::optional<std::int64_t> taken;
    if (!meaning) return std::nullopt;
    WriteAnswer& answer = *meaning;
    if (!take_number(texts[6], taken) || !take_number(texts[7], answer.before.counter_expires_at_ms) ||
        !take_number(texts[8], answer.before.expiry_expires_at_ms)) {
        return std::nullopt;
    }
    answer.before.used = owned(texts[2]);
    answer.before.reset_at = owned(texts[3]);
    answer.after.used = owned(texts[4]);
    answer.after.reset_at = owned(texts[5]);
    if (!complete(answer, taken, words)) return std::nullopt;
    answer.taken = words == Words::counted ? 0 : taken.value_or(0);
    return PackedAnswer{*texts[0], std::move(answer)};
}

}  // namespace ratectl::schemes
