// What a write script said about one window.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/write.h"
#include "support/error.h"

namespace ratectl::schemes {

struct WriteAnswer {
    domain::WriteStatus status = domain::WriteStatus::refused;
    /// Why nothing was written, a stable word: `absent`, `no-window`, `window-changed`, `closed`, `used-too-low`, `nothing-to-take`, `below-zero`,
    /// `wrong-type`, `too-large`, `not-an-integer`, `overflow`, `reset-in-past`, `bad-argument`. Empty when applied.
    std::string reason;
    /// refused and window_changed: the reason in words, without the place.
    std::optional<support::Error> error;
    domain::StoredWindow before;
    domain::StoredWindow after;
    std::int64_t taken = 0;  // refund: what was given back
};

/// One answer a window, in the order of the call.
struct WriteAnswers {
    std::int64_t server_time_ms = 0;
    std::vector<WriteAnswer> windows;
};

}  // namespace ratectl::schemes
