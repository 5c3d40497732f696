// Flags of scan; the sweep itself is in sweep.cpp.
#include "commands/scan.h"

#include <CLI/CLI.hpp>

#include "commands/rdb_stream.h"
#include "commands/scan_resume.h"
#include "commands/sweep.h"
#include "commands/sweep_pace.h"
#include "commands/window_report.h"
#include "output/printable.h"
#include "support/decimal.h"
#include "support/time_text.h"

namespace ratectl::commands {
namespace {

struct ScanRequest {
    std::optional<std::string> glob;
    Selection selection;
    ReportOptions report;
    std::optional<std::string> look;
    PaceFlags pace;
    std::optional<std::string> resume;
    bool orphans = false;
    bool duplicates = false;
    std::vector<std::string> rdb;
};

void bind_scan(CLI::App& app, ScanRequest& request) {
    app.add_option("glob", request.glob, "only keys that match this pattern, whatever the policies say")
        ->type_name("GLOB");
    app.add_option("--match", request.selection.match, "the same as GLOB")->type_name("GLOB")->group("Selection");
    bind_filters(app, request.selection);
    bind_order(app, request.report);
    app.add_option("--top", request.report.top, "only the N windows with most used, or largest in the column of --sort")
        ->type_name("N");
    app.add_option("--first", request.report.first,
                   "stop after this many rows; with --resume at the end of the page that they end in, so that the next "
                   "scan goes on "
                   "behind it")
        ->type_name("N");
    app.add_flag("--count", request.report.count, "print only how many windows there are");
    app.add_flag("--orphans", request.orphans, "list counters without an expiry half too, if a policy matches them");
    app.add_flag(
        "--duplicates", request.duplicates,
        "only keys that are on several shards; takes up to 64 MiB, and more sweeps beyond six million windows");
    app.add_option(
           "--rdb", request.rdb,
           "read this dump file instead of a server, as a picture of its moment; gzip is unpacked, `-` is standard "
           "input, several are one shard each")
        ->type_name("[NAME=]FILE");
    bind_pace(app, request.pace);
    app.add_option("--resume", request.resume,
                   "go on where this file says an earlier scan stopped, and keep it up to date; rows on the edge come "
                   "again, none is lost; once the scan is finished nothing is left to do until the file is removed")
        ->type_name("FILE");
    app.add_option("--look", request.look, "light reads both values; full adds types and TTLs, at about twice the cost")
        ->type_name("light|full");
}

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
    return text;
}

/// What decides which windows are rows, as it was given.
ScanResume::Question asked(const Selection& selection, const SweepQuestion& question,
                           const config::Settings& settings) {
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
    add("--expiry-suffix", settings.expiry_suffix);
    if (settings.now) add("--now", std::to_string(support::epoch_seconds(*settings.now)));
    for (const domain::Policy& policy : settings.policies.policies()) {
        add("the key template of '" + policy.name + "'", policy.key.text());
    }
    // Where there is no configuration, the servers are what tells one deployment from another.
    if (settings.deployment != "url") return asked;
    std::vector<std::string> addresses;
    for (const auto& shard : settings.shards) addresses.push_back(shard.shard.primary.address());
    add("-u", joined(addresses));
    return asked;
}

void check_resume(const ScanRequest& request, Context& context) {
    if (request.resume->empty()) throw support::Failure(ExitCode::usage, "--resume names no file", {});
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
    question.note_progress = [&resume](std::span<const store::ShardProgress> progress) { resume.note(progress); };
    return run_sweep(question, filter, report, context);
}

/// `dumps` in the place of servers, or null; the context is theirs then.
ExitCode sweep_with(const ScanRequest& request, Context& context, RdbDeployment* dumps) {
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
    using Which = domain::ReadFrom::Which;
    if (request.duplicates &&
        (!selection.shards.empty() || question.from.which == Which::all || question.from.which == Which::node)) {
        throw support::Failure(ExitCode::usage, "--duplicates compares the shards, one node of each",
                               "leave out --shard, and --from unless it is primary or replica");
    }
    const bool full = filter.needs_full_look() || columns_need_full_look(context, request.report.sort);
    question.depth = parse_look(request.look).value_or(full ? domain::LookDepth::full : domain::LookDepth::light);
    question.max_latency = max_latency_of(request.pace);
    question.ops = ops_of(request.pace);
    if (dumps != nullptr) {
        question.from = {};
        question.source = [dumps](store::ScanQuestion scan) { return dumps->scan(std::move(scan)); };
    }
    const bool several_nodes = question.from.which == domain::ReadFrom::Which::all;
    std::optional<ScanResume> resume;
    ReportOptions options = request.report;
    if (request.resume) {
        check_resume(request, context);
        resume.emplace(*request.resume, asked(selection, question, settings), settings);
        options.continues = resume->goes_on();
        options.whole_pages = true;
    }
    WindowReport report(context, filter, options, Attention::any_row,
                        several_nodes ? kWindowColumnsWithNode : std::string_view{});
    if (resume) return sweep_and_note(std::move(question), *resume, filter, report, context);
    return run_sweep(question, filter, report, context);
}

/// A flag that dump files know nothing of, or empty.
std::string flag_for_servers(const ScanRequest& request, const Context& context) {
    if (request.duplicates) return "--duplicates";
    if (request.pace.max_latency) return "--max-latency";
    if (request.pace.ops) return "--ops";
    if (request.resume) return "--resume";
    return context.options().overrides.read_from ? "--from" : "";
}

ExitCode run_scan(const ScanRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(window_fields()))) return ExitCode::done;
    if (request.rdb.empty()) return sweep_with(request, context, nullptr);
    if (const std::string flag = flag_for_servers(request, context); !flag.empty()) {
        throw support::Failure(ExitCode::usage, flag + " is about servers, and --rdb reads files",
                               "leave out one of them");
    }
    RdbDeployment dumps(request.rdb, context);
    return sweep_with(request, dumps.context(), &dumps);
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
