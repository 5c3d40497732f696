// What Symfony's limiters keep under a key: an object of theirs as PHP's serialize() writes it, or its extension
// igbinary, in the short form of 5.4 and later. Older ones are not read.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "support/time.h"

namespace ratectl::domain::objects {

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
