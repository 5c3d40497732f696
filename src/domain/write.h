// Writes as plain values: what is asked of one window, and what came of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/node.h"
#include "support/time.h"

namespace ratectl::domain {

/// A key and where it lives.
struct KeyAt {
    std::string key;
    Place place = {};
};

class Limiter;
struct WindowLook;

/// Both halves as stored, bytes: null where there is none.
struct StoredWindow {
    std::optional<std::string> used;
    std::optional<std::string> reset_at;
    std::optional<std::int64_t> counter_expires_at_ms;  // absolute, server clock; null: no TTL, no key, or not asked
    std::optional<std::int64_t> expiry_expires_at_ms;

    bool operator==(const StoredWindow&) const = default;
};

/// The same values; expiries are not compared.
bool same_bytes(const StoredWindow& a, const StoredWindow& b);
/// What a look shows as stored; expiries are not asked.
StoredWindow stored_window(const WindowLook& look);
/// The light look that would show this.
WindowLook light_look(const Limiter& limiter, std::string key, const StoredWindow& stored);

/// RATE: count `amount` requests; opens a window that ends at next_reset when there is none open at `now`.
struct CountItem {
    KeyAt at;
    std::int64_t amount = 1;
    support::Instant next_reset{};
    support::Instant now{};
    /// Only into the window that ends then; unset: into whatever window is there, or a new one.
    std::optional<support::Instant> if_reset = {};
    /// Only while both halves hold exactly these bytes (expiries are not compared); of none, a whole window that is
    /// over at `now` will do, too.
    std::optional<StoredWindow> if_stored = {};
    /// Only where so many are used; of what is not an open window nothing is.
    std::optional<std::int64_t> if_used_at_least = {};
};

/// REFUND: give `amount` back inside the window that ends at if_reset.
struct RefundItem {
    KeyAt at;
    std::int64_t amount = 0;
    support::Instant if_reset{};  // the window that was looked at
    bool clamp = false;
    support::Instant now{};
    /// The window was opened by what is given back: where nothing else is in it, it is removed.
    bool opened = false;
    std::optional<std::int64_t> if_used_at_least = {};
};

/// RESET: remove both halves, guarded where the optionals are set.
struct ResetItem {
    KeyAt at;
    std::optional<support::Instant> if_reset;
    std::optional<std::int64_t> if_used_at_least;
    /// Only while both halves hold exactly these bytes (expiries are not compared).
    std::optional<StoredWindow> if_stored = {};
};

/// UNDO of a reset, and the arrival of a window that is moved: put both halves back exactly, values, expiries and a
/// missing TTL alike.
struct RestoreItem {
    KeyAt at;
    StoredWindow window;
    /// The window is there again: used becomes removed + newer, the reset the removed window's. Else only where both
    /// halves are absent.
    bool merge = false;
    support::Instant now{};  // the application's clock: a window that is over is not put back
};

/// When both halves of a window expire, absolute on the server's clock; null: never.
struct Expiries {
    std::optional<std::int64_t> counter_ms;
    std::optional<std::int64_t> expiry_ms;

    bool operator==(const Expiries&) const = default;
};

void set_expiries(StoredWindow& window, const Expiries& expiries);
/// As a look shows them, by the server's clock, which is `server_now`.
Expiries expiries_of(const WindowLook& look, support::WallTime server_now);

/// REPAIR: other expiries for a whole window, values untouched. Only while it is the window that ends at if_reset and
/// expires as it was seen to; what is to be set lies in the server's future.
struct RepairItem {
    KeyAt at;
    support::Instant if_reset{};
    Expiries seen;
    Expiries wanted;
};

enum class WriteStatus {
    applied,
    already_applied,
    nothing_to_do,
    window_changed,
    refused,
    failed,
    unknown,
    not_attempted
};
/// `applied`, `already-applied`, `nothing-to-do`, ... `not-attempted`, as rows print them.
std::string_view name_of(WriteStatus status);
/// Applied, now or before.
bool wrote(WriteStatus status);

}  // namespace ratectl::domain
