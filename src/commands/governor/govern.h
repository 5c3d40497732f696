// governor step, run and explain: a throttle's rate by its load, once, for a while, and who does it.
#pragma once

#include "commands/governor/governing.h"
#include "commands/request/syntax.h"

namespace ratectl::commands::governor {

void bind_step(Syntax syntax, GovernFlags& flags);
ExitCode run_step(const GovernFlags& flags, Context& context);
void bind_run(Syntax syntax, GovernFlags& flags);
ExitCode run_run(const GovernFlags& flags, Context& context);
void bind_explain(Syntax syntax, throttle::Names& names);
ExitCode run_explain(const throttle::Names& names, Context& context);

}  // namespace ratectl::commands::governor
