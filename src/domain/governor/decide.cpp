// One decision: the breaker first, then P, I and D on what stands, then the limits.
#include "domain/governor/decide.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace ratectl::domain::governor {
namespace {

/// An error is not taken for more: e^1.5 is 4.5 times.
constexpr double kMostError = 1.5;
/// Nor does a slope become steeper by what is farther away than that.
constexpr double kSteepest = 100;
/// A rate that changes by less than this share of itself does not change.
constexpr double kNothing = 1e-9;
constexpr std::array<std::string_view, 10> kWhys{"began", "settled", "adjusted", "held",    "tripped",
                                                 "blind", "open",    "rearmed",  "stopped", "unlimited"};
constexpr std::array<std::string_view, 7> kBounds{"none", "min", "max", "rise", "fall", "below", "above"};

double seconds(support::Milliseconds span) { return static_cast<double>(span.count()) / 1000; }

/// How far the load is below its set point; negative: above it.
double distance(double load, double deadband) {
    const double most = kMostError + deadband;
    return std::clamp(-std::log(std::max(load, 1e-300)), -most, most);
}

/// What is within the deadband counts as nothing, and what is beyond it from its edge on, so that there is no jump.
double error_of(double load, double deadband) {
    const double away = distance(load, deadband);
    return std::copysign(std::max(0.0, std::abs(away) - deadband), away);
}

/// The knobs say what was decided.
bool is_as_decided(double standing, double rps) {
    return standing < 0 ? rps < 0 : rps >= 0 && rounded(standing) == rounded(rps);
}

class Deciding {
public:
    Deciding(const Tuning& tuning, const State& state, support::WallTime now) : tuning_(tuning), now_(now) {
        out_.next = state;
        out_.next.decided_at = now;
        if (!out_.next.seen_at || *out_.next.seen_at > now) out_.next.seen_at = now;
        if (state.decided_at)
            elapsed_ = std::clamp(now - *state.decided_at, support::Milliseconds{0}, tuning.longest_step);
        is_first_ = !state.decided_at;
        auto& next = out_.next;
        if (!std::isfinite(next.rps)) next.rps = tuning.min;
        if (!(std::abs(next.error) <= kMostError)) next.error = 0;
        if (!(std::abs(next.slope) <= kSteepest)) next.slope = 0;
    }

    Decision decide(const std::optional<StandingRate>& standing, const std::optional<Sample>& sample) && {
        if (standing && leave_alone(*standing)) return done(standing->rps);
        if (standing) begin_at(*standing);
        const bool is_fresh =
            sample && is_load(sample->load) && std::abs(seconds(now_ - sample->at)) <= seconds(tuning_.stale_after);
        if (!is_fresh) return without_sample(!standing || standing->by_knobs);
        const bool is_new = !out_.next.last || sample->at > out_.next.last->at;
        out_.next.seen_at = now_;
        if (sample->load >= tuning_.trip) return opened(out_.next.open ? Why::open : Why::tripped, *sample);
        if (out_.next.open) return while_open(*sample, is_new);
        if (!standing) {
            out_.next.last = sample;
            return reason(Why::held, out_.next.rps);
        }
        return adjusted(*sample, is_new);
    }

private:
    /// Another writer's stop, or its going without a limit, is meant.
    bool leave_alone(const StandingRate& standing) {
        const bool as_decided = is_as_decided(standing.rps, out_.next.rps);
        if (standing.rps > 0 || (out_.next.open && as_decided)) return false;
        out_.why = standing.rps < 0 ? Why::unlimited : Why::stopped;
        out_.turned = !is_first_ && !as_decided;
        out_.next.open = false;
        return true;
    }

    /// Knobs that are gone were set by no writer: the breaker stays as it is, and time goes on.
    void begin_at(const StandingRate& standing) {
        auto& next = out_.next;
        if (is_as_decided(standing.rps, next.rps)) return;
        out_.turned = !is_first_;
        next.rps = standing.rps;
        if (!standing.by_knobs) return;
        next.open = false;
        next.seen_at = now_;
    }

    /// An open breaker's knobs that are gone are put back by a sample, or by none for too long.
    Decision without_sample(bool stands) {
        auto& next = out_.next;
        next.calm = 0;
        if (next.open && stands) return reason(Why::open, tuning_.open_rps);
        if (now_ - *next.seen_at >= tuning_.hold_for) return opened(Why::blind, {});
        return reason(Why::held, next.rps);
    }

    Decision opened(Why why, const std::optional<Sample>& sample) {
        auto& next = out_.next;
        next.open = true;
        next.calm = 0;
        if (sample) next.last = sample;
        return reason(why, tuning_.open_rps);
    }

    Decision while_open(const Sample& sample, bool is_new) {
        auto& next = out_.next;
        if (is_new) next.calm = sample.load <= tuning_.rearm ? next.calm + 1 : 0;
        next.last = sample;
        if (next.calm < tuning_.rearm_samples) return reason(Why::open, tuning_.open_rps);
        next.open = false;
        next.calm = 0;
        next.slope = 0;
        next.error = error_of(sample.load, tuning_.deadband);
        begin_from(tuning_.min);
        return reason(Why::rearmed, tuning_.min);
    }

    Decision adjusted(const Sample& sample, bool is_new) {
        auto& next = out_.next;
        const double p_before = proportional(), d_before = derivative();
        if (is_new) next.slope = smoothed_slope(sample);
        next.error = error_of(sample.load, tuning_.deadband);
        const bool compares = !is_first_ && next.last.has_value();
        next.last = sample;
        if (!compares || out_.turned || !std::isfinite(next.integral)) {
            begin_from(next.rps);
        } else {
            out_.p = proportional() - p_before;
            out_.d = derivative() - d_before;
        }
        if (!compares) return reason(Why::began, within_limits(next.rps));
        integrate();
        const double rps = moved(next.integral + proportional() + derivative(), sample.load);
        return reason(is_settled(rps) ? Why::settled : Why::adjusted, rps);
    }

    double proportional() const { return tuning_.kp * out_.next.error; }
    /// Near the set point nothing leads.
    double derivative() const { return out_.next.error == 0 ? 0 : -tuning_.kd * out_.next.slope; }

    /// I is what leaves the rate as it is, whatever P and D say.
    void begin_from(double rps) { out_.next.integral = within_bounds(std::log(rps) - proportional() - derivative()); }

    double within_bounds(double integral) const {
        return std::clamp(integral, std::log(tuning_.min), std::log(tuning_.max));
    }

    /// By no more in either direction than the rate may move in both: else a rate that cannot follow would be left
    /// behind, or what is cut off on one side only would move it to the other.
    void integrate() {
        const double span = seconds(elapsed_);
        const double most = span * std::log1p(std::min(tuning_.rise, tuning_.fall));
        out_.i = std::clamp(tuning_.ki * out_.next.error * span, -most, most);
        out_.next.integral = within_bounds(out_.next.integral + out_.i);
    }

    bool is_settled(double rps) const {
        return rps == out_.next.rps && (out_.bound == Bound::none || out_.next.error == 0);
    }

    /// Of the logarithm, a second, from the last sample to this one. A clock that went back begins anew.
    double smoothed_slope(const Sample& sample) const {
        const auto& next = out_.next;
        if (!next.last || sample.at <= next.last->at) return 0;
        const double span = seconds(sample.at - next.last->at);
        const double fallen = distance(sample.load, tuning_.deadband) - distance(next.last->load, tuning_.deadband);
        const double share = span / (span + tuning_.smoothing);
        return next.slope + share * (-fallen / span - next.slope);
    }

    /// From what stands towards where P, I and D point, which is a logarithm.
    double moved(double target, double load) {
        const double from = out_.next.rps;
        const double most = seconds(elapsed_) * std::log1p(tuning_.rise);
        const double least = -seconds(elapsed_) * std::log1p(tuning_.fall);
        double change = target - std::log(from);
        if (std::abs(change) < kNothing) return within_limits(from);
        if (change > most) out_.bound = Bound::rise;
        if (change < least) out_.bound = Bound::fall;
        if (change < 0 && load < 1) out_.bound = Bound::below;
        if (change > 0 && load > 1) out_.bound = Bound::above;
        if (out_.bound == Bound::below || out_.bound == Bound::above) return within_limits(from);
        return within_limits(from * std::exp(std::clamp(change, least, most)));
    }

    double within_limits(double wanted) {
        if (wanted > tuning_.max) out_.bound = Bound::max;
        if (!(wanted >= tuning_.min)) out_.bound = Bound::min;
        return wanted >= tuning_.min ? std::min(wanted, tuning_.max) : tuning_.min;
    }

    Decision reason(Why why, double rps) {
        out_.why = why;
        return done(rps);
    }

    Decision done(double rps) {
        out_.rps = out_.next.rps = rps;
        return out_;
    }

    const Tuning& tuning_;
    support::WallTime now_;
    support::Milliseconds elapsed_{0};
    bool is_first_ = true;
    Decision out_;
};

}  // namespace

std::string_view name_of(Why why) { return kWhys.at(static_cast<std::size_t>(why)); }
std::string_view name_of(Bound bound) { return kBounds.at(static_cast<std::size_t>(bound)); }

bool is_load(double number) { return std::isfinite(number) && number >= 0; }

std::optional<Sample> worst_of(std::span<const Reading> readings, const Tuning& tuning, support::WallTime now) {
    std::optional<Sample> worst;
    bool is_whole = !readings.empty();
    for (const auto& reading : readings) {
        const bool is_good = reading.load && is_load(*reading.load) &&
                             std::abs(seconds(now - reading.at)) <= seconds(tuning.stale_after);
        is_whole = is_whole && is_good;
        if (!is_good) continue;
        const Sample sample{*reading.load / reading.set_point, reading.at};
        if (!worst || sample.load > worst->load) worst = sample;
    }
    if (!is_whole && worst && worst->load < tuning.trip) worst.reset();
    return worst;
}

Decision decide(const Tuning& tuning, const State& state, const std::optional<StandingRate>& standing,
                const std::optional<Sample>& sample, support::WallTime now) {
    return Deciding(tuning, state, now).decide(standing, sample);
}

std::optional<support::WallTime> held_until(const Tuning& tuning, const State& state) {
    if (state.open || !state.seen_at) return std::nullopt;
    return *state.seen_at + tuning.hold_for;
}

double rounded(double rps) {
    if (!(rps > 0) || !std::isfinite(rps)) return 0;
    const double digits = std::min(3.0, 3 - std::floor(std::log10(rps)));
    const double scale = std::pow(10.0, std::max(0.0, digits));
    return std::max(0.001, std::round(rps * scale) / scale);
}

std::string_view fault_in(const Tuning& tuning) {
    if (!(tuning.min >= 0.001)) return "the least rate is below 0.001: a rate of 0 would never grow again";
    if (!(tuning.max <= 1e9)) return "the greatest rate is above a milliard";
    if (!(tuning.max >= tuning.min)) return "the greatest rate is below the least one";
    if (!(tuning.trip > 1)) return "the breaker would open at the set point";
    if (!(tuning.rearm < tuning.trip)) return "the breaker would close where it opens";
    if (!(tuning.rise > 0) || !(tuning.fall > 0)) return "a rate that may not change cannot be governed";
    if (!(tuning.open_rps <= tuning.min)) return "an open breaker would let more through than a closed one";
    if (tuning.rearm_samples < 1) return "the breaker would close without a calm sample";
    if (tuning.kp + tuning.ki * seconds(tuning.longest_step) > 1)
        return "kp and a minute of ki are more than 1 together: it would oscillate behind any delay";
    return {};
}

namespace {

constexpr std::string_view kFormat = "2";
constexpr std::size_t kNumbers = 17;
constexpr double kLatest = 9e15;  // milliseconds that a double holds exactly

double milliseconds(const std::optional<support::WallTime>& at) {
    return at ? static_cast<double>(at->time_since_epoch().count()) : -1;
}

std::optional<support::WallTime> moment(double milliseconds) {
    if (!(milliseconds >= 0 && milliseconds < kLatest)) return std::nullopt;
    return support::WallTime{support::Milliseconds{static_cast<std::int64_t>(milliseconds)}};
}

std::optional<std::array<double, kNumbers>> numbers_in(std::string_view text) {
    std::array<double, kNumbers> numbers{};
    for (double& number : numbers) {
        if (!text.starts_with(' ')) return std::nullopt;
        const auto* const end = text.data() + text.size();
        const auto parsed = std::from_chars(text.data() + 1, end, number);
        if (parsed.ec != std::errc() || !std::isfinite(number)) return std::nullopt;
        text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
    }
    return text.empty() ? std::optional{numbers} : std::nullopt;
}

}  // namespace

std::string text_of(const Decision& decision) {
    const State& next = decision.next;
    const double load = next.last ? next.last->load : -1;
    const auto at = next.last ? std::optional{next.last->at} : std::nullopt;
    return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", kFormat, next.rps,
                       milliseconds(next.decided_at), milliseconds(next.seen_at), load, milliseconds(at), next.error,
                       next.slope, next.open ? 1 : 0, next.calm, decision.rps, static_cast<int>(decision.why),
                       static_cast<int>(decision.bound), decision.p, decision.i, decision.d, decision.turned ? 1 : 0,
                       next.integral);
}

std::optional<Decision> decision_in(std::string_view text) {
    if (!text.starts_with(kFormat)) return std::nullopt;
    const auto numbers = numbers_in(text.substr(kFormat.size()));
    if (!numbers) return std::nullopt;
    const auto& n = *numbers;
    Decision decision;
    State& next = decision.next;
    next.rps = n[0];
    next.decided_at = moment(n[1]);
    next.seen_at = moment(n[2]);
    if (const auto at = moment(n[4]); at && is_load(n[3])) next.last = Sample{n[3], *at};
    next.error = n[5];
    next.slope = n[6];
    next.open = n[7] != 0;
    next.calm = n[8] >= 0 && n[8] < 1000 ? static_cast<int>(n[8]) : 0;
    decision.rps = n[9];
    const auto last_why = static_cast<double>(Why::unlimited), last_bound = static_cast<double>(Bound::above);
    if (!(n[10] >= 0 && n[10] <= last_why && n[11] >= 0 && n[11] <= last_bound)) return std::nullopt;
    decision.why = static_cast<Why>(static_cast<int>(n[10]));
    decision.bound = static_cast<Bound>(static_cast<int>(n[11]));
    decision.p = n[12];
    decision.i = n[13];
    decision.d = n[14];
    decision.turned = n[15] != 0;
    next.integral = n[16];
    return decision;
}

}  // namespace ratectl::domain::governor
