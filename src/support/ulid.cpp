// Writes ULIDs: 130 bits, the first two of them zero, five a character.
#include "support/ulid.h"

#include <string_view>

namespace ratectl::support {

std::string make_ulid(WallTime now, const std::array<std::uint8_t, 10>& randomness) {
    constexpr std::string_view kAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    constexpr int kTimeCharacters = 10;
    std::string text;
    const auto milliseconds = static_cast<std::uint64_t>(now.time_since_epoch().count());
    for (int i = kTimeCharacters - 1; i >= 0; --i) text += kAlphabet[(milliseconds >> (5 * i)) & 31U];
    std::uint32_t bits = 0;
    unsigned held = 0;
    for (const std::uint8_t byte : randomness) {
        bits = (bits << 8U) | byte;
        held += 8;
        while (held >= 5) {
            held -= 5;
            text += kAlphabet[(bits >> held) & 31U];
        }
    }
    return text;
}

}  // namespace ratectl::support
