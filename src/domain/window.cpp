// Names of states and depths, what every stored key says by itself, and looks judged by their limiters.
#include "domain/window.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "domain/limiter.h"
#include "support/number_text.h"

namespace ratectl::domain {

namespace {

using support::Instant;
using support::Moment;

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

constexpr std::size_t kNoPart = std::numeric_limits<std::size_t>::max();

/// Whether this holds of one of the keys that are the window.
template <class Test>
bool any_of_it(const WindowLook& look, Test test) {
    for (std::size_t i = 0; i < look.parts.size(); ++i) {
        if (test(look.parts[i]) && !(look.limiter != nullptr && look.limiter->parts()[i].kept)) return true;
    }
    return false;
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

bool is_there(const StoredKey& stored) {
    if (stored.value) return true;
    if (stored.type) return *stored.type != "none";
    return stored.expires_at_ms || stored.ttl_ms.value_or(kAbsent) != kAbsent;
}

bool has_wrong_type(const StoredKey& stored, std::string_view type) {
    return stored.type && *stored.type != type && *stored.type != "none";
}

bool never_expires(const StoredKey& stored) { return is_there(stored) && stored.ttl_ms == kNoTtl; }

std::optional<std::int64_t> expires_at(const StoredKey& stored, support::WallTime server_now) {
    if (stored.expires_at_ms || stored.ttl_ms.value_or(kNoTtl) < 0) return stored.expires_at_ms;
    return server_now.time_since_epoch().count() + *stored.ttl_ms;
}

std::optional<std::int64_t> integer_of(const StoredKey& stored) {
    return stored.value ? support::parse_decimal(*stored.value) : std::nullopt;
}

bool is_absent(const WindowLook& look) {
    return !any_of_it(look, [](const StoredKey& part) { return is_there(part); });
}

bool is_nothing(const WindowLook& look) {
    return std::ranges::none_of(look.parts, [](const StoredKey& part) { return is_there(part); });
}

bool lacks_a_value(const WindowLook& look) {
    return any_of_it(look, [](const StoredKey& part) { return !part.value; });
}

bool has_wrong_type(const WindowLook& look) {
    for (std::size_t i = 0; i < look.parts.size(); ++i) {
        if (has_wrong_type(look.parts[i], look.limiter == nullptr ? "string" : look.limiter->parts()[i].type))
            return true;
    }
    return false;
}

bool lacks_an_expiry(const WindowLook& look) {
    const auto& limiter = look.limiter->of(look.key);
    for (std::size_t i = 0; i < look.parts.size(); ++i) {
        if (never_expires(look.parts[i]) && !limiter.stays_for_good() && !limiter.parts()[i].kept) return true;
    }
    return false;
}

const StoredKey& stored_used(const WindowLook& look) {
    return part(look, look.limiter != nullptr ? look.limiter->used_part().value_or(kNoPart) : kNoPart);
}

const StoredKey& stored_reset(const WindowLook& look) {
    return part(look, look.limiter != nullptr ? look.limiter->reset_part().value_or(kNoPart) : kNoPart);
}

const StoredKey& first_key(const WindowLook& look) { return part(look, 0); }

std::optional<std::string> shown_used(const WindowLook& look, const Window& window) {
    const bool has_end =
        window.state != WindowState::corrupt && (window.state != WindowState::leaked || window.reset_at);
    if (has_end || look.limiter == nullptr || look.limiter->used_part()) return stored_used(look).value;
    return look.limiter->stored(look, kWhenever).state;
}

bool is_in(const Window& window, std::span<const WindowState> states) {
    return std::ranges::any_of(states, [&window](WindowState state) {
        return window.state == state || (state == WindowState::exhausted && window.exhausted && !window.reset_at);
    });
}

bool counts_at(const Window& window, support::Moment now) {
    return window.used && (window.reset_at ? *window.reset_at >= now : window.state == WindowState::leaked);
}

bool is_use_unknown(const Window& window) { return window.state == WindowState::open && !window.used; }

std::int64_t remaining_of(std::int64_t limit, std::int64_t used) {
    if (limit <= 0 || used >= limit) return 0;
    return used <= 0 ? limit : limit - used;
}

std::int64_t most_let_through(const WindowLook& look, std::int64_t limit) {
    return look.limiter != nullptr ? look.limiter->of(look.key).most_let_through(limit) : limit;
}

Window judge(const WindowLook& look, Moment now, std::optional<std::int64_t> limit) {
    if (look.limiter != nullptr) return look.limiter->judge(look, now, limit);
    Window nothing;
    nothing.limit = limit;
    if (limit) nothing.remaining = remaining_of(*limit, 0);
    return nothing;
}

std::optional<Instant> open_until(const WindowLook& look, Moment now) {
    return look.limiter != nullptr ? look.limiter->open_until(look, now) : std::nullopt;
}

}  // namespace ratectl::domain
