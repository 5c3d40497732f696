// check: named keys on the shard that has them, or a sweep.
#include "commands/look/check.h"

#include "commands/all_commands.h"
#include "commands/context.h"
#include "commands/looks/binding_limit.h"
#include "commands/looks/named_looks.h"
#include "commands/request/client_keys.h"
#include "commands/request/refused_flags.h"
#include "commands/sweep/sweep.h"

namespace ratectl::commands {
namespace {

bool asks_several_nodes(const config::Settings& settings, Context& context) {
    return settings.read_from.which == domain::ReadFrom::Which::all || !context.directory().knows_homes();
}

ExitCode check_named(const CheckRequest& request, const Filter& filter, WindowReport& report, domain::LookDepth depth,
                     Context& context) {
    KeyStream keys(request.selection, context);
    NamedQuestion question = question_of_named(filter, context.settings());
    if (!filter.judges_states()) question.depth = depth;
    if (request.look) question.full_first = 0;
    question.as_script = request.as_script;
    LookReceiver receiver;
    receiver.take = [&](const SeenLook& seen) { report.take(seen); };
    receiver.fail = [&](const domain::Node& node, const support::Error& error) {
        report.outcome().fail_once(node, error);
    };
    receiver.duplicate = [&] { report.call_attention(); };
    receiver.idle = [&] {
        if (!keys.count()) report.flush();
    };
    try {
        if ((request.selection.org && !names_organisation(request.selection)) || request.selection.path) {
            const auto bind = [&](const std::string& key, std::optional<bool> binding) { report.bind(key, binding); };
            look_at_stack(stack_of(request.selection), keys, question, filter, context, receiver, bind);
        } else {
            look_at_named(keys, question, filter, context, receiver);
        }
    } catch (const support::Failure& failure) {
        const auto told = report.outcome().broken_off(failure, report.taken() > 0);
        report.finish(false);
        throw support::Failure(told);
    }
    keys.left_out().tell(report.outcome());
    if (request.report.exit_status) keys.tell_untold(report.outcome());
    return report.finish(true);
}

/// Of a check with -q only its exit code is wanted.
class Silence final : public RowReceiver {
public:
    void take(const WindowRow&) override {}
    void take_kept(const WindowRow&) override {}
    void finish(const output::Footer&, std::span<const store::ShardProgress>) override {}
};

void bind_check(Syntax syntax, CheckRequest& request) {
    bind_selection(syntax, request.selection);
    bind_check_flags(syntax, request);
}

}  // namespace

void bind_check_flags(Syntax syntax, CheckRequest& request) {
    bind_order(syntax, request.report);
    syntax
        .add_option("--look", request.look,
                    "light reads both values; full adds types and TTLs (default for the first 100 keys, and always for "
                    "--exit-status and what --state takes)")
        .type_name("light|full");
    syntax.add_flag("--as-script", request.as_script, "look through a Lua script, as the application's limiter does");
}

ExitCode run_check(const CheckRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(window_fields()))) return ExitCode::done;
    const Selection& selection = request.selection;
    check_selection(selection);
    check_organisation(selection);
    const bool sweeps = selects_by_sweep(selection);
    if (!sweeps && !names_keys(selection)) {
        throw support::Failure(
            ExitCode::usage, "check needs something to look at: a KEY, `-`, --client ID, --policy NAME or --match GLOB",
            "`ratectl scan` looks at every window");
    }
    if (sweeps && request.as_script)
        throw support::Failure(ExitCode::usage, "--as-script looks at named keys only", {});
    const auto& settings = context.settings();
    const Filter filter(selection, settings, context.directory());
    const auto depth = look_depth(request.look, filter.needs_full_look() || request.report.exit_status,
                                  columns_need_full_look(context, request.report.sort));
    const auto narrow = asks_several_nodes(settings, context)                             ? kWindowColumnsWithNode
                        : (selection.org || selection.path) && !selection.clients.empty() ? kWindowColumnsWithBinding
                                                                                          : std::string_view{};
    Silence silence;
    ReportOptions options = request.report;
    if (wants_no_rows(context.options())) options.receiver = &silence;
    WindowReport report(context, filter, options, Attention::limited, narrow);
    if (!sweeps) return check_named(request, filter, report, depth, context);
    say_limit_is_no_count(context);
    if (selection.only_client) {
        LeftOut left_out(context);
        note_ownerless(selection, settings.policies, left_out);
        left_out.tell(report.outcome());
    }
    SweepQuestion question;
    question.glob = selection.match;
    question.from = settings.read_from;
    question.depth = depth;
    return run_sweep(question, filter, report, context);
}

Command check_command() {
    return {"check", Group::look, "show used, limit, remaining and reset of windows",
            "# one window, as its primary has it\n"
            "ratectl check core:alice\n"
            "# what every node says about it\n"
            "ratectl check core:alice --from all\n"
            "# alert: 1 limited or corrupt, 0 neither, anything else: cannot tell\n"
            "ratectl check core:alice --exit-status -q\n"
            "# many keys, one a line\n"
            "ratectl check - -o ndjson < keys.txt\n",
            bind_request<CheckRequest, bind_check, run_check>};
}

}  // namespace ratectl::commands
