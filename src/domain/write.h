// Writes as plain values: what is asked of one window, and what came of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "support/time.h"

namespace ratectl::domain {

/// A key and the shard that has it.
struct KeyAt {
    std::string key;
    std::size_t shard = 0;
};

/// RATE: count `amount` requests; opens a window that ends at next_reset when there is none open at `now`.
struct CountItem {
    KeyAt at;
    std::int64_t amount = 1;
    support::Instant next_reset{};
    support::Instant now{};
};

/// REFUND: give `amount` back inside the window that ends at if_reset.
struct RefundItem {
    KeyAt at;
    std::int64_t amount = 0;
    support::Instant if_reset{};  // the window that was looked at
    bool clamp = false;
    support::Instant now{};
};

/// RESET: remove both halves, guarded when the optionals are set.
struct ResetItem {
    KeyAt at;
    std::optional<support::Instant> if_reset;
    std::optional<std::int64_t> if_used_at_least;
};

enum class WriteStatus { applied, nothing_to_do, window_changed, refused, failed, unknown, not_attempted };
/// `applied`, `nothing-to-do`, ... `not-attempted`, as rows print them.
std::string_view name_of(WriteStatus status);

/// Both halves as stored, bytes: null where there is none.
struct StoredWindow {
    std::optional<std::string> used;
    std::optional<std::string> reset_at;
    std::optional<std::int64_t> counter_expires_at_ms;  // absolute, server clock; null: no TTL, no key, or not asked
    std::optional<std::int64_t> expiry_expires_at_ms;

    bool operator==(const StoredWindow&) const = default;
};

}  // namespace ratectl::domain
