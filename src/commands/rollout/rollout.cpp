// rollout: the flags of its subcommands.
#include <CLI/CLI.hpp>

#include "commands/all_commands.h"
#include "commands/rollout/rollout_requests.h"

namespace ratectl::commands {
namespace {

struct RolloutRequest {
    enum class Action { show, set, who, compare, copy };
    Action action = Action::who;
    rollout::ShowRequest show;
    rollout::SetRequest set;
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

void bind_feature(CLI::App& app, std::string& feature) {
    app.add_option("--feature", feature, "the feature's name")->type_name("NAME")->required();
}

void bind_show(CLI::App& app, rollout::ShowRequest& request) {
    app.add_option("NAME", request.features, "features of Flipper, by their names; none: all that there are");
    bind_row_order(app, request.order);
}

void bind_set(CLI::App& app, rollout::SetRequest& request) {
    app.add_option("NAME", request.feature, "a feature of Flipper, by its name")->required();
    app.add_option("PERCENT", request.share, "for how many of its actors it is to be on: 0 to 100, 12.5")->required();
    bind_consent(app, request.consent);
    bind_op_id(app, request.order);
    bind_delivery(app, request.order);
}

void bind_old(CLI::App& app, std::string& old) {
    app.add_option("--old", old,
                   "the deployment that clients move from: its name, or FILE, or FILE:DEPLOYMENT, or "
                   "memcached://HOST:PORT; -d or -u names the one that they move to")
        ->type_name("DEPLOYMENT")
        ->required();
}

void bind_who(CLI::App& app, rollout::WhoRequest& request) {
    app.add_option("ACTOR", request.actors,
                   "as the application calls them: `User;42`; `-` reads them, one a line or as rows")
        ->required();
    bind_feature(app, request.feature);
    app.add_option("--at", request.at, "the percentage of actors for which it is on")->type_name("PERCENT")->required();
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
    bind_feature(app, request.feature);
    app.add_option("--at", request.at,
                   "the percentage of actors for which it is on, in the place of what Flipper has stored in the new "
                   "deployment")
        ->type_name("PERCENT");
    bind_actor(app, request.selection);
    bind_row_order(app, request.order);
}

void bind_copy(CLI::App& app, rollout::CopyRequest& request) {
    bind_selection(app, request.selection);
    bind_actor(app, request.selection);
    bind_old(app, request.old);
    refuse_guards(app, "windows are carried over as they are, each only while it is what was seen",
                  "--state and --min-used choose what is carried over");
    bind_consent(app, request.consent);
    bind_op_id(app, request.order);
}

void bind_rollout(CLI::App& app, RolloutRequest& request) {
    using Action = RolloutRequest::Action;
    bind_show(rollout_subcommand(app, request, Action::show, "show", "for whom features of Flipper are on"),
              request.show);
    bind_set(rollout_subcommand(app, request, Action::set, "set", "turn a feature on for a percentage of its actors"),
             request.set);
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
        case RolloutRequest::Action::show: return rollout::run_show(request.show, context);
        case RolloutRequest::Action::set: return rollout::run_set(request.set, context);
        case RolloutRequest::Action::compare: return rollout::run_compare(request.compare, context);
        case RolloutRequest::Action::copy: return rollout::run_copy(request.copy, context);
        case RolloutRequest::Action::who: break;
    }
    return rollout::run_who(request.who, context);
}

}  // namespace

Command rollout_command() {
    return {"rollout", Group::limiters, "from one backend to another: show, set, who, compare, copy",
            "# for how many is the new backend on? now for a quarter of all\n"
            "ratectl rollout show next_limit\n"
            "ratectl rollout set next_limit 25 --reason 'second week'\n"
            "# is this client served by the new backend at 34 %?\n"
            "ratectl rollout who alice --feature next_limit --at 34\n"
            "# who of these moves, from 25 to 50 %?\n"
            "ratectl rollout who - --feature next_limit --at 25 --then 50 < keys.txt\n"
            "# which backend serves these, and what do both have of them?\n"
            "ratectl rollout compare core:bob core:erin --old legacy --feature next_limit\n"
            "# what would erin take along?\n"
            "ratectl rollout copy --client erin --old legacy -n\n"
            "# all take it along; again until all have moved, it adds what came since\n"
            "ratectl rollout copy --match 'core:*' --old legacy",
            bind_request<RolloutRequest, bind_rollout, run_rollout>};
}

}  // namespace ratectl::commands
