// The two parts of a window's look, and the numbers that they hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "domain/window.h"
#include "support/time.h"

namespace ratectl::schemes::window {

inline constexpr std::size_t kCounter = 0;  // K
inline constexpr std::size_t kExpiry = 1;   // K and the suffix
inline constexpr std::size_t kParts = 2;

/// The second at which the window ends; null: nothing, or no second that is on any clock.
std::optional<support::Instant> end_of(const domain::StoredKey& expiry);
/// When both keys have to expire: EXPIREAT reset + 1, in milliseconds.
std::int64_t right_expiry_ms(support::Instant end);

}  // namespace ratectl::schemes::window
