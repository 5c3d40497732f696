// Limiters that keep a window, or a bucket of tokens, in two keys: each is known by the other one.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "domain/identify/evidence.h"
#include "domain/identify/shape.h"
#include "domain/limiter.h"
#include "support/number_text.h"

namespace ratectl::domain::identify {
namespace {

using Type = HeldKey::Type;

constexpr double kFarthestEnd = 400 * 86'400.0;  // no window is longer
constexpr std::string_view kTimer = ":timer";

/// The two keys of a window, each null where it is not there.
struct Pair {
    std::string_view base;
    const HeldKey* counter = nullptr;
    const HeldKey* end = nullptr;
};

Pair pair_of(const Evidence& e, std::string_view suffix) {
    if (const auto* end = e.beside(e.name, suffix)) return {e.name, e.key.is_there() ? &e.key : nullptr, end};
    if (e.name.size() <= suffix.size() || !e.name.ends_with(suffix)) return {e.name, &e.key, nullptr};
    const auto base = e.name.substr(0, e.name.size() - suffix.size());
    return {base, e.beside(base, {}), &e.key};
}

/// When such a window would end, as its key says; null: that key says something else, so that this is no such pair.
std::optional<double> end_in(const Evidence& e, const Pair& pair) {
    if (pair.end == nullptr || pair.end->type != Type::string) return std::nullopt;
    const auto end = decimal_in(pair.end->value);
    const bool whole_digits = end && pair.end->value.find_first_not_of("0123456789.") == std::string::npos;
    if (!whole_digits || std::fabs(*end - static_cast<double>(e.now)) > kFarthestEnd) return std::nullopt;
    return end;
}

/// Whether both keys live until `after` ms (give or take `slack`) behind the end that is stored.
struct Lifetimes {
    double end = 0;
    std::int64_t after = 0;
    std::int64_t slack = 0;

    bool fit(const Evidence& e, const HeldKey& key) const {
        const auto expires = e.life_end_of(key);
        return expires && std::fabs(static_cast<double>(*expires - after) - end * 1000) <= static_cast<double>(slack);
    }
};

Sureness sureness_of(const Evidence& e, const Pair& pair, const Lifetimes& lives, bool counts) {
    if (!lives.fit(e, *pair.end)) return Sureness::unsure;
    return counts && lives.fit(e, *pair.counter) ? Sureness::certain : Sureness::likely;
}

Answer window_pair(const Evidence& e, const Pair& pair, const Lifetimes& lives) {
    std::optional<std::int64_t> used;
    if (pair.counter != nullptr && pair.counter->type == Type::string)
        used = support::parse_decimal(pair.counter->value);
    const auto sureness = sureness_of(e, pair, lives, used.has_value());
    auto origin = window_until(e, sureness, used, static_cast<std::int64_t>(lives.end), "stored");
    if (pair.counter == nullptr) origin.means += "; only the key of its end is there";
    if (pair.counter != nullptr && !used) origin.means += "; its counter holds no integer";
    return origin;
}

Answer github(const Evidence& e) {
    static const std::string suffix = Layout().expiry_suffix;
    const auto pair = pair_of(e, suffix);
    const auto end = end_in(e, pair);
    if (!end) return std::nullopt;
    auto answer = window_pair(e, pair, {*end, 1000, 100});
    if (auto key = template_of_client_at_end(pair.base); key && *answer->sureness == Sureness::certain)
        answer->policy = PolicyHint{.key = *key, .guessed = true};
    return answer;
}

Answer laravel(const Evidence& e) {
    const auto pair = pair_of(e, kTimer);
    const auto end = end_in(e, pair);
    if (!end) return std::nullopt;
    auto answer = window_pair(e, pair, {*end, 500, 1500});
    // Other programs keep the end of something in such a key, too, and let it expire then.
    const bool is_cache = pair.base.find("cache") != std::string_view::npos;
    if (*answer->sureness == Sureness::likely && !is_cache) answer->sureness = Sureness::unsure;
    // What the cache's prefix is called is the application's; the limiter's own key comes behind its colon.
    const auto colon = pair.base.find(':');
    const auto key = template_of({pair.base.substr(0, colon == std::string_view::npos ? 0 : colon + 1), kClient});
    if (key && *answer->sureness == Sureness::certain) answer->policy = PolicyHint{*key};
    return answer;
}

// ---- Stripe's bucket of tokens, and Spring Cloud Gateway's, which has its client in braces

constexpr std::string_view kBucket = "request_rate_limiter.";
constexpr std::string_view kTokens = ".tokens";
constexpr std::string_view kStamp = ".timestamp";

/// The client stands behind the route, where there is one.
std::optional<std::string> bucket_template(std::string_view client, bool braced) {
    if (!braced) return template_of({kBucket, kClient, kTokens});
    const auto inner = client.substr(1, client.size() - 2);
    const auto route = inner.substr(0, inner.rfind('.') == std::string_view::npos ? 0 : inner.rfind('.') + 1);
    return template_of({std::string(kBucket) + "{" + std::string(route), kClient, "}.tokens"});
}

Answer token_bucket(const Evidence& e, bool braced) {
    if (!e.name.starts_with(kBucket) || !e.is(Type::string)) return std::nullopt;
    const bool is_tokens = e.name.ends_with(kTokens);
    if (!is_tokens && !e.name.ends_with(kStamp)) return std::nullopt;
    const auto base = e.name.substr(0, e.name.size() - (is_tokens ? kTokens : kStamp).size());
    const auto client = base.size() > kBucket.size() ? base.substr(kBucket.size()) : std::string_view{};
    if (client.empty() || (client.starts_with('{') && client.ends_with('}')) != braced) return std::nullopt;
    const auto* other = e.beside(base, is_tokens ? kStamp : kTokens);
    const HeldKey* tokens = is_tokens ? &e.key : other;
    const HeldKey* stamp = is_tokens ? other : &e.key;
    const auto left = tokens != nullptr ? decimal_in(tokens->value) : std::nullopt;
    const auto at = stamp != nullptr ? epoch_in(stamp->value) : std::nullopt;
    Origin origin;
    if ((tokens != nullptr && !left) || (stamp != nullptr && !at)) {
        origin.sureness = Sureness::unsure;
        origin.means = "called like a bucket of tokens, and does not hold one";
        return origin;
    }
    const bool lives_alike =
        left && at && tokens->ttl_ms && stamp->ttl_ms && std::abs(*tokens->ttl_ms - *stamp->ttl_ms) <= 100;
    origin.sureness = lives_alike ? Sureness::certain : Sureness::likely;
    if (const auto key = bucket_template(client, braced)) origin.policy = PolicyHint{*key};
    if (!left || !at) {
        origin.means = "a part of a bucket of tokens whose other key is gone: the bucket counts as full";
        return origin;
    }
    origin.means = fmt::format("{} tokens were left at {}; how fast it fills and how much it holds is not stored",
                               plain(*left), moment(*at, e.now));
    return origin;
}

Answer stripe(const Evidence& e) { return token_bucket(e, false); }
Answer spring_gateway(const Evidence& e) { return token_bucket(e, true); }

constexpr std::array kPairRules{
    Rule{"github", github},
    Rule{"laravel", laravel},
    Rule{"spring-gateway", spring_gateway},
    Rule{"stripe", stripe},
};

}  // namespace

std::span<const Rule> pair_rules() { return kPairRules; }

}  // namespace ratectl::domain::identify
