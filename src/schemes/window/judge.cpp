// Judges a look at a window: which state it shows, and what a client has left.
#include <fmt/format.h>

#include "schemes/window/window_scheme.h"
#include "support/number_text.h"
#include "support/time_text.h"

namespace ratectl::schemes::window {
namespace {

using domain::integer_of;
using domain::StoredKey;
using domain::Window;
using domain::WindowLook;
using domain::WindowState;
using support::Instant;
using support::Moment;

bool has_no_ttl(const StoredKey& stored) { return stored.value && stored.ttl_ms == domain::kNoTtl; }

/// Both halves of a look, and their numbers, each parsed once.
struct Numbers {
    const StoredKey& counter;
    const StoredKey& expiry;
    std::optional<std::int64_t> used = integer_of(counter);
    std::optional<Instant> reset = end_of(expiry);
    bool corrupt = false;
};

Numbers numbers_of(const WindowLook& look) {
    Numbers numbers{part(look, kCounter), part(look, kExpiry)};
    numbers.corrupt = has_wrong_type(numbers.counter) || has_wrong_type(numbers.expiry) ||
                      (numbers.counter.value && !numbers.used) || (numbers.expiry.value && !numbers.reset);
    return numbers;
}

std::int64_t carried(const Numbers& numbers, std::optional<std::int64_t> limit) {
    return numbers.used && !numbers.reset && (!limit || *numbers.used < *limit) ? *numbers.used : 0;
}

WindowState state_of(const Numbers& numbers, const Window& window, Moment now) {
    if (!window.used && !window.reset_at) return WindowState::absent;
    if (!window.reset_at) return WindowState::orphan_counter;
    if (!window.used) return WindowState::orphan_expiry;
    if (has_no_ttl(numbers.counter) || has_no_ttl(numbers.expiry)) return WindowState::leaked;
    if (*window.reset_at < now) return WindowState::closed;
    if (*window.used < 0) return WindowState::negative;
    return window.exhausted ? WindowState::exhausted : WindowState::open;
}

std::string end_words(const StoredKey& expiry) {
    const auto end = end_of(expiry);
    return end ? support::format_time(*end) : std::string();
}

}  // namespace

// Seconds beyond 2^53 - 1 are on no clock, and the limiter's own scripts could not tell them apart.
std::optional<Instant> end_of(const StoredKey& expiry) {
    if (!expiry.value) return std::nullopt;
    const auto second = support::parse_unsigned(*expiry.value, support::kMaxExactInteger);
    return second ? std::optional{support::from_epoch(static_cast<std::int64_t>(*second))} : std::nullopt;
}

std::int64_t right_expiry_ms(Instant end) { return (support::epoch_seconds(end) + 1) * 1000; }

Window WindowScheme::judge(const WindowLook& look, Moment now, std::optional<std::int64_t> limit) const {
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
    window.state = state_of(numbers, window, now);
    const std::int64_t before = carries_over_ ? carried(numbers, limit) : 0;
    if (limit) window.remaining = domain::remaining_of(*limit, counts ? *window.used : before);
    if (window.state == WindowState::closed) {
        window.used.reset();
        window.reset_at.reset();
    }
    return window;
}

std::int64_t WindowScheme::carried_over(const WindowLook& look, std::optional<std::int64_t> limit) const {
    if (!carries_over_) return 0;
    const Numbers numbers = numbers_of(look);
    return numbers.corrupt ? 0 : carried(numbers, limit);
}

std::optional<Instant> WindowScheme::open_until(const WindowLook& look, Moment now) const {
    const Numbers numbers = numbers_of(look);
    if (numbers.corrupt || !numbers.used) return std::nullopt;
    return numbers.reset && *numbers.reset >= now ? numbers.reset : std::nullopt;
}

std::string WindowScheme::corruption(const WindowLook& look) const {
    const auto& counter = stored_used(look);
    const auto& expiry = stored_reset(look);
    if (has_wrong_type(counter)) return "the counter's type is " + *counter.type;
    if (has_wrong_type(expiry)) return "the expiry's type is " + *expiry.type;
    if (counter.value && !integer_of(counter)) return "the counter is not an integer";
    return expiry.value && !end_of(expiry) ? "the reset time is not an epoch second" : "";
}

std::string WindowScheme::words_of(const WindowLook& look, Moment now) const {
    const Window window = judge(look, now, std::nullopt);
    switch (window.state) {
        case WindowState::absent: return "no window";
        case WindowState::corrupt: return "a value that is not a window";
        case WindowState::orphan_counter: return fmt::format("a counter of {} without an expiry half", *window.used);
        case WindowState::orphan_expiry:
            return fmt::format("an expiry half ({}) without a counter", end_words(stored_reset(look)));
        default: break;
    }
    const bool open = open_until(look, now).has_value();
    return fmt::format("{} used {} {}", stored_used(look).value.value_or("?"),
                       open ? "until" : "in a window that ended at", end_words(stored_reset(look)));
}

}  // namespace ratectl::schemes::window
