// Halves of windows as servers show them, looked at ten minutes before their window ends.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "domain/window.h"

namespace ratectl::test {

inline constexpr std::int64_t kLookedAt = 1'800'000'000;
inline constexpr std::int64_t kEndsAt = kLookedAt + 600;
/// When a sound half expires, in milliseconds.
inline constexpr std::int64_t kExpiresAt = (kEndsAt + 1) * 1000;
inline constexpr std::int64_t kNever = -1;

inline domain::StoredKey text_half(std::string value, std::int64_t expires_ms = kExpiresAt) {
    domain::StoredKey half;
    half.value = std::move(value);
    half.type = "string";
    if (expires_ms == kNever) {
        half.ttl_ms = -1;
    } else {
        half.expires_at_ms = expires_ms;
        half.ttl_ms = expires_ms - kLookedAt * 1000;
    }
    return half;
}

inline domain::StoredKey no_half() {
    domain::StoredKey half;
    half.type = "none";
    half.ttl_ms = -2;
    return half;
}

}  // namespace ratectl::test
