// top's ranking, live on a screen, until a key or a signal ends it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "commands/context.h"
#include "commands/request/selection.h"
#include "commands/sweep/sweep.h"
#include "commands/top/ranking.h"
#include "output/screen.h"
#include "support/time.h"

namespace ratectl::commands::top {

struct LiveOptions {
    Order order;
    std::optional<support::Milliseconds> every{};  // null: two seconds, or twice what a sweep takes
    std::size_t most = 200;
};

/// Says on standard error, once the screen is given back, what could not be read. Partial where that is a part, its
/// code where it is all.
ExitCode run_live(const LiveOptions& options, const SweepQuestion& question, const Filter& filter,
                  std::unique_ptr<output::Screen> screen, Context& context);

}  // namespace ratectl::commands::top
