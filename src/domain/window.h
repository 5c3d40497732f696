// A rate-limit window: what one atomic look found under K and its expiry half, and what that means at a given second.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "support/time.h"

namespace ratectl::domain {

/// How much one look asked (see help semantics): light is MGET of both halves; full adds type and TTL of each. expiries is for sweeps in
/// search of suspects: the light look, and when each half expires, asked right behind it and so not in one atomic unit.
enum class LookDepth { light, expiries, full };
std::string_view name_of(LookDepth depth);

/// What PTTL says of a key that never expires, and of one that is not there.
inline constexpr std::int64_t kNoTtl = -1;
inline constexpr std::int64_t kAbsent = -2;

/// One of the two strings of a window as a server reported it. Unasked facts stay null.
struct HalfLook {
    std::optional<std::string> value;           // the bytes; null when absent or of another type
    std::optional<std::string> type;            // full look only: "string", "none", "list" ...
    std::optional<std::int64_t> ttl_ms;         // full look: PTTL; of an expiries look only kNoTtl and kAbsent
    std::optional<std::int64_t> expires_at_ms;  // full look on Redis >= 7, and expiries: PEXPIRETIME, when there is one

    bool operator==(const HalfLook&) const = default;
};

/// Something is stored there, of whatever type, as far as the look asked.
bool is_there(const HalfLook& half);

/// Something is stored there, and it is not a string, as far as the look asked.
bool has_wrong_type(const HalfLook& half);

/// The integer that a counter holds; null: nothing, or something else.
std::optional<std::int64_t> counter_of(const HalfLook& half);

/// Both halves of one key, from one atomic look at one node.
struct WindowLook {
    std::string key;
    LookDepth depth = LookDepth::light;
    HalfLook counter;
    HalfLook expiry;

    bool operator==(const WindowLook&) const = default;
};

/// Neither half is there, of whatever type.
bool is_absent(const WindowLook& look);

enum class WindowState { absent, open, exhausted, closed, orphan_counter, orphan_expiry, leaked, corrupt, negative };
/// `absent`, `open`, ..., `orphan-counter`; the words of output and of --state.
std::string_view name_of(WindowState state);
std::optional<WindowState> window_state_from(std::string_view name);

/// A look judged at `now` against a limit. One row of output is one Window: it never mixes two looks.
struct Window {
    WindowState state = WindowState::absent;
    std::optional<std::int64_t> used;  // as stored, while the window counts (never for absent, closed or corrupt)
    std::optional<support::Instant> reset_at;  // as stored, likewise
    std::optional<std::int64_t> limit;
    std::optional<std::int64_t> remaining;  // clamp(limit - used, 0, limit); limit when absent or closed
    bool exhausted = false;                 // open at `now` and used >= limit, whatever other fault the state names

    bool operator==(const Window&) const = default;
};

/// Total over any look. State precedence: corrupt, absent, orphan-*, leaked, closed, negative, exhausted, open.
/// Open while reset >= now; used is `closed`'s only in the look itself. A light look cannot say leaked or wrong type.
Window judge(const WindowLook& look, support::Instant now, std::optional<std::int64_t> limit);

/// The end of the window if the look holds one that is open at `now` (corrupt or orphaned: none).
std::optional<support::Instant> open_until(const WindowLook& look, support::Instant now);

}  // namespace ratectl::domain
