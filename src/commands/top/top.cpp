// top: its flags; the screen is in live.cpp, output elsewhere is a scan's report.
#include "commands/all_commands.h"

#include "commands/report/window_report.h"
#include "commands/request/refused_flags.h"
#include "commands/request/sweep_flags.h"
#include "commands/top/live.h"
#include "support/number_text.h"
#include "support/time_text.h"

namespace ratectl::commands {
namespace {

constexpr std::size_t kRowsOnce = 20;

struct TopRequest {
    SweepFlags sweep;
    std::optional<std::string> sort;
    bool reverse = false;
    std::optional<std::string> rows;
    std::optional<std::string> every;
};

void bind_top(Syntax syntax, TopRequest& request) {
    bind_swept_keys(syntax, request.sweep);
    syntax
        .add_option("--sort", request.sort,
                    "rank by used (default), percent, rate, reset or key; rate is for the screen, where windows are "
                    "seen more than once")
        .type_name("COLUMN");
    syntax.add_flag("--reverse", request.reverse, "the other way round");
    syntax
        .add_option("-N,--rows", request.rows,
                    "how many windows to rank (default: 200 to scroll through on the screen, 20 elsewhere); a counter "
                    "without an expiry half is no window: `scan --orphans` lists it")
        .type_name("N");
    syntax
        .add_option(
            "--every", request.every,
            "how long after the begin of a sweep the next one begins, never before it is through (default: 2s, or "
            "twice what a sweep takes)")
        .type_name("DURATION");
    bind_pace(syntax, request.sweep.pace);
}

top::Order order_of(const TopRequest& request) {
    top::Order order{top::SortKey::used, request.reverse};
    if (!request.sort) return order;
    for (const top::SortKey key : top::all_sort_keys()) {
        if (name_of(key) == *request.sort) return {key, request.reverse};
    }
    throw support::Failure(ExitCode::usage, "--sort '" + *request.sort + "' is not what top ranks by",
                           "one of used, percent, rate, reset, key");
}

std::optional<std::size_t> rows_of(const TopRequest& request) {
    constexpr std::uint64_t most = 10'000;
    if (!request.rows) return std::nullopt;
    const auto rows = support::parse_unsigned(*request.rows, most);
    if (rows && *rows > 0) return static_cast<std::size_t>(*rows);
    throw support::Failure(ExitCode::usage, "--rows '" + *request.rows + "' is not a number of windows from 1 to 10000",
                           "for example --rows 50");
}

/// As `scan --top N --sort COLUMN`.
ExitCode print_once(const top::Order& order, std::size_t rows, const SweepQuestion& question, const Filter& filter,
                    Context& context) {
    if (order.by == top::SortKey::rate) {
        throw support::Failure(ExitCode::usage, "one look at each window tells no rate",
                               "--sort used or percent; `top` on a terminal, without -o, ranks by rate");
    }
    ReportOptions options;
    options.sort = order.by == top::SortKey::reset ? "reset_at" : std::string(name_of(order.by));
    options.top = std::to_string(rows);
    options.reverse = !is_descending(order);
    WindowReport report(context, filter, options, Attention::any_row);
    return run_sweep(question, filter, report, context);
}

ExitCode run_top(const TopRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(window_fields()))) return ExitCode::done;
    const top::Order order = order_of(request);
    const auto rows = rows_of(request);
    top::LiveOptions live{order, std::nullopt, rows.value_or(top::LiveOptions{}.most)};
    if (request.every) live.every = support::duration_of("--every", *request.every);
    const Selection selection = selection_of(request.sweep);
    const Filter filter(selection, context.settings(), context.directory());
    say_limit_is_no_count(context, "--rows N ranks N windows");
    const auto depth = look_depth(request.sweep.look, filter.needs_full_look(), columns_need_full_look(context, {}));
    const SweepQuestion question = question_of(request.sweep, selection, depth, context, nullptr);
    if (question.from.which == domain::ReadFrom::Which::all) {
        throw support::Failure(ExitCode::usage, "top reads one node of each shard",
                               "--from primary, replica or a node");
    }
    const auto& given = context.options();
    const bool once = given.output || given.json || given.columns;
    auto screen = once ? nullptr : context.open_screen();
    if (!screen) return print_once(order, rows.value_or(kRowsOnce), question, filter, context);
    return top::run_live(live, question, filter, std::move(screen), context);
}

}  // namespace

Command top_command() {
    return {"top", Group::look, "watch the heaviest windows live, with their rates",
            "# the heaviest windows of all shards; q leaves, ? tells the other keys\n"
            "ratectl top\n"
            "# who will be limited first\n"
            "ratectl top --policy core --min-used 80% --sort percent\n"
            "# gently, on servers that are busy\n"
            "ratectl top --every 30s --ops 200/s\n"
            "# once, for a script\n"
            "ratectl top -N 10 -o ndjson\n",
            bind_request<TopRequest, bind_top, run_top>};
}

}  // namespace ratectl::commands
