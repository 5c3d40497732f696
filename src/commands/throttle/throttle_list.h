// What `throttle list` and its like are asked.
#pragma once

#include "commands/request/sweep_flags.h"
#include "commands/request/throttle_names.h"

namespace ratectl::commands::throttle {

/// Every throttle that has a bucket, and those that have knobs alone.
ExitCode run_list(const Names& names, const PaceFlags& pace, Context& context);
/// What a table is about.
enum class Shown { throttles, knobs };
/// These, whatever they have.
ExitCode run_show(const Names& names, Shown shown, Context& context);

}  // namespace ratectl::commands::throttle
