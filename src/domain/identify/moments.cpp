// Limiters that store one moment alone, at which all that was used is free again (GCRA's theoretical arrival time):
// their units, their epochs, and how their keys end tell them apart.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "domain/identify/evidence.h"
#include "domain/identify/shape.h"

namespace ratectl::domain::identify {
namespace {

using Type = HeldKey::Type;

constexpr std::int64_t kDayMs = 86'400'000;
constexpr std::int64_t kRoundedUp = 1100;  // a life in whole seconds ends up to so many ms beside the moment

/// The moment in ms, if it is near the server's clock.
std::optional<double> near_now(const Evidence& e, double at_ms) {
    const double ahead = at_ms - static_cast<double>(e.now_ms);
    if (ahead < -2.0 * kRoundedUp || ahead > 400.0 * kDayMs) return std::nullopt;
    return at_ms;
}

Origin free_at(const Evidence& e, Sureness sureness, double at_ms) {
    Origin origin;
    origin.sureness = sureness;
    const double ahead = at_ms - static_cast<double>(e.now_ms);
    origin.reset_at = support::from_epoch(static_cast<std::int64_t>(std::ceil(at_ms / 1000)));
    origin.reset_kind = "computed";
    origin.means = ahead <= 0 ? "nothing is used any more"
                              : fmt::format("used up to {} ahead of now; all of it is free again at {}",
                                            plain(std::round(ahead) / 1000) + " s",
                                            moment(support::epoch_seconds(*origin.reset_at), e.now));
    return origin;
}

/// What the key lives on behind the moment, in ms.
double beyond(const Evidence& e, double at_ms) { return static_cast<double>(*e.expires_ms) - at_ms; }

// ---- nanoseconds

std::optional<double> nanosecond_moment(const Evidence& e) {
    constexpr std::size_t digits = 19;
    if (!e.counts() || !e.expires() || e.value.size() != digits || *e.number < 0) return std::nullopt;
    const auto at = near_now(e, static_cast<double>(*e.number) / 1e6);
    if (!at || std::fabs(beyond(e, *at)) > kRoundedUp) return std::nullopt;
    return at;
}

/// Ends in the very millisecond; throttled's keys do so once in some hundred times.
bool ends_with_moment(const Evidence& e, double at_ms) { return std::fabs(beyond(e, at_ms)) <= 4; }

Answer throttled(const Evidence& e) {
    const auto at = nanosecond_moment(e);
    if (!at) return std::nullopt;
    // Of an HTTP handler: address, method, path, each on a line.
    if (e.name.ends_with('\n'))
        return free_at(e, std::ranges::count(e.name, '\n') > 1 ? Sureness::certain : Sureness::likely, *at);
    if (ends_with_moment(e, *at)) return std::nullopt;
    // Programs store the end of other things like that, too.
    return free_at(e, e.name.starts_with("throttled") ? Sureness::likely : Sureness::unsure, *at);
}

Answer redis_cell(const Evidence& e) {
    const auto at = nanosecond_moment(e);
    if (!at || !ends_with_moment(e, *at)) return std::nullopt;
    auto origin = free_at(e, Sureness::unsure, *at);
    origin.means += "; now and then throttled leaves such a key, too";
    return origin;
}

// ---- seconds

std::optional<double> second_moment(const Evidence& e, double epoch) {
    if (!e.is(Type::string) || !e.expires()) return std::nullopt;
    const auto stored = decimal_in(e.value);
    if (!stored) return std::nullopt;
    const auto at = near_now(e, (*stored + epoch) * 1000);
    if (!at || beyond(e, *at) < -50 || beyond(e, *at) > kRoundedUp) return std::nullopt;
    return at;
}

bool has_fraction(std::string_view text) { return text.find('.') != std::string_view::npos; }

Answer redis_rate(const Evidence& e) {
    constexpr double first_of_2017 = 1'483'228'800;
    constexpr std::string_view start = "rate:";
    if (!e.name.starts_with(start)) return std::nullopt;
    const auto at = second_moment(e, first_of_2017);
    if (!at) return std::nullopt;
    auto origin = free_at(e, has_fraction(e.value) ? Sureness::certain : Sureness::likely, *at);
    if (auto key = template_of({start, kClient})) origin.policy = PolicyHint{*key};
    return origin;
}

Answer redis_gcra(const Evidence& e) {
    if (!has_fraction(e.value)) return std::nullopt;
    const auto at = second_moment(e, 0);
    if (!at) return std::nullopt;
    return free_at(e, Sureness::unsure, *at);  // the end of anything else may be stored like that
}

constexpr std::array kMomentRules{
    Rule{"throttled", throttled},
    Rule{"redis-cell", redis_cell},
    Rule{"redis-rate", redis_rate},
    Rule{"redis-gcra", redis_gcra},
};

}  // namespace

std::span<const Rule> moment_rules() { return kMomentRules; }

}  // namespace ratectl::domain::identify
