// Strict decimal numbers, on top of std::from_chars.
#include "support/decimal.h"

#include <charconv>

namespace ratectl::support {

namespace {

/// from_chars() refuses everything else that is no digit.
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

}  // namespace

std::optional<std::int64_t> parse_decimal(std::string_view text) {
    const bool negative = text.starts_with('-');
    const std::string_view digits = negative ? text.substr(1) : text;
    if (!is_canonical_unsigned(digits) || (negative && digits == "0")) return std::nullopt;
    return convert<std::int64_t>(text);
}

std::optional<std::uint64_t> parse_unsigned(std::string_view text, std::uint64_t max) {
    if (!is_canonical_unsigned(text)) return std::nullopt;
    const auto value = convert<std::uint64_t>(text);
    if (!value || *value > max) return std::nullopt;
    return value;
}

}  // namespace ratectl::support
