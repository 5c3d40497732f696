// governor step, run and explain: a throttle's rate by its load, once, for a while, and who does it. governor simulate:
// what a tuning does to a store that is a model, or would have done at the loads of a file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/context.h"
#include "commands/governor/governing.h"
#include "commands/governor/tuning_flags.h"
#include "commands/request/syntax.h"

namespace ratectl::commands::governor {

void bind_step(Syntax syntax, GovernFlags& flags);
ExitCode run_step(const GovernFlags& flags, Context& context);
void bind_run(Syntax syntax, GovernFlags& flags);
ExitCode run_run(const GovernFlags& flags, Context& context);
void bind_explain(Syntax syntax, throttle::Names& names);
ExitCode run_explain(const throttle::Names& names, Context& context);

/// As given.
struct SimulateFlags {
    TuningFlags tuning;
    std::optional<std::string> csv;  // --csv FILE
    std::optional<std::string> every, start, duration, offered, swing, capacity, background, lag, delay, noise, seed;
    std::vector<std::string> cost_at;  // --cost-at DURATION=FACTOR
};
void bind_simulate(Syntax syntax, SimulateFlags& flags);
ExitCode run_simulate(const SimulateFlags& flags, Context& context);

}  // namespace ratectl::commands::governor
