// What a throttle makes of its knobs.
#include "domain/knobs.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "support/number_text.h"
#include "support/quote.h"

namespace ratectl::domain {
namespace {

constexpr std::size_t kLongest = 15;
constexpr auto kMostTokens = static_cast<double>(support::kMaxExactInteger);
constexpr double kMostSeconds = 9e9;  // more nanoseconds than that are none of 64 bits

/// What the limiter tells Redis of its bucket, in seconds, is refused: -0, or more than can be counted in milliseconds.
bool is_refused_life(double life) { return std::fabs(life) > kMostTokens || (life == 0 && std::signbit(life)); }

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

// strtod() is what Lua calls, too: it takes all of these, and stops at a zero byte.
std::optional<double> limiter_number(std::string_view text) {
    const std::string bytes(text);
    char* end = nullptr;
    const double number = std::strtod(bytes.c_str(), &end);
    if (end == bytes.c_str()) return std::nullopt;
    while (std::isspace(static_cast<unsigned char>(*end)) != 0) ++end;
    return *end == '\0' ? std::optional{number} : std::nullopt;
}

std::string breakage_of(const Knobs& knobs) {
    std::array<double, kKnobNames.size()> numbers{};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto number = limiter_number(knobs.texts[i].value_or(""));
        if (!number)
            return fmt::format("the knobs' {} is {}, so every call of the limiter fails", kKnobNames[i],
                               knobs.texts[i] ? "no number" : "missing");
        numbers[i] = *number;
    }
    const auto [rps, burst, window] = numbers;
    if (rps == -1) return {};
    if (!std::isfinite(window)) return "the knobs' window is infinite, or NaN, which no caller can wait for";
    if (rps == 0) return {};
    if (!std::isfinite(rps))
        return "the knobs' rps is infinite, or NaN, and what the limiter stores then counts nothing";
    if (is_refused_life(std::floor(burst * window * 2)) || !std::isfinite(burst))
        return "Redis refuses the TTL that the knobs' burst and window come to, so every call of the limiter fails";
    if (!(std::fabs(std::ceil(rps * burst * window)) <= kMostTokens))
        return "the knobs come to more at once than is counted exactly (2^53)";
    return std::fabs(window) <= kMostSeconds ? "" : "the knobs' window is longer than moments are counted (9e9 s)";
}

std::string fault_in(const Knobs& knobs) {
    std::array<double, kKnobNames.size()> numbers{};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto& text = knobs.texts[i];
        if (!text) return fmt::format("{} is missing, so every call of the limiter would fail", kKnobNames[i]);
        const auto number = limiter_number(*text);
        if (!number || (*number < 0 && !(i == 0 && *number == -1)))
            return fmt::format("{} is {}, which is no number from 0 on", kKnobNames[i], support::quoted(*text));
        numbers[i] = *number;
    }
    const auto [rps, burst, window] = numbers;
    if (burst <= 0) return "burst is 0: no request would pass, and nothing would be kept";
    if (window <= 0) return "window is 0: no request would pass";
    if (burst * window * 2 < 1)
        return "burst and window are so small that the limiter forgets at once what is used, and never limits";
    if (rps * burst * window > kMostTokens) return "that is more at once than is counted exactly (2^53)";
    return breakage_of(knobs);
}

std::optional<std::int64_t> rounded_up(const Knobs& knobs) {
    const auto rps = limiter_number(knobs.of(Knob::rps).value_or(""));
    const auto window = limiter_number(knobs.of(Knob::window).value_or(""));
    if (!rps || *rps < 0 || !window || !fault_in(knobs).empty()) return std::nullopt;
    const double back = *rps * *window;
    return std::ceil(back) != back ? std::optional{static_cast<std::int64_t>(std::ceil(back))} : std::nullopt;
}

}  // namespace ratectl::domain
