// What `throttle list` and its like are asked.
#pragma once

#include "commands/request/sweep_flags.h"
#include "commands/request/throttle_names.h"

namespace ratectl::commands::throttle {

/// Every throttle that has a bucket, and those that have knobs alone.
ExitCode run_list(const Names& names, const PaceFlags& pace, Context& context);
/// These, whatever they have. `narrow`: the table's columns; empty: those of every throttle.
ExitCode run_show(const Names& names, std::string_view narrow, Context& context);

}  // namespace ratectl::commands::throttle
