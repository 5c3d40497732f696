// Draws bars of eighths of a block, or of number signs where only ASCII is wanted.
#include "output/bar.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace ratectl::output {
namespace {

constexpr std::array<std::string_view, 8> kEighths{"",       "\u258f", "\u258e", "\u258d",
                                                   "\u258c", "\u258b", "\u258a", "\u2589"};
constexpr std::string_view kFull = "\u2588";

/// How many of `all` steps are filled.
std::size_t steps(double percent, std::size_t all) {
    if (!(percent > 0) || all == 0) return 0;
    if (percent >= 100) return all;
    const auto filled = static_cast<std::size_t>(std::llround(percent / 100 * static_cast<double>(all)));
    return std::min(std::max<std::size_t>(filled, 1), std::max<std::size_t>(all - 1, 1));
}

}  // namespace

std::string bar(double percent, std::size_t columns, bool ascii) {
    std::string text;
    if (ascii) {
        text.assign(steps(percent, columns), '#');
        text.resize(columns, ' ');
        return text;
    }
    const std::size_t eighths = steps(percent, columns * 8);
    for (std::size_t i = 0; i < eighths / 8; ++i) text += kFull;
    text += kEighths[eighths % 8];
    text.append(columns - (eighths + 7) / 8, ' ');
    return text;
}

}  // namespace ratectl::output
