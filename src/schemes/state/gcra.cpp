// The generic cell rate algorithm: one string under K holds the moment at which all that was used is free again (the
// theoretical arrival time); a request moves it by period / limit. Source: limiters that are named in schemes/book.cpp.
#include "schemes/state/limiters.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "schemes/write_call.h"
#include "support/number_text.h"

namespace ratectl::schemes::gcra {

/// Embedded from lua/state/ at build, behind gcra.lua.
extern const Scripts kScripts;

namespace {

/// The server's clock counts. Without a policy the moment is known, and not how many requests it stands for.
class GcraScheme final : public state::StateScheme {
public:
    GcraScheme(Rules rules, const domain::Policy* policy);

    std::string_view layout() const override;
    std::span<const Part> parts() const override;
    std::optional<support::Instant> next_end(std::string_view key, support::Moment now,
                                             std::optional<support::Seconds> period) const override;
    std::int64_t most_let_through(std::int64_t limit) const override;
    /// The script has moved the moment from that of the server's clock, or on from where it was: to the nanosecond, or
    /// as exactly as a double of seconds holds it.
    bool has_other_terms(std::string_view key, const Counted& counted) const override;

private:
    Keys keys_after(const domain::WindowLook& look, support::Moment now, std::int64_t requests) const override;
    std::optional<state::Meaning> meaning(const domain::WindowLook& look, const Texts& texts, std::int64_t now_ns,
                                          std::optional<std::int64_t> limit) const override;
    bool is_later(const domain::WindowLook& look, const domain::WindowLook& then,
                  const domain::StoredWindow& was) const override;
    std::vector<std::string> terms(const std::string& key) const override;
    /// How far one request moves it, in nanoseconds; null: the period is not known, or nothing passes.
    std::optional<double> per_request(std::optional<std::int64_t> limit) const;

    Rules rules_;
};

using state::kSecondNs;
using support::Instant;
using support::Moment;

constexpr std::int64_t k2017 = 1'483'228'800;
constexpr std::int64_t kNoise = 1000;  // what a moment as a double may be off
constexpr double kMostNs = 9.2e18;     // 64 bits hold it, and no limiter stores as late a moment

std::int64_t epoch_of(Unit unit) { return unit == Unit::seconds_since_2017 ? k2017 : 0; }

std::optional<std::int64_t> moment_in(std::string_view text, Unit unit) {
    if (unit == Unit::nanoseconds) {
        const auto ns = support::parse_decimal(text);
        return ns && *ns >= kSecondNs ? ns : std::nullopt;
    }
    const auto ns = state::nanoseconds_in(text);
    const auto epoch = epoch_of(unit) * kSecondNs;
    constexpr auto most = std::int64_t{9'000'000'000} * kSecondNs;
    return ns && *ns <= most - epoch ? std::optional{*ns + epoch} : std::nullopt;
}

std::string text_of(std::int64_t moment, Unit unit) {
    if (unit == Unit::nanoseconds) return std::to_string(moment);
    const std::int64_t second = moment / kSecondNs - epoch_of(unit);
    return state::fraction_text(static_cast<double>(second) + static_cast<double>(moment % kSecondNs) / 1e9);
}

}  // namespace

GcraScheme::GcraScheme(Rules rules, const domain::Policy* policy)
    : StateScheme(kScripts, state::Clock::server, policy), rules_(rules) {}

std::string_view GcraScheme::layout() const {
    switch (rules_.unit) {
        case Unit::nanoseconds: return "moment in nanoseconds";
        case Unit::seconds: return "moment in seconds";
        case Unit::seconds_since_2017: return "moment in seconds since 2017";
    }
    return "moment";
}

std::span<const domain::Limiter::Part> GcraScheme::parts() const {
    static constexpr std::array<Part, 1> all{{{"moment", "moments"}}};
    return all;
}

std::optional<double> GcraScheme::per_request(std::optional<std::int64_t> limit) const {
    const auto span = period();
    if (!span || !limit || *limit <= 0) return std::nullopt;
    const double each = static_cast<double>(span->count()) * 1e9 / static_cast<double>(*limit);
    return rules_.unit == Unit::nanoseconds ? std::floor(each) : each;
}

std::int64_t GcraScheme::most_let_through(std::int64_t limit) const {
    if (policy() == nullptr || limit <= 0) return limit;
    const auto burst = policy()->burst;
    return rules_.beside_first ? burst.value_or(0) + 1 : burst.value_or(limit);
}

std::optional<state::Meaning> GcraScheme::meaning(const domain::WindowLook& /*look*/, const Texts& texts,
                                                  std::int64_t now_ns, std::optional<std::int64_t> limit) const {
    const auto at = moment_in(*texts.front(), rules_.unit);
    if (!at) return std::nullopt;
    state::Meaning meant{.used = {}, .counts = *at > now_ns, .end_ns = *at};
    const auto each = per_request(limit);
    if (!each) return meant;
    const auto ahead = static_cast<double>(*at - now_ns - kNoise);
    meant.used = std::max<std::int64_t>(0, static_cast<std::int64_t>(std::ceil(ahead / *each)));
    // As soon as the moment is no more than all but one requests ahead.
    meant.passes_ns = *at - static_cast<std::int64_t>(*each * static_cast<double>(most_let_through(*limit) - 1));
    return meant;
}

// After one request.
std::optional<Instant> GcraScheme::next_end(std::string_view key, Moment now,
                                            std::optional<support::Seconds> /*period*/) const {
    const auto each = per_request(limit_of(key));
    if (!each) return std::nullopt;
    return now + support::Seconds(static_cast<std::int64_t>(std::ceil(*each / 1e9)));
}

state::StateScheme::Keys GcraScheme::keys_after(const domain::WindowLook& look, Moment now,
                                                std::int64_t requests) const {
    const auto each = per_request(limit_of(look.key));
    if (!each) return {};
    const auto now_at = now_ns(look, now);
    const auto there = moment_in(look.parts.front().value.value_or(""), rules_.unit);
    const auto from = std::max(there.value_or(now_at), now_at);
    const double by = std::floor(*each * static_cast<double>(requests) + 0.5);
    const auto at = from + static_cast<std::int64_t>(std::clamp(by, -kMostNs, kMostNs - static_cast<double>(from)));
    if (at <= now_at) return {};
    return {{text_of(at, rules_.unit), {}, {}, {}}};
}

bool GcraScheme::has_other_terms(std::string_view key, const Counted& counted) const {
    const auto each = per_request(limit_of(key));
    if (!each) return false;
    const auto now_ns = counted.at.time_since_epoch().count() * state::kMillisecondNs;
    const auto moment = [&](const domain::StoredWindow& window) {
        const auto at = window.state ? moment_in(*window.state, rules_.unit) : std::nullopt;
        return std::max(at.value_or(now_ns), now_ns);
    };
    const auto moved = static_cast<double>(moment(counted.after) - moment(counted.before));
    const auto wanted = *each * static_cast<double>(counted.requests);
    constexpr double noise = 2.0 * kNoise;  // of two moments
    // A refund that left nothing gave the last request back in part: as much of it as was not free again.
    const bool emptied = counted.requests < 0 && !counted.after.state;
    return emptied ? moved < wanted - noise || moved > wanted + *each + noise : std::fabs(moved - wanted) > noise;
}

bool GcraScheme::is_later(const domain::WindowLook& look, const domain::WindowLook& then,
                          const domain::StoredWindow& /*was*/) const {
    const auto each = per_request(limit_of(look.key));
    const auto now = moment_in(look.parts.front().value.value_or(""), rules_.unit);
    const auto before = moment_in(then.parts.front().value.value_or(""), rules_.unit);
    if (!each || !now || !before) return false;
    const auto apart = static_cast<double>(*now - *before);
    const double requests = std::floor(apart / *each + 0.5);
    return std::fabs(apart - requests * *each) <= kNoise * (1 + std::fabs(requests) / 8);
}

std::vector<std::string> GcraScheme::terms(const std::string& key) const {
    static constexpr std::array<std::string_view, 3> lives{"ms", "floor", "ceil"};
    const auto span = period();
    return {rules_.unit == Unit::nanoseconds ? std::string("ns") : std::to_string(epoch_of(rules_.unit)),
            std::string(lives[static_cast<std::size_t>(rules_.life)]), number(limit_of(key)),
            span ? std::to_string(span->count()) : std::string()};
}

Made make(Rules rules, const domain::Policy* policy) { return std::make_unique<GcraScheme>(rules, policy); }

}  // namespace ratectl::schemes::gcra
