// Formats amounts of memory for people.
#include "support/byte_units.h"

#include <array>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

namespace ratectl::support {

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

}  // namespace ratectl::support
