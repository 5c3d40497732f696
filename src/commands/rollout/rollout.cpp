// rollout: the flags of its subcommands.
#include <CLI/CLI.hpp>

#include "commands/all_commands.h"
#include "commands/rollout/rollout_requests.h"

namespace ratectl::commands {
namespace {

struct RolloutRequest {
    enum class Action { who, compare, copy };
    Action action = Action::who;
    rollout::WhoRequest who;
    rollout::CompareRequest compare;
    rollout::CopyRequest copy;
};

CLI::App& rollout_subcommand(CLI::App& app, RolloutRequest& request, RolloutRequest::Action action, const char* name,
                             const char* about) {
    auto* sub = app.add_subcommand(name, about);
    sub->callback([&request, action] { request.action = action; });
    return *sub;
}

void bind_feature(CLI::App& app, std::string& feature, std::string& at) {
    app.add_option("--feature", feature, "the feature's name")->type_name("NAME")->required();
    app.add_option("--at", at, "the percentage of actors for which it is on")->type_name("PERCENT")->required();
}

void bind_old(CLI::App& app, std::string& old) {
    app.add_option("--old", old,
                   "the deployment that clients move from: its name, or FILE, or FILE:DEPLOYMENT, or "
                   "memcached://HOST:PORT; -d or -u names the one that they move to")
        ->type_name("DEPLOYMENT")
        ->required();
}

void bind_who(CLI::App& app, rollout::WhoRequest& request) {
    app.add_option("ACTOR", request.actors, "as the application calls them: `User;42`; `-` reads them, one a line")
        ->required();
    bind_feature(app, request.feature, request.at);
    app.add_option("--then", request.then, "another percentage: who moves from the one to the other?")
        ->type_name("PERCENT");
    bind_row_order(app, request.order);
}

void bind_compare(CLI::App& app, rollout::CompareRequest& request) {
    app.add_option("key", request.selection.keys, "a key, literally; `-` reads keys from standard input")
        ->type_name("KEY");
    app.add_option("--client", request.selection.clients,
                   "every key of this client, over all policies; `-` reads ids from standard input")
        ->type_name("ID");
    bind_input_format(app, request.selection);
    app.add_option("--policy", request.selection.policies, "only keys of these policies")
        ->type_name("NAME")
        ->delimiter(',');
    bind_old(app, request.old);
    bind_feature(app, request.feature, request.at);
    request.actor = "{client}";
    app.add_option("--actor", request.actor,
                   "what the application calls a client where it asks for the feature: 'User;{client}' (default: "
                   "{client})")
        ->type_name("TEMPLATE");
    bind_row_order(app, request.order);
}

void bind_copy(CLI::App& app, rollout::CopyRequest& request) {
    bind_selection(app, request.selection);
    bind_old(app, request.old);
    refuse_guards(app, "windows are carried over as they are, each only while it is what was seen",
                  "--state and --min-used choose what is carried over");
    bind_consent(app, request.consent);
    bind_op_id(app, request.order);
}

void bind_rollout(CLI::App& app, RolloutRequest& request) {
    using Action = RolloutRequest::Action;
    bind_who(rollout_subcommand(app, request, Action::who, "who",
                                "for which actors the feature is on at a percentage, and who moves to another"),
             request.who);
    bind_compare(rollout_subcommand(app, request, Action::compare, "compare",
                                    "which of two deployments serves these clients, and what both have of them"),
                 request.compare);
    bind_copy(rollout_subcommand(app, request, Action::copy, "copy",
                                 "carry windows over, so that no client starts afresh where it moves to"),
              request.copy);
}

ExitCode run_rollout(const RolloutRequest& request, Context& context) {
    switch (request.action) {
        case RolloutRequest::Action::compare: return rollout::run_compare(request.compare, context);
        case RolloutRequest::Action::copy: return rollout::run_copy(request.copy, context);
        case RolloutRequest::Action::who: break;
    }
    return rollout::run_who(request.who, context);
}

}  // namespace

Command rollout_command() {
    return {"rollout", Group::limiters, "from one backend to another by percentage of clients: who, compare, copy",
            "# is this client served by the new backend at 34 %?\n"
            "ratectl rollout who alice --feature new_limiter --at 34\n"
            "# who of these moves, from 25 to 50 %?\n"
            "ratectl rollout who - --feature new_limiter --at 25 --then 50 < keys.txt\n"
            "# which backend serves these, and what do both have of them?\n"
            "ratectl rollout compare core:bob core:erin --old legacy --feature f --at 50\n"
            "# what would erin take along?\n"
            "ratectl rollout copy --client erin --old legacy -n\n"
            "# all take it along; again until all have moved, it adds what came since\n"
            "ratectl rollout copy --match 'core:*' --old legacy",
            bind_request<RolloutRequest, bind_rollout, run_rollout>};
}

}  // namespace ratectl::commands
