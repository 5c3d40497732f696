// Flags of scan; the sweep itself is in sweep.cpp.
#include "commands/scan.h"

#include <CLI/CLI.hpp>

#include "commands/sweep.h"
#include "commands/window_report.h"

namespace ratectl::commands {
namespace {

struct ScanRequest {
    std::optional<std::string> glob;
    Selection selection;
    ReportOptions report;
    std::optional<std::string> look;
    bool orphans = false;
    bool duplicates = false;
};

void bind_scan(CLI::App& app, ScanRequest& request) {
    app.add_option("glob", request.glob, "only keys that match this pattern, whatever the policies say")
        ->type_name("GLOB");
    app.add_option("--match", request.selection.match, "the same as GLOB")->type_name("GLOB")->group("Selection");
    bind_filters(app, request.selection);
    bind_order(app, request.report);
    app.add_option("--top", request.report.top, "only the N windows with most used, or largest in the column of --sort")
        ->type_name("N");
    app.add_option("--first", request.report.first, "stop after this many rows")->type_name("N");
    app.add_flag("--count", request.report.count, "print only how many windows there are");
    app.add_flag("--orphans", request.orphans, "list counters without an expiry half too, if a policy matches them");
    app.add_flag(
        "--duplicates", request.duplicates,
        "only keys that are on several shards; takes up to 64 MiB, and more sweeps beyond six million windows");
    app.add_option("--look", request.look, "light reads both values; full adds types and TTLs, at about twice the cost")
        ->type_name("light|full");
}

ExitCode run_scan(const ScanRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(window_fields()))) return ExitCode::done;
    Selection selection = request.selection;
    if (request.glob && selection.match) {
        throw support::Failure(ExitCode::usage, "GLOB and --match are the same thing", "give one of them");
    }
    if (request.glob) selection.match = request.glob;
    check_selection(selection);
    const auto& settings = context.settings();
    const Filter filter(selection, settings);
    SweepQuestion question;
    question.glob = selection.match;
    question.from = settings.from_given ? settings.read_from : settings.scan_from;
    question.orphans = request.orphans;
    question.duplicates = request.duplicates;
    if (request.duplicates && (!selection.shards.empty() || question.from.which == domain::ReadFrom::Which::all)) {
        throw support::Failure(ExitCode::usage, "--duplicates compares the shards, one node of each",
                               "leave out --shard and --from all");
    }
    const bool full = filter.needs_full_look() || columns_need_full_look(context, request.report.sort);
    question.depth = parse_look(request.look).value_or(full ? domain::LookDepth::full : domain::LookDepth::light);
    const bool several_nodes = question.from.which == domain::ReadFrom::Which::all;
    WindowReport report(context, filter, request.report, Attention::any_row,
                        several_nodes ? kWindowColumnsWithNode : std::string_view{});
    return run_sweep(question, filter, report, context);
}

}  // namespace

Command scan_command() {
    return {"scan", Group::look, "list the windows of every shard",
            "# every window that a policy knows, from a replica of each shard\n"
            "ratectl scan\n"
            "# the ten heaviest clients of one policy\n"
            "ratectl scan --policy core --top 10\n"
            "# who is limited right now, for a script\n"
            "ratectl scan --state exhausted -o ndjson --exit-status\n"
            "# keys that are on more than one shard\n"
            "ratectl scan --duplicates\n"
            "# every key that begins so, policies or not\n"
            "ratectl scan 'core:acme-*'\n",
            bind_request<ScanRequest, bind_scan, run_scan>};
}

}  // namespace ratectl::commands
