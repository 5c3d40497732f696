// The rounds of watch: on time, each one batch of looks, until what is waited for has come or the command is stopped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commands/context.h"
#include "commands/request/selection.h"
#include "domain/window_goal.h"

namespace ratectl::commands::watch {

struct Order {
    std::vector<domain::WindowGoal> goals;  // --until
    bool any_window = false;
    support::Milliseconds every{1000};
    std::optional<std::uint64_t> rounds;  // then it ends
    domain::LookDepth depth = domain::LookDepth::light;
};

/// Throws Failure as look and sweep do; selection and filter have been checked.
ExitCode run_rounds(const Order& order, const Selection& selection, const Filter& filter, Context& context);

}  // namespace ratectl::commands::watch
