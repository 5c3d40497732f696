// scan: its flags; the sweep itself is in commands/sweep.
#include "commands/all_commands.h"

#include "commands/report/window_report.h"
#include "commands/request/refused_flags.h"
#include "commands/request/sweep_flags.h"
#include "commands/sweep/scan_resume.h"
#include "output/printable.h"
#include "support/number_text.h"
#include "support/time_text.h"

namespace ratectl::commands {
namespace {

struct ScanRequest {
    SweepFlags sweep;
    ReportOptions report;
    std::optional<std::string> resume;
    bool duplicates = false;
};

void bind_scan(Syntax syntax, ScanRequest& request) {
    bind_swept_keys(syntax, request.sweep);
    bind_order(syntax, request.report);
    syntax
        .add_option("--top", request.report.top,
                    "only the N windows with most used, or largest in the column of --sort")
        .type_name("N");
    syntax
        .add_option(
            "--first", request.report.first,
            "stop after this many rows; with --resume at the end of the page that they end in, so that the next "
            "scan goes on "
            "behind it")
        .type_name("N");
    syntax.add_flag("--count", request.report.count, "print only how many windows there are");
    syntax.add_flag(
        "--duplicates", request.duplicates,
        "only keys that are on several shards; takes up to 64 MiB, and more sweeps beyond six million windows");
    bind_sweep_source(syntax, request.sweep);
    syntax
        .add_option("--resume", request.resume,
                    "go on where this file says an earlier scan stopped, and keep it up to date; rows on the edge come "
                    "again, none is lost; once the scan is finished nothing is left to do until the file is removed")
        .type_name("FILE");
}

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
    return text;
}

/// An hour ahead is another moment each time, and the same question.
std::string now_as_given(Context& context) {
    const auto& flag = context.options().overrides.now;
    return flag ? *flag : context.env("RATECTL_NOW").value_or("");
}

/// What decides which windows are rows, as it was given.
ScanResume::Question asked(const Selection& selection, const SweepQuestion& question, Context& context) {
    const auto& settings = context.settings();
    ScanResume::Question asked;
    const auto add = [&asked](const std::string& name, const std::string& value) {
        if (!value.empty()) asked.emplace_back(name, output::printable(value));
    };
    add("the pattern", selection.match.value_or(""));
    add("--policy", joined(selection.policies));
    add("--class", joined(selection.classes));
    add("--state", joined(selection.states));
    add("--min-used", selection.min_used.value_or(""));
    add("--resets-within", selection.resets_within.value_or(""));
    add("--shard", joined(selection.shards));
    add("--limit", settings.limit ? std::to_string(*settings.limit) : "");
    add("--from", domain::name_of(question.from));
    add("--look", std::string(domain::name_of(question.depth)));
    if (question.orphans) add("--orphans", "yes");
    add("--scheme", settings.layout.scheme);
    add("--expiry-suffix", settings.layout.expiry_suffix);
    if (settings.now) add("--now", now_as_given(context));
    const auto& directory = context.directory();
    // A Redis Cluster's are told from one another by their ids, and may be others by now.
    const auto shards = directory.has_slots() ? 0 : directory.places().size();
    for (std::size_t shard = 0; shard < shards; ++shard)
        add("the primary of shard '" + directory.name_of(shard) + "'", directory.primary(shard).endpoint.url());
    for (const domain::Policy& policy : settings.policies.policies()) {
        add("the key template of '" + policy.name + "'", policy.key.text());
        add("the scheme of '" + policy.name + "'", policy.scheme);
    }
    return asked;
}

void check_resume(const ScanRequest& request, Context& context) {
    if (request.resume->empty()) throw support::Failure(ExitCode::usage, "--resume names no file", {});
    if (*request.resume == "-") {
        throw support::Failure(ExitCode::usage,
                               "--resume keeps a file up to date while rows are printed, and '-' is none",
                               "name the file; ./- is one of that name");
    }
    const bool keeps = request.report.sort || request.report.top || request.report.count || request.duplicates;
    if (!keeps && context.sink_options({}).format != output::Format::json) return;
    throw support::Failure(
        ExitCode::usage, "--resume is for rows that are written as they come, and here they are held back to the end",
        "leave out --sort, --top, --count, --duplicates and -o json; -o ndjson writes each row at once");
}

ExitCode sweep_and_note(SweepQuestion question, ScanResume& resume, const Filter& filter, WindowReport& report,
                        Context& context) {
    resume.begin(context.messages());
    if (resume.finished()) return report.finish(true);
    question.resume = resume.cursors();
    question.resume_slots = resume.slots();
    question.note_progress = [&resume](const store::ScanMark& mark) { resume.note(mark); };
    return run_sweep(question, filter, report, context);
}

/// `dumps` in the place of servers, or null; the context is theirs then.
ExitCode sweep_with(const ScanRequest& request, Context& context, RdbDeployment* dumps) {
    const Selection selection = selection_of(request.sweep);
    const auto& settings = context.settings();
    const Filter filter(selection, settings, context.directory());
    say_limit_is_no_count(context, "--first N shows the first N rows, --top N those with the most requests");
    const auto depth =
        look_depth(request.sweep.look, filter.needs_full_look(), columns_need_full_look(context, request.report.sort));
    SweepQuestion question = question_of(request.sweep, selection, depth, context, dumps);
    question.duplicates = request.duplicates;
    using Which = domain::ReadFrom::Which;
    if (request.duplicates &&
        (!selection.shards.empty() || question.from.which == Which::all || question.from.which == Which::node)) {
        throw support::Failure(ExitCode::usage, "--duplicates compares the shards, one node of each",
                               "leave out --shard, and --from unless it is primary or replica");
    }
    const bool several_nodes = question.from.which == Which::all;
    std::optional<ScanResume> resume;
    ReportOptions options = request.report;
    if (request.resume) {
        check_resume(request, context);
        resume.emplace(*request.resume, asked(selection, question, context), settings);
        options.continues = resume->goes_on();
        options.whole_pages = true;
    }
    WindowReport report(context, filter, options, Attention::any_row,
                        several_nodes ? kWindowColumnsWithNode : std::string_view{});
    if (resume) return sweep_and_note(std::move(question), *resume, filter, report, context);
    return run_sweep(question, filter, report, context);
}

ExitCode run_scan(const ScanRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(window_fields()))) return ExitCode::done;
    const std::string servers_only = request.duplicates ? "--duplicates" : request.resume ? "--resume" : "";
    return on_servers_or_dumps(request.sweep, servers_only, context, [&](Context& chosen, RdbDeployment* dumps) {
        return sweep_with(request, chosen, dumps);
    });
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
            "# what it was at 3 am: the backups of two shards, and who was limited\n"
            "ratectl scan --rdb alpha.rdb --rdb beta.rdb.gz --state exhausted\n"
            "# a listing that may be interrupted, and takes up where it stopped\n"
            "ratectl scan -o ndjson --resume scan.json >> windows.ndjson\n"
            "# keys that are on more than one shard\n"
            "ratectl scan --duplicates\n"
            "# every key that begins so, policies or not\n"
            "ratectl scan 'core:acme-*'\n",
            bind_request<ScanRequest, bind_scan, run_scan>};
}

}  // namespace ratectl::commands
