// What limiters keep under a key as an object of their own language or format.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "support/time.h"

namespace ratectl::domain::objects {

/// Of bucket4j: the settings and the state of a bucket, big-endian, formats 1 and 2.
struct Bandwidth {
    std::int64_t capacity = 0;   // in tokens, at least 1
    std::int64_t period_ns = 0;  // in which so many come back, at least 1
    std::int64_t refill = 0;     // at least 1
    bool at_once = false;        // what comes back does so at the end of a period
    std::int64_t last_ns = 0;    // since 1970: filled up to there
    std::int64_t tokens = 0;     // then
};

/// At least one; null: no such bytes, whole and with no other state than that of long integers.
std::optional<std::vector<Bandwidth>> bucket4j_in(std::string_view bytes);

/// Of Symfony's limiters: an object of theirs as PHP's serialize() writes it, or its extension igbinary, in the short
/// form of 5.4 and later. Older ones are not read.
struct SymfonyState {
    enum class Kind { fixed_window, sliding_window, token_bucket };

    Kind kind = Kind::fixed_window;
    std::int64_t hits = 0;             // windows: of the present one
    std::int64_t hits_before = 0;      // sliding_window: of the one before
    std::int64_t tokens = 0;           // token_bucket: left at `at`
    std::optional<std::int64_t> size;  // of a window, or a bucket; sliding_window: not stored
    support::Seconds period{0};  // of a window; token_bucket: in which `refill` tokens come back, all at once; above 0
    std::int64_t refill = 0;
    double at = 0;  // seconds since 1970: fixed_window began, sliding_window ends, token_bucket was filled up to
};

/// Null: no such object.
std::optional<SymfonyState> symfony_in(std::string_view text);

}  // namespace ratectl::domain::objects
