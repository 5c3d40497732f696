// governor: keeps a load at its set point by the rate of a throttle.

#include "commands/all_commands.h"
#include "commands/governor/subcommands.h"

namespace ratectl::commands {
namespace {

struct GovernorRequest {
    enum class Action { run, step, simulate, explain };
    Action action = GovernorRequest::Action::explain;
    governor::GovernFlags govern;
    governor::SimulateFlags simulate;
};

void bind_governor(Syntax syntax, GovernorRequest& request) {
    using Action = GovernorRequest::Action;
    const auto add = [&](Action action, const char* name, const char* about) {
        return syntax.add_subcommand(name, about, request.action, action);
    };
    governor::bind_run(add(Action::run, "run", "decide again and again, until told to stop"), request.govern);
    governor::bind_step(add(Action::step, "step", "decide once, as cron wants it"), request.govern);
    governor::bind_simulate(
        add(Action::simulate, "simulate", "what a tuning does to a model of a store, or to loads of a file"),
        request.simulate);
    governor::bind_explain(add(Action::explain, "explain", "who governs a throttle, and what was decided last"),
                           request.govern.names);
}

ExitCode run_governor(const GovernorRequest& request, Context& context) {
    // What draws is of simulations alone, and is refused before anything is looked at.
    if (request.action != GovernorRequest::Action::simulate) context.sink_options({});
    switch (request.action) {
        case GovernorRequest::Action::run: return governor::run_run(request.govern, context);
        case GovernorRequest::Action::step: return governor::run_step(request.govern, context);
        case GovernorRequest::Action::simulate: return governor::run_simulate(request.simulate, context);
        case GovernorRequest::Action::explain: break;
    }
    return governor::run_explain(request.govern.names, context);
}

}  // namespace

Command governor_command() {
    return {"governor", Group::limiters, "keep a load at its set point by a throttle's rate",
            "# a request costs five times as much: what becomes of the store?\n"
            "ratectl governor simulate --set-point 2 --max 200 -o plot\n"
            "# what would have been decided at these loads?\n"
            "ratectl governor simulate --csv loads.csv --set-point 2 --max 200\n"
            "# what would be decided now? nothing is written\n"
            "ratectl governor step search --load-command 'echo 2' --set-point 1 --max 99\n"
            "# govern it, and write what is decided, here once\n"
            "ratectl governor run search --load-command 'echo 2' --set-point 1 \\\n"
            "  --max 99 --apply --iterations 1\n"
            "# who governs it, and why is its rate what it is?\n"
            "ratectl governor explain search -o json",
            bind_request<GovernorRequest, bind_governor, run_governor>};
}

}  // namespace ratectl::commands
