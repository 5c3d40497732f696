// A bucket of tokens in one hash under K: `tokens` were there, and `refilledAt` is the millisecond up to which it has
// been filled. At the end of every whole `period` from there `limit` of them come back at once, until it is full.
// Source: the limiter that is named in schemes/book.cpp.
#include "schemes/state/limiters.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "schemes/packed.h"
#include "schemes/state/tokens.h"

namespace ratectl::schemes::steps {

/// Embedded from lua/state/ at build, behind steps.lua.
extern const Scripts kScripts;

namespace {

class StepsScheme final : public tokens::TokensScheme {
public:
    explicit StepsScheme(const domain::Policy* policy);

    std::string_view layout() const override { return "bucket filled in steps"; }
    std::span<const Part> parts() const override;
    std::optional<support::Instant> next_end(std::string_view key, support::Moment now,
                                             std::optional<support::Seconds> period) const override;

private:
    Keys keys_after(const domain::WindowLook& look, support::Moment now, std::int64_t requests) const override;
    std::optional<state::Meaning> meaning(const domain::WindowLook& look, const Texts& texts, std::int64_t now_ns,
                                          std::optional<std::int64_t> limit) const override;
    bool is_later(const domain::WindowLook& look, const domain::WindowLook& then,
                  const domain::StoredWindow& was) const override;
};

using support::Instant;
using support::Moment;

constexpr double kMostMs = 9e12;  // more nanoseconds than that are none of 64 bits

struct Held {
    double at_ms = 0;
    double tokens = 0;
};

std::optional<Held> held_in(std::string_view text) {
    const auto texts = fields_of(text, 2);
    if (!texts || !texts->front() || !texts->back()) return std::nullopt;
    const auto at = tokens::number_in(*texts->front());
    const auto tokens = tokens::number_in(*texts->back());
    return at && tokens && std::fabs(*at) <= kMostMs ? std::optional{Held{*at, *tokens}} : std::nullopt;
}

std::int64_t milliseconds(double ms) { return static_cast<std::int64_t>(std::clamp(std::ceil(ms), -kMostMs, kMostMs)); }

}  // namespace

StepsScheme::StepsScheme(const domain::Policy* policy) : TokensScheme(kScripts, state::Clock::application, policy) {}

std::span<const domain::Limiter::Part> StepsScheme::parts() const {
    static constexpr std::array<std::string_view, 2> fields{"refilledAt", "tokens"};
    static constexpr std::array<Part, 1> all{{{"bucket", "buckets", "hash", fields}}};
    return all;
}

std::optional<state::Meaning> StepsScheme::meaning(const domain::WindowLook& look, const Texts& texts,
                                                   std::int64_t now_ns, std::optional<std::int64_t> limit) const {
    const auto held = held_in(*texts.front());
    if (!held) return std::nullopt;
    const auto refilled = refill(limit);
    if (!refilled) return unmeasured(look, now_ns);
    const auto& [each, seconds, capacity] = *refilled;
    const double step = seconds * 1000;
    const std::int64_t now_ms = now_ns / state::kMillisecondNs;
    const auto now = static_cast<double>(now_ms);
    const double steps = std::max(0.0, std::floor((now - held->at_ms) / step));
    const double filled = std::min(capacity, held->tokens + steps * each);
    const auto has = [&, each = each](double tokens) {
        return milliseconds(held->at_ms + std::ceil((tokens - held->tokens) / each) * step) * state::kMillisecondNs;
    };
    return state::Meaning{.used = static_cast<std::int64_t>(capacity - std::floor(filled)),
                          .part_left = filled - std::floor(filled),
                          .counts = filled < capacity,
                          .end_ns = has(capacity),
                          .passes_ns = has(1)};
}

bool StepsScheme::is_later(const domain::WindowLook& look, const domain::WindowLook& then,
                           const domain::StoredWindow& /*was*/) const {
    const auto refilled = refill(limit_of(look.key));
    const auto now = held_in(look.parts.front().value.value_or(""));
    const auto before = held_in(then.parts.front().value.value_or(""));
    if (!refilled || !now || !before) return false;
    const double steps = (now->at_ms - before->at_ms) / (refilled->seconds * 1000);
    return steps == std::floor(steps) && steps * refilled->tokens >= now->tokens - before->tokens;
}

// After one request.
std::optional<Instant> StepsScheme::next_end(std::string_view key, Moment now,
                                             std::optional<support::Seconds> /*period*/) const {
    return refill(limit_of(key)) ? std::optional{now + *period()} : std::nullopt;
}

state::StateScheme::Keys StepsScheme::keys_after(const domain::WindowLook& look, Moment now,
                                                 std::int64_t requests) const {
    const auto refilled = refill(limit_of(look.key));
    if (!refilled) return {};
    const std::int64_t now_ms = now_ns(look, now) / state::kMillisecondNs;
    const auto filled = [&](Held held) {
        const double step_ms = refilled->seconds * 1000;
        const double steps = std::max(0.0, std::floor((static_cast<double>(now_ms) - held.at_ms) / step_ms));
        return Held{held.at_ms + steps * step_ms, std::min(refilled->capacity, held.tokens + steps * refilled->tokens)};
    };
    auto held =
        held_in(look.parts.front().value.value_or("")).value_or(Held{static_cast<double>(now_ms), refilled->capacity});
    // What is given back is put beside what there was, before time has brought more.
    if (requests > 0) held = filled(held);
    held.tokens -= static_cast<double>(requests);
    if (filled(held).tokens >= refilled->capacity) return {};
    return {{packed({state::fraction_text(held.at_ms), state::fraction_text(held.tokens)}), {}, {}, {}}};
}

Made make(const domain::Policy* policy) { return std::make_unique<StepsScheme>(policy); }

}  // namespace ratectl::schemes::steps
