// ULIDs: 26 characters that sort by the time they were made. Layout and alphabet: github.com/ulid/spec.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "support/time.h"

namespace ratectl::support {

/// 48 bits of milliseconds since the epoch, then 80 random bits, in Crockford's base 32.
std::string make_ulid(WallTime now, const std::array<std::uint8_t, 10>& randomness);

}  // namespace ratectl::support
