// Strict decimal numbers, on top of std::from_chars.
#include "support/decimal.h"

#include <charconv>

namespace ratectl::support {

namespace {

/// Whatever else is no digit is refused when it is converted.
bool is_canonical_unsigned(std::string_view text) {
    return !text.empty() && (text.front() != '0' || text.size() == 1) && text.front() != '-';
}

template <class Number>
std::optional<Number> convert(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

constexpr std::size_t kDigitsThatFit = 18;  // whatever they are

/// A sweep parses millions of these.
std::optional<std::uint64_t> convert_few(std::string_view digits) {
    std::uint64_t value = 0;
    for (const char digit : digits) {
        const auto number = static_cast<unsigned char>(digit - '0');
        if (number > 9) return std::nullopt;
        value = value * 10 + number;
    }
    return value;
}

}  // namespace

std::optional<std::int64_t> parse_decimal(std::string_view text) {
    const bool negative = text.starts_with('-');
    const std::string_view digits = negative ? text.substr(1) : text;
    if (!is_canonical_unsigned(digits) || (negative && digits == "0")) return std::nullopt;
    if (digits.size() > kDigitsThatFit) return convert<std::int64_t>(text);
    const auto value = convert_few(digits);
    if (!value) return std::nullopt;
    const auto magnitude = static_cast<std::int64_t>(*value);
    return negative ? -magnitude : magnitude;
}

std::optional<std::uint64_t> parse_unsigned(std::string_view text, std::uint64_t max) {
    if (!is_canonical_unsigned(text)) return std::nullopt;
    const auto value = text.size() > kDigitsThatFit ? convert<std::uint64_t>(text) : convert_few(text);
    if (!value || *value > max) return std::nullopt;
    return value;
}

}  // namespace ratectl::support
