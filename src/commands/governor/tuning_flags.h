// The flags that say how a throttle is governed, and what they come to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/request/syntax.h"
#include "domain/governor/decide.h"

namespace ratectl::commands::governor {

/// As given.
struct TuningFlags {
    std::vector<std::string> set_points;  // --set-point N, of each input in their order
    std::optional<std::string> min, max, kp, ki, kd, deadband, rise, fall, trip, rearm, rearm_samples, open_rps;
    std::optional<std::string> stale_after, hold_for;
};
void bind_tuning(Syntax syntax, TuningFlags& flags);

/// Throws Failure (usage): a flag that has no meaning, or a tuning under which nothing can be governed.
domain::governor::Tuning tuning_of(const TuningFlags& flags);
/// One for each of so many inputs, of which one stands for all. Throws Failure (usage).
std::vector<double> set_points_of(const TuningFlags& flags, std::size_t inputs);

/// Of a flag that takes a number from 0 on. Throws Failure (usage) that names the flag.
double number_of(std::string_view flag, const std::string& text);
/// The same of a share: `2%` is 0.02.
double share_of(std::string_view flag, const std::string& text);

}  // namespace ratectl::commands::governor
