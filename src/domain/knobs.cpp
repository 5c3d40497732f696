// What a throttle makes of its knobs.
#include "domain/knobs.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "support/number_text.h"
#include "support/quote.h"

namespace ratectl::domain {
namespace {

constexpr std::size_t kLongest = 15;
constexpr std::string_view kUnlimited = "-1";

}  // namespace

std::string words_of(const Knobs& knobs) {
    std::string words;
    for (std::size_t i = 0; i < knobs.texts.size(); ++i) {
        if (knobs.texts[i])
            words.append(words.empty() ? "" : ", ").append(kKnobNames[i]).append(" ").append(*knobs.texts[i]);
    }
    return words;
}

std::optional<double> knob_number(std::string_view text) {
    const auto* const end = text.data() + text.size();
    const bool plain =
        !text.empty() && text.size() <= kLongest && text.front() >= '0' && text.front() <= '9' && text.back() != '.';
    double number = 0;
    const auto parsed = plain ? std::from_chars(text.data(), end, number, std::chars_format::fixed)
                              : std::from_chars_result{text.data(), std::errc::invalid_argument};
    return parsed.ec == std::errc() && parsed.ptr == end ? std::optional{number} : std::nullopt;
}

std::string fault_in(const Knobs& knobs) {
    std::array<double, kKnobNames.size()> numbers{};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto& text = knobs.texts[i];
        if (!text) return fmt::format("{} is missing, so every call of the limiter would fail", kKnobNames[i]);
        if (i == 0 && *text == kUnlimited) continue;
        const auto number = knob_number(*text);
        if (!number)
            return fmt::format("{} is {}, which is no number from 0 on", kKnobNames[i], support::quoted(*text));
        numbers[i] = *number;
    }
    const auto [rps, burst, window] = numbers;
    if (burst <= 0) return "burst is 0: no request would pass, and nothing would be kept";
    if (window <= 0) return "window is 0: no request would pass";
    if (burst * window * 2 < 1)
        return "burst and window are so small that the limiter forgets at once what is used, and never limits";
    if (rps * burst * window > static_cast<double>(support::kMaxExactInteger))
        return "that is more at once than is counted exactly (2^53)";
    return {};
}

std::optional<std::int64_t> rounded_up(const Knobs& knobs) {
    const auto rps = knob_number(knobs.of(Knob::rps).value_or(""));
    const auto window = knob_number(knobs.of(Knob::window).value_or(""));
    if (!rps || !window || !fault_in(knobs).empty()) return std::nullopt;
    const double back = *rps * *window;
    return std::ceil(back) != back ? std::optional{static_cast<std::int64_t>(std::ceil(back))} : std::nullopt;
}

}  // namespace ratectl::domain
