// Writes as plain values: what is asked of one window, and what came of it.
#pragma once

#include <array>
#include <cstddef>
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

struct WindowLook;
/// No limiter keeps a window in more keys.
inline constexpr std::size_t kMostParts = 2;

/// When each stored key of a window expires, in the order of its limiter's parts: milliseconds since the epoch on the
/// server's clock; null: no TTL, no key, or not asked. Where there are fewer parts, the last one's stands again.
using Expiries = std::array<std::optional<std::int64_t>, kMostParts>;

/// What is stored of one window, as its limiter reads it: how many are used, and the second at which it ends, in the
/// bytes that are there; null where there is none.
struct StoredWindow {
    std::optional<std::string> used;
    std::optional<std::string> reset_at;
    Expiries expires = {};
    /// What is stored, of limiters for whom used and reset follow from it and the time; null of all others.
    std::optional<std::string> state = {};

    bool operator==(const StoredWindow&) const = default;
};

/// A longer value is not a counter, and none that a script of ours changes.
inline constexpr std::size_t kLongestValue = std::size_t{64} << 10;
/// What is read of a value is cut here, wherever it is read: a byte more, so that it is known to be too long.
inline constexpr std::size_t kMostOfValue = kLongestValue + 1;
/// What is stored, in quotes for a sentence; only the beginning of what is long, and how long it is.
std::string value_words(std::string_view stored);
/// How many are used, for people: `40`, `none` where nothing is stored, and of what is too long for a number
/// value_words().
std::string used_words(const std::optional<std::string>& used);
/// The same of a window; where a state is stored and nothing says how many requests it stands for, `unknown until` its
/// end, or `something` where it has none.
std::string used_words(const StoredWindow& window);

/// The same is stored; expiries are not compared.
bool same_bytes(const StoredWindow& a, const StoredWindow& b);
/// What a look shows as stored, without expiries; of limiters whose use follows from the time, what is used at that
/// moment, or when the look was taken.
StoredWindow stored_window(const WindowLook& look, support::Moment now = support::kWhenever);
/// As a look shows them, by the server's clock, which is `server_now`.
Expiries expiries_of(const WindowLook& look, support::WallTime server_now);

/// RATE: count `amount` requests; opens a window that ends at next_reset when there is none open at `now`.
struct CountItem {
    KeyAt at;
    std::int64_t amount = 1;
    support::Instant next_reset{};
    support::Moment now{};
    /// Only into the window that ends then; unset: into whatever window is there, or a new one.
    std::optional<support::Instant> if_reset = {};
    /// Only while exactly this is stored (expiries are not compared); of none, a whole window that is
    /// over at `now` will do, too.
    std::optional<StoredWindow> if_stored = {};
    /// Only where so many are used; of what is not an open window nothing is.
    std::optional<std::int64_t> if_used_at_least = {};
    std::optional<std::int64_t> limit = {};  // as Limiter::carried_over() asks for it
    /// Of an undo: these very requests, of a limiter that keeps them one by one.
    std::optional<StoredWindow> given_back = {};
    /// As RefundItem::if_was, while that counts. Of an undo.
    std::optional<StoredWindow> if_was = {};
};

/// REFUND: give `amount` back inside the window that ends at if_reset.
struct RefundItem {
    KeyAt at;
    std::int64_t amount = 0;
    support::Instant if_reset{};  // the window that was looked at
    bool clamp = false;
    support::Moment now{};
    /// The window was opened by what is given back: where nothing else is in it, it is removed.
    bool opened = false;
    std::optional<std::int64_t> if_used_at_least = {};
    /// No window was there, and if_reset is none's: `absent`, whatever is there by now.
    bool finds_none = false;
    /// Where ends move, and if_reset tells nothing: only of a window that this may have become (Limiter::went_on).
    std::optional<StoredWindow> if_was = {};
};

/// RESET: remove all keys of the window, guarded where the optionals are set.
struct ResetItem {
    KeyAt at;
    std::optional<support::Instant> if_reset;
    std::optional<std::int64_t> if_used_at_least;
    /// Only while exactly this is stored (expiries are not compared).
    std::optional<StoredWindow> if_stored = {};
    support::Moment now{};
};

/// UNDO of a reset, and the arrival of a window that is moved: put it back exactly, values, expiries and a missing TTL
/// alike.
struct RestoreItem {
    KeyAt at;
    StoredWindow window;
    /// The window is there again: used becomes removed + newer, the reset the removed window's. Else only where
    /// nothing is stored.
    bool merge = false;
    support::Moment now{};  // the application's clock: a window that is over is not put back
};

/// REPAIR: other expiries for a whole window, values untouched. Only while it is the window that ends at if_reset and
/// expires as it was seen to; what is to be set lies in the server's future.
struct RepairItem {
    KeyAt at;
    support::Instant if_reset{};
    Expiries seen;
    Expiries wanted;
};

/// PUT: something else in the place of what is stored, and only of that.
struct PutItem {
    KeyAt at;
    std::optional<std::string> state;     // null: nothing, so that the key is removed
    std::optional<std::string> if_state;  // what was seen; null: nothing was there
    /// When a key expires that was not there, in milliseconds of the server's clock; null: never. One that is there
    /// keeps its TTL.
    std::optional<std::int64_t> expires_at_ms = {};
};

enum class WriteStatus { applied, already_applied, skipped, window_changed, refused, failed, unknown, not_attempted };
/// `applied`, `already-applied`, `skipped`, ... `not-attempted`, as rows print them.
std::string_view name_of(WriteStatus status);
/// Applied, now or before.
bool wrote(WriteStatus status);

}  // namespace ratectl::domain
