// rollout: the flags of its subcommands.

#include "commands/all_commands.h"
#include "commands/request/refused_flags.h"
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

void bind_feature(Syntax syntax, std::string& feature) {
    syntax.add_option("--feature", feature, "the feature's name").type_name("NAME").required();
}

void bind_show(Syntax syntax, rollout::ShowRequest& request) {
    syntax.add_option("NAME", request.features, "features of Flipper, by their names; none: all that there are");
    bind_row_order(syntax, request.order);
}

void bind_set(Syntax syntax, rollout::SetRequest& request) {
    syntax.add_option("NAME", request.feature, "a feature of Flipper, by its name").required();
    syntax.add_option("PERCENT", request.share, "for how many of its actors it is to be on: 0 to 100, 12.5").required();
    bind_consent(syntax, request.consent);
    bind_op_id(syntax, request.order);
    bind_delivery(syntax, request.order);
}

void bind_old(Syntax syntax, std::string& old) {
    syntax
        .add_option("--old", old,
                    "the deployment that clients move from: its name, or FILE, or FILE:DEPLOYMENT, or "
                    "memcached://HOST:PORT; -d or -u names the one that they move to")
        .type_name("DEPLOYMENT")
        .required();
}

void bind_who(Syntax syntax, rollout::WhoRequest& request) {
    syntax
        .add_option("ACTOR", request.actors,
                    "as the application calls them: `User;42`; `-` reads them, one a line or as rows")
        .required();
    bind_feature(syntax, request.feature);
    syntax.add_option("--at", request.at, "the percentage of actors for which it is on")
        .type_name("PERCENT")
        .required();
    syntax.add_option("--then", request.then, "another percentage: who moves from the one to the other?")
        .type_name("PERCENT");
    refuse_other_nodes(syntax, "who is on which side is computed, and no node is asked");
    bind_row_order(syntax, request.order);
}

void bind_compare(Syntax syntax, rollout::CompareRequest& request) {
    syntax.add_option("key", request.selection.keys, "a key, literally; `-` reads keys from standard input")
        .type_name("KEY");
    syntax
        .add_option("--client", request.selection.clients,
                    "every key of this client, over all policies; `-` reads ids from standard input")
        .type_name("ID");
    bind_input_format(syntax, request.selection);
    syntax.add_option("--policy", request.selection.policies, "only keys of these policies")
        .type_name("NAME")
        .delimiter(',');
    bind_old(syntax, request.old);
    bind_feature(syntax, request.feature);
    syntax
        .add_option("--at", request.at,
                    "the percentage of actors for which it is on, in the place of what Flipper has stored in the new "
                    "deployment")
        .type_name("PERCENT");
    bind_actor(syntax, request.selection);
    refuse_other_nodes(syntax, "the primaries of the two deployments are compared");
    bind_row_order(syntax, request.order);
}

void bind_copy(Syntax syntax, rollout::CopyRequest& request) {
    bind_selection(syntax, request.selection);
    bind_actor(syntax, request.selection);
    bind_old(syntax, request.old);
    refuse_guards(syntax, "windows are carried over as they are, each only while it is what was seen",
                  "--state and --min-used choose what is carried over");
    bind_consent(syntax, request.consent);
    bind_op_id(syntax, request.order);
}

void bind_rollout(Syntax syntax, RolloutRequest& request) {
    using Action = RolloutRequest::Action;
    bind_show(syntax.add_subcommand("show", "for whom features of Flipper are on", request.action, Action::show),
              request.show);
    bind_set(
        syntax.add_subcommand("set", "turn a feature on for a percentage of its actors", request.action, Action::set),
        request.set);
    bind_who(
        syntax.add_subcommand("who", "for which actors the feature is on at a percentage, and who moves to another",
                              request.action, Action::who),
        request.who);
    bind_compare(
        syntax.add_subcommand("compare", "which of two deployments serves these clients, and what both have of them",
                              request.action, Action::compare),
        request.compare);
    bind_copy(syntax.add_subcommand("copy", "carry windows over, so that no client starts afresh where it moves to",
                                    request.action, Action::copy),
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
