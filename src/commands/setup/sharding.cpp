// The subcommands of sharding and what they are told.
#include "commands/all_commands.h"

#include <CLI/CLI.hpp>

#include "commands/setup/sharding_request.h"

namespace ratectl::commands {
namespace {

using ShardingAction = ShardingRequest::Action;

CLI::App& subcommand(CLI::App& app, ShardingRequest& request, ShardingAction action, const char* name,
                     const char* about) {
    auto* sub = app.add_subcommand(name, about);
    sub->callback([&request, action] { request.action = action; });
    return *sub;
}

void bind_sharding(CLI::App& app, ShardingRequest& request) {
    bind_row_order(subcommand(app, request, ShardingAction::list, "list", "every preset, a row each"), request.order);
    auto& show =
        subcommand(app, request, ShardingAction::show, "show", "one preset: what it needs to be told, and its rules");
    show.add_option("PRESET", request.preset, "its name, as list prints it")->required();
    const auto add_sample = [&request](CLI::App& sub) {
        bind_row_order(sub, request.order);
        sub.add_option("--sample", request.sample, "how many windows of each shard to look at (default 2000)")
            ->type_name("N");
    };
    add_sample(subcommand(app, request, ShardingAction::verify, "verify",
                          "look at real keys on every shard: are they where the configured rule has them?"));
    add_sample(subcommand(app, request, ShardingAction::guess, "guess",
                          "try every rule on real keys: which one explains where they are?"));
}

ExitCode run_sharding(const ShardingRequest& request, Context& context) {
    switch (request.action) {
        case ShardingAction::show: return run_sharding_show(request, context);
        case ShardingAction::verify: return run_sharding_verify(request, context);
        case ShardingAction::guess: return run_sharding_guess(request, context);
        case ShardingAction::list: break;
    }
    return run_sharding_list(request, context);
}

}  // namespace

Command sharding_command() {
    return {"sharding", Group::investigate, "rules for placing keys: list, show, verify, guess",
            "# every library there is a preset for\n"
            "ratectl sharding list\n"
            "# what one of them needs to be told\n"
            "ratectl sharding show twemproxy-ketama\n"
            "# is the configured rule right? look at real keys\n"
            "ratectl sharding verify\n"
            "# which rule does the application use?\n"
            "ratectl sharding guess",
            bind_request<ShardingRequest, bind_sharding, run_sharding>};
}

}  // namespace ratectl::commands
