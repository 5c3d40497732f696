// stats: its flags, and the choice of the format that prints its figures.
#include "commands/all_commands.h"

#include <numeric>

#include "commands/report/fields/stats_fields.h"
#include "commands/report/row_writer.h"
#include "commands/request/sweep_flags.h"
#include "commands/stats/figures.h"
#include "support/number_text.h"

namespace ratectl::commands {
namespace {

using support::Failure;

struct StatsRequest {
    SweepFlags sweep;
    std::vector<std::string> at_limit;
    std::optional<std::string> names;
    bool exit_status = false;
};

void bind_stats(Syntax syntax, StatsRequest& request) {
    bind_swept_keys(syntax, request.sweep);
    syntax
        .add_option("--at-limit", request.at_limit,
                    "how many would be limited at each of these limits, or shares of the present ones")
        .type_name("N|P%")
        .delimiter(',');
    syntax
        .add_option(
            "--names", request.names,
            "name the N heaviest windows, too (default: none; json 20; html 100000, if the page stays below 5 MB)")
        .type_name("N");
    syntax.add_flag("--exit-status", request.exit_status, "exit code 1 when a window is exhausted or corrupt");
    bind_sweep_source(syntax, request.sweep);
}

/// A format of stats, how it is made, and how many windows it names unasked.
struct Choice {
    std::unique_ptr<stats::Printer> (*make)(Context&);
    std::uint64_t names;
};

Choice choice_of(Context& context) {
    const auto& output = context.options().output;
    if (output == "html") return {stats::make_page_printer, 100'000};
    if (output == "prometheus") return {stats::make_prometheus_printer, 0};
    switch (context.sink_options("").format) {
        case output::Format::table:
        case output::Format::wide: return {stats::make_text_printer, 0};
        case output::Format::json: return {stats::make_json_printer, 20};
        case output::Format::name:
            throw Failure(ExitCode::usage, "-o name lists keys, and stats counts them",
                          "`ratectl scan -o name` lists them");
        default: return {stats::make_row_printer, 0};
    }
}

std::uint64_t names_of(const StatsRequest& request, const Choice& choice) {
    if (!request.names) return choice.names;
    const auto number = support::parse_unsigned(*request.names, 1'000'000);
    if (!number) {
        throw Failure(ExitCode::usage, "--names '" + *request.names + "' is not a number of windows up to 1000000",
                      "for example --names 10");
    }
    return *number;
}

std::vector<stats::Trial> trials_of(const StatsRequest& request) {
    std::vector<stats::Trial> trials{{"today", {std::nullopt, 100}}};
    for (const std::string& text : request.at_limit) {
        const auto trial = domain::parse_limit_trial(text);
        if (!trial) {
            throw Failure(ExitCode::usage, "--at-limit '" + text + "' is neither a limit nor a percentage",
                          "for example --at-limit 20,30,60 or --at-limit 80%");
        }
        trials.push_back({text, *trial});
    }
    return trials;
}

/// Those that are asked, or that have a dump.
std::vector<std::size_t> swept_shards(const Filter& filter, const store::Directory& directory,
                                      const RdbDeployment* dumps) {
    std::vector<std::size_t> all(directory.places().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (dumps != nullptr) {
        all.clear();
        for (const RdbFile& file : dumps->files()) all.push_back(file.shard);
    }
    std::erase_if(all, [&](std::size_t shard) { return !filter.accepts_shard(shard); });
    return all;
}

ExitCode count_windows(const StatsRequest& request, Context& context, RdbDeployment* dumps) {
    const Selection selection = selection_of(request.sweep);
    const auto& settings = context.settings();
    const Filter filter(selection, settings, context.directory());
    const auto depth = look_depth(request.sweep.look, filter.needs_full_look() || request.exit_status, false);
    const SweepQuestion question = question_of(request.sweep, selection, depth, context, dumps);
    if (question.from.which == domain::ReadFrom::Which::all)
        throw Failure(ExitCode::usage, "stats counts every window once, and --from all reads it from every node",
                      "--from primary or --from replica");
    const Choice choice = choice_of(context);
    const std::uint64_t names = names_of(request, choice);
    const auto printer = choice.make(context);
    stats::Collector collector(context, swept_shards(filter, context.directory(), dumps), trials_of(request), *printer);
    ReportOptions options;
    options.exit_status = request.exit_status;
    options.receiver = &collector;
    if (names > 0) options.top = std::to_string(names);
    WindowReport report(context, filter, options, Attention::limited);
    return run_sweep(question, filter, report, context);
}

ExitCode run_stats(const StatsRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(stats_fields()))) return ExitCode::done;
    return on_servers_or_dumps(request.sweep, {}, context, [&](Context& chosen, RdbDeployment* dumps) {
        return count_windows(request, chosen, dumps);
    });
}

}  // namespace

Command stats_command() {
    return {"stats", Group::look, "figures over all windows: use, shards, resets ahead",
            "# how much is used, how even are the shards, what resets when\n"
            "ratectl stats\n"
            "# who would be limited at other limits? The ten heaviest by name\n"
            "ratectl stats --policy search --at-limit 20,30,60 --names 10\n"
            "# for a textfile collector: written beside, then put in place\n"
            "ratectl stats -o prometheus > rate.prom.$$ && mv rate.prom.$$ rate.prom\n"
            "# a page to send or keep: charts, and a table to search\n"
            "ratectl stats -o html > stats.html\n"
            "# the same figures of last night, from backups\n"
            "ratectl stats --rdb alpha.rdb --rdb beta.rdb.gz\n",
            bind_request<StatsRequest, bind_stats, run_stats>};
}

}  // namespace ratectl::commands
