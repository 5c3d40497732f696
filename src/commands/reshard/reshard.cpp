// reshard: the flags of its subcommands.
#include "commands/all_commands.h"

#include <fmt/format.h>

#include "commands/report/fields/reshard_fields.h"
#include "commands/report/row_writer.h"
#include "commands/request/selection.h"
#include "commands/reshard/reshard_request.h"
#include "commands/write/write_order.h"
#include "support/number_text.h"

namespace ratectl::commands {
namespace {

constexpr std::uint64_t kMostPercent = 100'000;

struct ReshardRequest {
    bool moves = false;
    std::string from;
    std::string to;
    std::vector<std::string> states;
    std::string above = "80%";
    ConsentFlags consent;
    std::optional<std::string> op_id;
    bool no_op_key = false;
    bool merge = false;
    ColumnOrder order;
};

void bind_sides(Syntax syntax, ReshardRequest& request) {
    syntax.add_option("FROM", request.from, "the deployment as it is: its name, or FILE, or FILE:DEPLOYMENT")
        .required();
    syntax.add_option("TO", request.to, "the deployment as it will be").required();
    syntax.add_option("--state", request.states, "take windows in these states along, too; live ones always are")
        .type_name("STATE")
        .delimiter(',');
    bind_row_order(syntax, request.order);
}

void bind_reshard(Syntax syntax, ReshardRequest& request) {
    auto plan = syntax.add_subcommand("plan", "how many windows would move, and which clients would notice",
                                      request.moves, false);
    bind_sides(plan, request);
    plan.add_option("--above", request.above,
                    "list the clients that have used so much of their limit and would get a fresh window (default 80%)")
        .type_name("P%");
    auto apply = syntax.add_subcommand("apply", "move the windows: copy, verify, then remove", request.moves, true);
    bind_sides(apply, request);
    apply.add_flag("--merge", request.merge,
                   "where a newer window stands at the target, leave what would be there if the one that is moved had "
                   "been there all the time");
    bind_consent(apply, request.consent);
    refuse_guards(apply, "windows are moved as they are, each only while it is what was seen",
                  "--state chooses what is moved");
    apply.add_option("--op-id", request.op_id, "the operation's id, instead of a fresh one")
        .type_name("ID")
        .group("Safety");
    apply
        .add_flag("--no-op-key", request.no_op_key,
                  "leave no operation keys on the servers; a reply that is lost then stays unknown")
        .group("Safety");
}

double percent_of(const std::string& text) {
    const bool marked = text.ends_with('%');
    const auto number = support::parse_unsigned(marked ? text.substr(0, text.size() - 1) : text, kMostPercent);
    if (!number) {
        throw support::Failure(ExitCode::usage, fmt::format("--above '{}' is not a share of the limit", text),
                               "for example --above 80%");
    }
    return static_cast<double>(*number);
}

ExitCode run_reshard(const ReshardRequest& request, Context& context) {
    const auto columns = request.moves ? output::columns_of(move_fields()) : output::columns_of(forecast_fields());
    if (answer_columns_help(context, columns)) return ExitCode::done;
    const double above = percent_of(request.above);
    Selection named;
    named.states = request.states;
    auto deployments = reshard::open_pair(request.from, request.to, context);
    const auto states = Filter(named, deployments.from.settings, deployments.from.store->directory()).states();
    if (!request.moves) return reshard::forecast({above, states, request.order}, deployments, context);
    return reshard::apply({states, request.consent, request.op_id, !request.no_op_key, request.order, request.merge},
                          deployments, context);
}

}  // namespace

Command reshard_command() {
    return {"reshard", Group::investigate, "what a change of shards does to live windows, and moving them along",
            "# how many windows would move, and who would get a fresh one?\n"
            "ratectl reshard plan three.toml four.toml\n"
            "# the same between two deployments of one file, for a script\n"
            "ratectl reshard plan production production-new --above 95% -o ndjson\n"
            "# move them, after a question; cut short, the same command goes on\n"
            "ratectl reshard apply three.toml four.toml --reason 'a fourth shard'\n"
            "# into a Redis Cluster, whose policies say what the keys become\n"
            "ratectl reshard plan three.toml cluster.toml",
            bind_request<ReshardRequest, bind_reshard, run_reshard>};
}

}  // namespace ratectl::commands
