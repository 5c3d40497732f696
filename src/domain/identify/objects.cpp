// Limiters that store an object of their program, and those whose key holds nothing that can be counted.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "domain/identify/evidence.h"
#include "domain/identify/shape.h"
#include "domain/objects/stored_objects.h"
#include "domain/operation.h"
#include "support/time_text.h"

namespace ratectl::domain::identify {
namespace {

using Type = HeldKey::Type;

/// Our own records: what a write has done, for a while.
Answer ratectl(const Evidence& e) {
    if (!is_reserved_key(e.name)) return std::nullopt;
    Origin origin;
    origin.sureness = Sureness::certain;
    origin.means = "ratectl's own record of a write; `ratectl history --on-servers` reads it";
    return origin;
}

/// PHP names the class of an object, whichever way it is written.
Answer symfony(const Evidence& e) {
    constexpr std::string_view start = "cache.ratelimiter:";
    if (!e.is(Type::string) || e.value.find("Symfony\\Component\\RateLimiter\\") == std::string_view::npos)
        return std::nullopt;
    Origin origin;
    origin.sureness = Sureness::certain;
    using Kind = objects::SymfonyState::Kind;
    const auto state = objects::symfony_in(e.value);
    if (!state) {
        origin.means = "a limiter's state, as an object of PHP that ratectl does not read";
        return origin;
    }
    const auto at = static_cast<std::int64_t>(state->at);
    const auto period = support::format_duration(state->period);
    if (state->kind == Kind::token_bucket) {
        origin.means = fmt::format("{} of {} tokens were left at {}; {} more every {}", state->tokens, *state->size,
                                   moment(at, e.now), state->refill, period);
    } else if (state->kind == Kind::fixed_window) {
        origin.means =
            fmt::format("{} of {} used in the {} from {} on", state->hits, *state->size, period, moment(at, e.now));
        origin.used = state->hits;
    } else {
        origin.means = fmt::format(
            "{} in a sliding window of {} that ends at {}, and {} in the one before, which count in "
            "part",
            state->hits, period, moment(at, e.now), state->hits_before);
    }
    if (auto key = template_of({start, kClient}); e.name.starts_with(start) && key) origin.policy = PolicyHint{*key};
    return origin;
}

Answer bucket4j(const Evidence& e) {
    const auto bandwidths = e.is(Type::string) ? objects::bucket4j_in(e.value) : std::nullopt;
    if (!bandwidths) return std::nullopt;
    const auto& first = bandwidths->front();
    Origin origin;
    origin.sureness = Sureness::certain;
    origin.means = fmt::format("{} of {} tokens were left; {} more every {} ms", first.tokens, first.capacity,
                               first.refill, first.period_ns / 1'000'000);
    return origin;
}

/// One of n places, taken by a random word of 20 letters and digits; Laravel's prefix, as it comes, ends so.
Answer laravel_funnel(const Evidence& e) {
    constexpr std::size_t letters = 20;
    const auto is_letter = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    };
    if (!e.is(Type::string) || !e.expires() || e.value.size() != letters || e.name.empty()) return std::nullopt;
    if (!std::ranges::all_of(e.value, is_letter) || !is_digits(e.name.substr(e.name.size() - 1))) return std::nullopt;
    if (e.name.find("_database_") == std::string_view::npos) return std::nullopt;
    Origin origin;
    origin.sureness = Sureness::unsure;  // as a token of a session may look
    origin.means = fmt::format("a place that is taken, at the latest until {}", moment(e.expires_s(), e.now));
    return origin;
}

constexpr std::array kObjectRules{
    Rule{"ratectl", ratectl},
    Rule{"symfony", symfony},
    Rule{"bucket4j", bucket4j},
    Rule{"laravel-funnel", laravel_funnel},
};

}  // namespace

std::span<const Rule> object_rules() { return kObjectRules; }

}  // namespace ratectl::domain::identify
