// The limiter's arithmetic on one window in memory.
#include "domain/limiter_model.h"

#include <algorithm>
#include <string>

#include "domain/write.h"
#include "support/number_text.h"

namespace ratectl::domain {

namespace {

using Stored = std::optional<ModelWindow>;

bool is_exact(std::int64_t n) { return n >= -support::kMaxExactInteger && n <= support::kMaxExactInteger; }

ModelAnswer refused(ModelRefusal why, const Stored& window) { return {why, window, window, 0}; }

}  // namespace

Stored model_of(const StoredWindow& stored) {
    const auto used = support::parse_decimal(stored.used.value_or(""));
    const auto reset_at = support::parse_decimal(stored.reset_at.value_or(""));
    if (!used || !reset_at) return std::nullopt;
    return ModelWindow{*used, support::from_epoch(*reset_at)};
}

Stored model_of(const WindowLook& look, support::Moment now) { return model_of(stored_window(look, now)); }

StoredWindow stored_of(const Stored& window) {
    if (!window) return {};
    return {std::to_string(window->used), std::to_string(support::epoch_seconds(window->reset_at)), {}};
}

Stored check(const Stored& window, support::Instant now) {
    return window && window->reset_at >= now ? window : std::nullopt;
}

ModelAnswer rate(Stored& window, std::int64_t amount, support::Instant next_reset, support::Instant now,
                 std::int64_t carried_over) {
    const ModelWindow base = check(window, now).value_or(ModelWindow{carried_over, next_reset});
    // Both inside 2^53, so their sum is inside int64.
    if (!is_exact(amount) || !is_exact(base.used) || !is_exact(base.used + amount)) {
        return refused(ModelRefusal::overflow, window);
    }
    const Stored before = window;
    window = ModelWindow{base.used + amount, base.reset_at};
    return {ModelRefusal::none, before, window, 0};
}

ModelAnswer refund(Stored& window, std::int64_t amount, support::Instant if_reset, bool clamp, support::Instant now,
                   std::int64_t lowest) {
    if (!check(window, now)) return refused(ModelRefusal::no_window, window);
    if (window->reset_at != if_reset) return refused(ModelRefusal::window_changed, window);
    if (amount < 0 || !is_exact(amount)) return refused(ModelRefusal::overflow, window);
    const std::int64_t most = std::max<std::int64_t>(window->used - lowest, 0);
    if (most < amount && !clamp) return refused(ModelRefusal::below_zero, window);
    const Stored before = window;
    const std::int64_t taken = std::min(amount, most);
    window->used -= taken;
    return {ModelRefusal::none, before, window, taken};
}

ModelAnswer reset(Stored& window, std::optional<support::Instant> if_reset,
                  std::optional<std::int64_t> if_used_at_least) {
    if (!window) return refused(ModelRefusal::no_window, window);
    if (if_reset && window->reset_at != *if_reset) return refused(ModelRefusal::window_changed, window);
    if (if_used_at_least && window->used < *if_used_at_least) return refused(ModelRefusal::used_too_low, window);
    const Stored before = window;
    window.reset();
    return {ModelRefusal::none, before, window, 0};
}

}  // namespace ratectl::domain
