// A rate-limit window: what one atomic look found under its keys, and what that means at a given second.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/time.h"

namespace ratectl::domain {

/// How much one look asked (see help semantics): light is MGET of all its keys; full adds type and TTL of each.
/// expiries is for sweeps in search of suspects: the light look, and when each key expires, asked right behind it and
/// so not in one atomic unit.
enum class LookDepth { light, expiries, full };
std::string_view name_of(LookDepth depth);

/// What PTTL says of a key that never expires, and of one that is not there.
inline constexpr std::int64_t kNoTtl = -1;
inline constexpr std::int64_t kAbsent = -2;

/// One stored key as a server reported it. Unasked facts stay null.
struct StoredKey {
    /// The bytes; of what is no string its elements, packed as schemes/typed_keys_scheme.h says. Null when absent or of
    /// another type.
    std::optional<std::string> value;
    std::optional<std::string> type;            // full look only: "string", "none", "list" ...
    std::optional<std::int64_t> ttl_ms;         // full look: PTTL; of an expiries look only kNoTtl and kAbsent
    std::optional<std::int64_t> expires_at_ms;  // full look on Redis >= 7, and expiries: PEXPIRETIME, when there is one

    bool operator==(const StoredKey&) const = default;
};

/// Something is stored there, of whatever type, as far as the look asked.
bool is_there(const StoredKey& stored);

/// Something is stored there, and it is not of this type, as far as the look asked.
bool has_wrong_type(const StoredKey& stored, std::string_view type = "string");

/// It holds something, and nothing will ever remove it.
bool never_expires(const StoredKey& stored);

/// When it expires by the server's clock, which is `server_now`; null: never, there is nothing, or it was not asked.
std::optional<std::int64_t> expires_at(const StoredKey& stored, support::WallTime server_now);

/// The integer that it holds; null: nothing, or something else.
std::optional<std::int64_t> integer_of(const StoredKey& stored);

class Limiter;
struct Window;

/// All stored keys of one window, from one atomic look at one node.
struct WindowLook {
    std::string key;
    LookDepth depth = LookDepth::light;
    const Limiter* limiter = nullptr;  // what the parts mean; outlives the look. Null: nothing has been looked at
    std::vector<StoredKey> parts;      // in the order of the limiter's parts
    /// The server's clock then, in ms since the epoch: of limiters that go by it; null of others.
    std::optional<std::int64_t> server_ms = {};

    bool operator==(const WindowLook&) const = default;
};

/// None of its keys is there, of whatever type.
bool is_absent(const WindowLook& look);
/// Nor anything beside it that says how it is counted.
bool is_nothing(const WindowLook& look);
/// One of its keys shows no value: a light look cannot tell whether nothing is there.
bool lacks_a_value(const WindowLook& look);
/// One of its keys is not of the type that its limiter gives it, as far as the look asked.
bool has_wrong_type(const WindowLook& look);
/// A key is there that never expires, where its limiter gives it an end.
bool lacks_an_expiry(const WindowLook& look);
/// The key that holds how many are used, and the one that holds when the window ends; an empty one where the limiter
/// stores none.
const StoredKey& stored_used(const WindowLook& look);
const StoredKey& stored_reset(const WindowLook& look);
/// The key that says where a window lives; an empty one where nothing has been looked at.
const StoredKey& first_key(const WindowLook& look);
/// One of its keys; an empty one where the look has no such part.
inline const StoredKey& part(const WindowLook& look, std::size_t number) {
    static constinit const StoredKey nothing{};
    return number < look.parts.size() ? look.parts[number] : nothing;
}
/// What a row shows as the first of them, by which it can be told whether it is still that: of a limiter that stores no
/// such number, what is corrupt, or never ends.
std::optional<std::string> shown_used(const WindowLook& look, const Window& window);

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
    double part_left = 0;                   // of one more, of limiters whose requests come back bit by bit: less than 1
    /// Of one that is exhausted: when the next request passes, where that is not the second behind reset_at.
    std::optional<support::Instant> passes_at = {};
    bool exhausted = false;  // it counts at `now`, and its limiter refuses, whatever other fault the state names

    bool operator==(const Window&) const = default;
};

/// It is in one of these states. A counter that nothing ends is in `exhausted`, too, where its limiter refuses for
/// good: `leaked` does not tell that.
bool is_in(const Window& window, std::span<const WindowState> states);

using support::kWhenever;

/// What is used counts against the limit at `now`; what nothing ever ends (leaked, without a reset) always does.
bool counts_at(const Window& window, support::Moment now);

/// Something is used, and nothing says how much: limit and period are not known.
bool is_use_unknown(const Window& window);

/// Total over any look, as its limiter has it. State precedence: corrupt, absent, orphan-*, leaked, closed, negative,
/// exhausted, open. used is `closed`'s only in the look itself. A light look cannot say leaked or wrong type.
Window judge(const WindowLook& look, support::Moment now, std::optional<std::int64_t> limit);

/// Whether this holds of one part of `a` and the same part of `b`.
template <class Test>
bool any_pair(const WindowLook& a, const WindowLook& b, Test test) {
    for (std::size_t i = 0; i < a.parts.size() && i < b.parts.size(); ++i) {
        if (test(a.parts[i], b.parts[i])) return true;
    }
    return false;
}

/// How many requests its limiter lets through in a window with this limit.
std::int64_t most_let_through(const WindowLook& look, std::int64_t limit);

/// What is left of `limit` after `used`, which may be any number.
std::int64_t remaining_of(std::int64_t limit, std::int64_t used);

/// The end of the window if the look holds one that is open at `now` (corrupt or orphaned: none).
std::optional<support::Instant> open_until(const WindowLook& look, support::Moment now);

}  // namespace ratectl::domain
