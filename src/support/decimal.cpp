// Parses decimal numbers strictly, on top of std::from_chars.
#include "support/decimal.h"

#include <bit>
#include <charconv>
#include <cstring>

namespace ratectl::support {

namespace {

/// Whatever else is not a digit is refused when it is converted.
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

/// Eight digits at once: pairs, pairs of pairs, and the two halves of all of them. False: not all are digits.
bool take_eight(const char* digits, std::uint64_t& value) {
    constexpr std::uint64_t each = 0x0101010101010101;
    std::uint64_t chunk = 0;
    std::memcpy(&chunk, digits, sizeof chunk);
    chunk ^= '0' * each;  // a digit is its number now, and nothing else is below ten
    if (((chunk + 0x76 * each) | chunk) & (0x80 * each)) return false;
    chunk = (chunk & 0x00FF'00FF'00FF'00FF) * 10 + ((chunk >> 8U) & 0x00FF'00FF'00FF'00FF);
    chunk = (chunk & 0x0000'FFFF'0000'FFFF) * 100 + ((chunk >> 16U) & 0x0000'FFFF'0000'FFFF);
    value = (chunk & 0xFFFF'FFFF) * 10'000 + (chunk >> 32U);
    return true;
}

/// A sweep parses millions of these.
std::optional<std::uint64_t> convert_few(std::string_view digits) {
    std::uint64_t value = 0;
    if (std::endian::native == std::endian::little && digits.size() >= 8) {
        if (!take_eight(digits.data(), value)) return std::nullopt;
        digits.remove_prefix(8);
    }
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
