// Reads and writes numbers strictly; what is rounded for people keeps none and all apart from the rest.
#include "support/number_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

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

std::optional<double> parse_percent(std::string_view text) {
    const std::size_t point = text.find('.');
    const std::string_view fraction = point == std::string_view::npos ? "0" : text.substr(point + 1);
    if (!parse_unsigned(text.substr(0, point), 1'000'000)) return std::nullopt;
    if (fraction.empty() || fraction.size() > 6 || fraction.find_first_not_of("0123456789") != std::string_view::npos)
        return std::nullopt;
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

std::optional<double> percent_of(std::int64_t part, std::int64_t whole) {
    if (whole <= 0) return std::nullopt;
    const double rounded = std::round(static_cast<double>(part) * 10'000 / static_cast<double>(whole)) / 100;
    if (part > 0 && rounded <= 0) return 0.01;
    if (part < whole && rounded >= 100) return 99.99;
    return rounded;
}

std::string percent_text(double percent, int decimals) {
    const double step = std::pow(10, -decimals);
    const double rounded = std::round(percent / step) * step;
    if (percent > 0 && rounded < step / 2) return fmt::format("<{:.{}f}", step, decimals);
    if (percent < 100 && rounded > 100 - step / 2) return fmt::format(">{:.{}f}", 100 - step, decimals);
    const bool none_or_all = rounded == 0 || percent == 100;
    return fmt::format("{:.{}f}", none_or_all ? std::abs(rounded) : percent, none_or_all ? 0 : decimals);
}

std::string share_text(std::uint64_t part, std::uint64_t whole) {
    constexpr double not_quite_all = 99.999;
    const double percent = whole == 0 ? 0 : static_cast<double>(part) * 100 / static_cast<double>(whole);
    return percent_text(part < whole ? std::min(percent, not_quite_all) : percent);
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view several) {
    if (count != 1 && !several.empty()) return fmt::format("{} {}", count, several);
    return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string format_bytes(std::int64_t bytes) {
    static constexpr std::array<std::string_view, 7> units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double amount = static_cast<double>(bytes);
    std::size_t unit = 0;
    // 1023.95 would round to `1024.0`: step up where the rounded text would overflow its unit.
    while (unit + 1 < units.size() && std::abs(amount) >= (unit == 0 ? 1024.0 : 1023.95)) {
        amount /= 1024.0;
        ++unit;
    }
    return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", amount, units[unit]);
}

std::string with_thousands(std::string_view number) {
    std::string text(number);
    const std::size_t first = text.starts_with('-') ? 1 : 0;
    const std::size_t end = std::min(text.find_first_not_of("0123456789", first), text.size());
    for (std::size_t at = end; at > first + 3;) text.insert(at -= 3, 1, ',');
    return text;
}

}  // namespace ratectl::support
