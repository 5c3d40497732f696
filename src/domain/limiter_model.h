// The limiter's arithmetic without Redis: what RATE, REFUND, RESET and CHECK do to one window. `replay -n` counts with
// it, and the tests hold the Lua scripts against it on random states.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "support/time.h"

namespace ratectl::domain {

/// A healthy window in memory; absent is std::nullopt of this.
struct ModelWindow {
    std::int64_t used = 0;
    support::Instant reset_at{};

    bool operator==(const ModelWindow&) const = default;
};

struct StoredWindow;
struct WindowLook;
/// What is stored, in numbers; null where one is missing or no integer.
std::optional<ModelWindow> model_of(const StoredWindow& stored);
std::optional<ModelWindow> model_of(const WindowLook& look, support::Moment now = support::kWhenever);
/// As it would be stored, without expiries.
StoredWindow stored_of(const std::optional<ModelWindow>& window);

enum class ModelRefusal { none, no_window, window_changed, below_zero, overflow, used_too_low };

struct ModelAnswer {
    ModelRefusal refusal = ModelRefusal::none;
    std::optional<ModelWindow> before;
    std::optional<ModelWindow> after;
    std::int64_t taken = 0;  // refund: what was given back (less than asked only with clamp)
};

/// CHECK: the window if it is open at `now`.
std::optional<ModelWindow> check(const std::optional<ModelWindow>& window, support::Instant now);
/// RATE: opens [.., next_reset] with what is carried over when absent or closed, then adds amount. Refuses |result| >
/// 2^53-1.
ModelAnswer rate(std::optional<ModelWindow>& window, std::int64_t amount, support::Instant next_reset,
                 support::Instant now, std::int64_t carried_over = 0);
/// REFUND inside the window that ends at if_reset. Never opens, never below `lowest` (refuses, or takes what is there
/// with clamp).
ModelAnswer refund(std::optional<ModelWindow>& window, std::int64_t amount, support::Instant if_reset, bool clamp,
                   support::Instant now, std::int64_t lowest = 0);
/// RESET, guarded when the optionals are set.
ModelAnswer reset(std::optional<ModelWindow>& window, std::optional<support::Instant> if_reset,
                  std::optional<std::int64_t> if_used_at_least);

}  // namespace ratectl::domain
