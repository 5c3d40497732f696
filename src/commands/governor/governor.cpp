// governor: keeps a load at its set point by the rate of a throttle.
#include <CLI/CLI.hpp>

#include "commands/all_commands.h"
#include "commands/governor/simulate.h"

namespace ratectl::commands {
namespace {

struct GovernorRequest {
    enum class Action { simulate };
    Action action = GovernorRequest::Action::simulate;
    governor::SimulateFlags simulate;
};

void bind_governor(CLI::App& app, GovernorRequest& request) {
    auto* simulate = app.add_subcommand("simulate", "what a tuning does to a model of a store, or to loads of a file");
    governor::bind_simulate(*simulate, request.simulate);
}

ExitCode run_governor(const GovernorRequest& request, Context& context) {
    return governor::run_simulate(request.simulate, context);
}

}  // namespace

Command governor_command() {
    return {"governor", Group::limiters, "keep a load at its set point by a throttle's rate",
            "# a request costs five times as much: what becomes of the store?\n"
            "ratectl governor simulate --set-point 2 --max 200 -o plot\n"
            "# what would have been decided at these loads?\n"
            "ratectl governor simulate --csv loads.csv --set-point 2 --max 200",
            bind_request<GovernorRequest, bind_governor, run_governor>};
}

}  // namespace ratectl::commands
