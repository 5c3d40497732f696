// How many requests a second a throttle lets through, so that what stands behind it stays at a set point: a PID
// controller with a circuit breaker, one decision at a time. Pure.
//
// All of it is in shares. A load is told as a multiple of its set point, the error is the logarithm of that, and each
// decision multiplies what stands: then the gain of the loop is 1, however much one request costs the store and
// whatever units its load has, and less than 1 where other work loads it, too. So one tuning serves every store, and
// a document that costs five times as much moves the load without moving the controller towards instability.
//
// It has the position form: I is kept as the rate that it alone stands for, P and D lead from there, and the rate moves
// towards where they point by no more than its slew. What the slew cuts off is not lost, and so nothing is lost on one
// side only: a step up that was cut is not followed by a whole step down. Nothing winds up either: I moves by no more
// in either direction than the rate may in both, stays within the limits, and stands where a load is missing. And the
// rate is not lowered while the load is below its set point, nor raised while it is above, but for the limits.
//
// Where it begins, and where another writer has set the rate, I is what makes of P and D no bump. D acts on the
// measurement, smoothed, and never on the set point.
//
// The usual gains are those of dead time, which a measurement that is 15 s old has most of. For a loop of an integral
// alone and a delay of L seconds the fastest answer without overshoot is ki = 1 / (e L), and it oscillates for ever
// at pi / (2 L). Delay, half the time between two decisions and the lag of a load average come to about 40 s, which
// would be 0.009 and 0.039. The usual ki lies a third above the first, which the deadband takes up, and its gain
// margin is 3; it is still stable where all of that is 130 s of nothing but delay. kp adds back some of the phase that
// a lag takes. Source of the rule: the textbook analysis of e^-sL / s; see docs/governor.md for the figures.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "support/time.h"

namespace ratectl::domain::governor {

/// Shares are of 1: 0.02 is 2 %.
struct Tuning {
    double kp = 0.2;                             // of a change of the error
    double ki = 0.012;                           // of the error, a second
    double kd = 2;                               // of the measurement's slope, in seconds
    double smoothing = 15;                       // over so many seconds the slope is smoothed
    double deadband = 0.03;                      // an error so small is none
    double min = 1;                              // requests a second; above 0
    double max = 1000;                           // not below min
    double rise = 0.02;                          // a rate may grow by this share a second
    double fall = 0.2;                           // and shrink by this one
    double trip = 3;                             // times the set point: the breaker opens
    double rearm = 1;                            // times the set point: a sample not above it is calm
    int rearm_samples = 2;                       // so many calm ones, one behind the other, close it
    double open_rps = 0;                         // what is let through while it is open
    support::Milliseconds stale_after{60'000};   // an older sample is none
    support::Milliseconds hold_for{5 * 60'000};  // without a sample for longer the breaker opens
    support::Milliseconds longest_step{60'000};  // a longer time between two decisions counts as this
};

/// The load as a multiple of its set point, and when it was that.
struct Sample {
    double load = 0;
    support::WallTime at{};
};

/// One input that was asked; null: it did not answer, or with no load.
struct Reading {
    std::optional<double> load;
    double set_point = 1;
    support::WallTime at{};
};
/// The worst of them. Null: one is missing or older than `stale_after` at `now`, or lies in the future by more than
/// that, and none of the others is at `trip`: what is not known is not taken for calm.
std::optional<Sample> worst_of(std::span<const Reading> readings, const Tuning& tuning, support::WallTime now);
/// A load is a number from 0 on.
bool is_load(double number);

/// What a governor has to remember between two decisions; as stored, it may have been changed by anything.
struct State {
    double rps = 0;                               // as decided, unrounded
    std::optional<support::WallTime> decided_at;  // null: nothing has been decided
    std::optional<support::WallTime> seen_at;     // when there was a good sample last, or the first decision
    std::optional<Sample> last;                   // the last good sample
    double error = 0;                             // at the last decision that had one
    double slope = 0;                             // of the logarithm of the load, smoothed, a second
    double integral = 0;                          // logarithm of the rate that I alone stands for
    bool open = false;                            // the breaker
    int calm = 0;                                 // calm samples since it opened or was last disturbed
};

/// Why a rate is as it is.
enum class Why : std::uint8_t {
    began,      // first decision: nothing to compare with
    settled,    // within the deadband, and nothing changes
    adjusted,   // by P, I and D
    held,       // no fresh sample, or what stands is unknown
    tripped,    // the load is at the breaker's level
    blind,      // no fresh sample for too long: the breaker opens
    open,       // the breaker stays so
    rearmed,    // it closes, and the rate begins at the least one
    stopped,    // another writer has stopped the throttle: left alone
    unlimited,  // another writer lets everything through: left alone
};
std::string_view name_of(Why why);

/// What kept a decision from what P, I and D said.
enum class Bound : std::uint8_t {
    none,
    min,
    max,
    rise,
    fall,
    below,  // the load is below its set point: not lowered
    above,  // it is above: not raised
};
std::string_view name_of(Bound bound);

struct Decision {
    double rps = 0;
    Why why = Why::began;
    Bound bound = Bound::none;
    double p = 0;  // what each has added since the last decision, as a share: 0.05 is 5 % more
    double i = 0;
    double d = 0;
    bool turned = false;  // what stands is not what was decided last
    State next;           // of the governor, once this is done
};

/// What lets requests through now.
struct StandingRate {
    double rps = 0;        // 0 none, below 0 unlimited; it is state.rps where both are the same, rounded
    bool by_knobs = true;  // set by a writer: that closes the breaker, and is held for hold_for from then on
};

/// Total: any state, and any clock, gives a rate from min to max, open_rps, or what stands where that is left alone or
/// held. `standing` null: nothing says it, so that only the breaker can act, and else the rate of the decision is that
/// of the last one, and means nothing.
Decision decide(const Tuning& tuning, const State& state, const std::optional<StandingRate>& standing,
                const std::optional<Sample>& sample, support::WallTime now);

/// When the rate will have been held for as long as it may be; null: it is not, for the breaker is open or nothing was
/// decided yet.
std::optional<support::WallTime> held_until(const Tuning& tuning, const State& state);

/// A rate as a knob has it: four digits that count, three decimals at most.
double rounded(double rps);

/// Why nothing can be governed so; empty: it can.
std::string_view fault_in(const Tuning& tuning);

std::string text_of(const Decision& decision);
/// Null: it is not what text_of() writes. What it is may have been changed by anything all the same.
std::optional<Decision> decision_in(std::string_view text);

}  // namespace ratectl::domain::governor
