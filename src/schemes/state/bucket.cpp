// A bucket of tokens in two strings: K (`x.tokens`) has how many there were, and `x.timestamp` beside it the second of
// the last request. So many a second come back until the bucket is full. Source: limiters that are named in
// schemes/book.cpp.
#include "schemes/state/limiters.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "schemes/state/tokens.h"
#include "schemes/write_call.h"

namespace ratectl::schemes::bucket {

/// Embedded from lua/state/ at build, behind bucket.lua.
extern const Scripts kScripts;

namespace {

class BucketScheme final : public tokens::TokensScheme {
public:
    BucketScheme(state::Clock clock, const domain::Policy* policy);

    std::string_view layout() const override { return "bucket"; }
    std::span<const Part> parts() const override;
    std::string part_key(std::string_view key, std::size_t part) const override;
    std::string part_glob(std::string_view glob, std::size_t part) const override { return part_key(glob, part); }
    std::optional<PartOf> part_of(std::string_view stored) const override;
    std::optional<Scanned> scanned_as(std::string_view name) const override;
    std::optional<support::Instant> next_end(std::string_view key, support::Moment now,
                                             std::optional<support::Seconds> period) const override;

private:
    Keys keys_after(const domain::WindowLook& look, support::Moment now, std::int64_t requests) const override;
    std::optional<state::Meaning> meaning(const domain::WindowLook& look, const Texts& texts, std::int64_t now_ns,
                                          std::optional<std::int64_t> limit) const override;
    bool is_later(const domain::WindowLook& look, const domain::WindowLook& then,
                  const domain::StoredWindow& was) const override;
};

using state::kSecondNs;
using support::Instant;
using support::Moment;

constexpr double kTokenNoise = 1e-3;  // of a token: what fractions may be off
constexpr std::string_view kTokens = ".tokens";
constexpr std::string_view kTimestamp = ".timestamp";

}  // namespace

BucketScheme::BucketScheme(state::Clock clock, const domain::Policy* policy) : TokensScheme(kScripts, clock, policy) {}

std::span<const domain::Limiter::Part> BucketScheme::parts() const {
    static constexpr std::array<Part, 2> all{{{"bucket", "buckets"}, {"timestamp", "timestamps"}}};
    return all;
}

std::string BucketScheme::part_key(std::string_view key, std::size_t part) const {
    if (part == 0) return std::string(key);
    if (key.ends_with(kTokens)) key.remove_suffix(kTokens.size());
    return std::string(key).append(kTimestamp);
}

std::optional<domain::Limiter::PartOf> BucketScheme::part_of(std::string_view stored) const {
    if (!stored.ends_with(kTimestamp)) return std::nullopt;
    return PartOf{stored.substr(0, stored.size() - kTimestamp.size()), 1, kTokens, false};
}

std::optional<Scheme::Scanned> BucketScheme::scanned_as(std::string_view name) const {
    return name.ends_with(kTokens) ? TypedKeysScheme::scanned_as(name) : std::nullopt;
}

std::optional<state::Meaning> BucketScheme::meaning(const domain::WindowLook& look, const Texts& texts,
                                                    std::int64_t now_ns, std::optional<std::int64_t> limit) const {
    if (!texts[0] || !texts[1]) return state::Meaning{.used = 0, .end_ns = now_ns};  // as good as none: it is full
    const auto tokens = tokens::number_in(*texts[0]);
    const auto at = tokens::number_in(*texts[1]);
    if (!tokens || !at) return std::nullopt;
    const auto refilled = refill(limit);
    if (!refilled) return unmeasured(look, now_ns);
    const double capacity = refilled->capacity;
    const double each = refilled->a_second();
    const std::int64_t second = now_ns / kSecondNs;
    const auto now = static_cast<double>(second);
    const double filled = std::min(capacity, *tokens + std::max(0.0, now - *at) * each);
    const double whole = std::floor(filled);
    state::Meaning meant{.used = static_cast<std::int64_t>(capacity - whole),
                         .part_left = filled - whole,
                         .counts = filled < capacity,
                         .end_ns = state::whole_up(*at + (capacity - *tokens) / each) * kSecondNs};
    meant.passes_ns = state::whole_up(*at + (1 - *tokens) / each) * kSecondNs;
    return meant;
}

bool BucketScheme::is_later(const domain::WindowLook& look, const domain::WindowLook& then,
                            const domain::StoredWindow& /*was*/) const {
    const auto refilled = refill(limit_of(look.key));
    if (!refilled) return false;
    const auto taken = [&refilled](const domain::WindowLook& of) {
        const auto tokens = tokens::number_in(of.parts[0].value.value_or(""));
        const auto at = tokens::number_in(of.parts[1].value.value_or(""));
        return at.value_or(0) * refilled->a_second() - tokens.value_or(refilled->capacity);
    };
    const double more = taken(look) - taken(then);
    return more > -kTokenNoise && std::fabs(more - std::floor(more + 0.5)) < kTokenNoise;
}

// After one request.
std::optional<Instant> BucketScheme::next_end(std::string_view key, Moment now,
                                              std::optional<support::Seconds> /*period*/) const {
    const auto refilled = refill(limit_of(key));
    return refilled ? std::optional{now + support::Seconds(state::whole_up(1 / refilled->a_second()))} : std::nullopt;
}

state::StateScheme::Keys BucketScheme::keys_after(const domain::WindowLook& look, Moment now,
                                                  std::int64_t requests) const {
    const auto refilled = refill(limit_of(look.key));
    if (!refilled) return {};
    const std::int64_t second = now_ns(look, now) / kSecondNs;
    const auto now_s = static_cast<double>(second);
    const auto stored = tokens::number_in(look.parts[0].value.value_or(""));
    const auto stored_at = tokens::number_in(look.parts[1].value.value_or(""));
    double tokens = stored && stored_at ? *stored : refilled->capacity;
    double at = stored_at.value_or(now_s);
    const auto filled = [&] {
        return std::min(refilled->capacity, tokens + std::max(0.0, now_s - at) * refilled->a_second());
    };
    // What is given back is put beside what there was, before time has brought more.
    if (requests > 0) {
        tokens = filled();
        at = now_s;
    }
    tokens -= static_cast<double>(requests);
    if (filled() >= refilled->capacity) return {};
    return {{state::fraction_text(tokens), {}, {}, {}}, {state::fraction_text(at), {}, {}, {}}};
}

Made make(state::Clock clock, const domain::Policy* policy) { return std::make_unique<BucketScheme>(clock, policy); }

}  // namespace ratectl::schemes::bucket
