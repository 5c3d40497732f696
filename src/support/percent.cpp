// Digits, perhaps a point and more digits.
#include "support/percent.h"

#include <charconv>

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

}  // namespace ratectl::support
