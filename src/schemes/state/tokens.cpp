// What a policy says of a bucket of tokens.
#include "schemes/state/tokens.h"

#include <cmath>

#include "schemes/write_call.h"
#include "support/number_text.h"

namespace ratectl::schemes::tokens {

std::optional<double> number_in(std::string_view text) {
    const auto number = state::fraction_in(text);
    const bool exact = number && std::fabs(*number) <= static_cast<double>(support::kMaxExactInteger);
    return exact ? number : std::nullopt;
}

std::int64_t TokensScheme::most_let_through(std::int64_t limit) const {
    return limit > 0 && policy() != nullptr ? policy()->burst.value_or(limit) : limit;
}

std::optional<TokensScheme::Refill> TokensScheme::refill(std::optional<std::int64_t> limit) const {
    const auto span = period();
    if (!limit || *limit <= 0 || !span || !policy()->burst) return std::nullopt;
    return Refill{static_cast<double>(*limit), static_cast<double>(span->count()),
                  static_cast<double>(most_let_through(*limit))};
}

bool TokensScheme::is_countable(std::int64_t limit) const { return refill(limit).has_value(); }

state::Meaning TokensScheme::unmeasured(const domain::WindowLook& look, std::int64_t now_ns) {
    const auto expires = look.parts.front().expires_at_ms;
    return {.used = {}, .counts = true, .end_ns = expires ? *expires * state::kMillisecondNs : now_ns};
}

std::vector<std::string> TokensScheme::terms(const std::string& key) const {
    const auto span = period();
    return {number(limit_of(key)), span ? std::to_string(span->count()) : std::string(),
            number(policy() != nullptr ? policy()->burst : std::nullopt)};
}

}  // namespace ratectl::schemes::tokens
