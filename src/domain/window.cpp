// Judges a look at a window: which state it shows, and what a client has left.
#include "domain/window.h"

#include <algorithm>
#include <array>
#include <utility>

#include "support/decimal.h"

namespace ratectl::domain {

namespace {

using support::Instant;

constexpr std::array<std::pair<WindowState, std::string_view>, 9> kStateNames{{
    {WindowState::absent, "absent"},
    {WindowState::open, "open"},
    {WindowState::exhausted, "exhausted"},
    {WindowState::closed, "closed"},
    {WindowState::orphan_counter, "orphan-counter"},
    {WindowState::orphan_expiry, "orphan-expiry"},
    {WindowState::leaked, "leaked"},
    {WindowState::corrupt, "corrupt"},
    {WindowState::negative, "negative"},
}};

bool has_no_ttl(const HalfLook& half) { return half.value && half.ttl_ms == kNoTtl; }

/// Seconds beyond 2^53 - 1 are on no clock, and the limiter's own scripts could not tell them apart.
std::optional<Instant> reset_of(const HalfLook& half) {
    if (!half.value) return std::nullopt;
    const auto second = support::parse_unsigned(*half.value, support::kMaxExactInteger);
    return second ? std::optional{support::from_epoch(static_cast<std::int64_t>(*second))} : std::nullopt;
}

/// Both numbers of a look, each parsed once.
struct Numbers {
    std::optional<std::int64_t> used;
    std::optional<Instant> reset;
    bool corrupt = false;
};

Numbers numbers_of(const WindowLook& look) {
    Numbers numbers{counter_of(look.counter), reset_of(look.expiry), false};
    numbers.corrupt = has_wrong_type(look.counter) || has_wrong_type(look.expiry) ||
                      (look.counter.value && !numbers.used) || (look.expiry.value && !numbers.reset);
    return numbers;
}

/// What is left of `limit` after `used`; used may be any number.
std::int64_t remaining_of(std::int64_t limit, std::int64_t used) {
    if (limit <= 0 || used >= limit) return 0;
    return used <= 0 ? limit : limit - used;
}

WindowState state_of(const WindowLook& look, const Window& window, Instant now) {
    if (!window.used && !window.reset_at) return WindowState::absent;
    if (!window.reset_at) return WindowState::orphan_counter;
    if (!window.used) return WindowState::orphan_expiry;
    if (has_no_ttl(look.counter) || has_no_ttl(look.expiry)) return WindowState::leaked;
    if (*window.reset_at < now) return WindowState::closed;
    if (*window.used < 0) return WindowState::negative;
    return window.exhausted ? WindowState::exhausted : WindowState::open;
}

}  // namespace

std::string_view name_of(LookDepth depth) {
    if (depth == LookDepth::expiries) return "expiries";
    return depth == LookDepth::full ? "full" : "light";
}

std::string_view name_of(WindowState state) {
    const auto* found = std::find_if(kStateNames.begin(), kStateNames.end(),
                                     [state](const auto& entry) { return entry.first == state; });
    return found->second;
}

std::optional<WindowState> window_state_from(std::string_view name) {
    const auto* found = std::find_if(kStateNames.begin(), kStateNames.end(),
                                     [name](const auto& entry) { return entry.second == name; });
    return found == kStateNames.end() ? std::nullopt : std::optional{found->first};
}

bool is_there(const HalfLook& half) {
    if (half.value) return true;
    if (half.type) return *half.type != "none";
    return half.expires_at_ms || half.ttl_ms.value_or(kAbsent) != kAbsent;
}

bool is_absent(const WindowLook& look) { return !is_there(look.counter) && !is_there(look.expiry); }

bool has_wrong_type(const HalfLook& half) { return half.type && *half.type != "string" && *half.type != "none"; }

std::optional<std::int64_t> counter_of(const HalfLook& half) {
    return half.value ? support::parse_decimal(*half.value) : std::nullopt;
}

Window judge(const WindowLook& look, Instant now, std::optional<std::int64_t> limit) {
    Window window;
    window.limit = limit;
    const Numbers numbers = numbers_of(look);
    if (numbers.corrupt) {
        window.state = WindowState::corrupt;
        return window;
    }
    window.used = numbers.used;
    window.reset_at = numbers.reset;
    const bool counts = window.used && window.reset_at && *window.reset_at >= now;
    window.exhausted = counts && limit && *window.used >= *limit;
    window.state = state_of(look, window, now);
    if (limit) window.remaining = remaining_of(*limit, counts ? *window.used : 0);
    if (window.state == WindowState::closed) {
        window.used.reset();
        window.reset_at.reset();
    }
    return window;
}

std::optional<Instant> open_until(const WindowLook& look, Instant now) {
    const Numbers numbers = numbers_of(look);
    if (numbers.corrupt || !numbers.used) return std::nullopt;
    return numbers.reset && *numbers.reset >= now ? numbers.reset : std::nullopt;
}

}  // namespace ratectl::domain
