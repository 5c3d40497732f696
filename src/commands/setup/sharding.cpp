// The subcommands of sharding and what they are told.
#include "commands/all_commands.h"

#include "commands/setup/sharding_request.h"

namespace ratectl::commands {
namespace {

using ShardingAction = ShardingRequest::Action;

void bind_sharding(Syntax syntax, ShardingRequest& request) {
    bind_row_order(syntax.add_subcommand("list", "every preset, a row each", request.action, ShardingAction::list),
                   request.order);
    auto show = syntax.add_subcommand("show", "one preset: what it needs to be told, and its rules", request.action,
                                      ShardingAction::show);
    show.add_option("PRESET", request.preset, "its name, as list prints it").required();
    const auto add_sample = [&request](Syntax sub) {
        bind_row_order(sub, request.order);
        sub.add_option("--sample", request.sample, "how many windows of each shard to look at (default 2000)")
            .type_name("N");
    };
    add_sample(syntax.add_subcommand("verify",
                                     "look at real keys on every shard: are they where the configured rule has them?",
                                     request.action, ShardingAction::verify));
    add_sample(syntax.add_subcommand("guess", "try every rule on real keys: which one explains where they are?",
                                     request.action, ShardingAction::guess));
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
