// Reads and rounds percentages: digits, perhaps a point and more; rounding keeps none and all apart from the rest.
#include "support/percent.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "support/decimal.h"

namespace ratectl::support {

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

}  // namespace ratectl::support
