// watch: its flags; the watching itself is in run.cpp.
#include "commands/all_commands.h"

#include "commands/report/fields/watch_fields.h"
#include "commands/report/row_writer.h"
#include "commands/request/refused_flags.h"
#include "commands/sweep/sweep.h"
#include "commands/watch/run.h"
#include "support/number_text.h"
#include "support/time_text.h"

namespace ratectl::commands {
namespace {

using support::Failure;

constexpr support::Milliseconds kSweepEvery{5000};
constexpr support::Milliseconds kLeastEvery{10};

struct WatchRequest {
    Selection selection;
    std::vector<std::string> until;
    bool any = false;
    std::optional<std::string> every;
    std::optional<std::string> rounds;
    std::optional<std::string> look;
};

void bind_watch(Syntax syntax, WatchRequest& request) {
    bind_selection(syntax, request.selection);
    syntax
        .add_option(
            "--until", request.until,
            "end with 0 when this holds for every window: ended, exhausted, below:N, below:P%, absent, changed; "
            "several: when one of them does")
        .type_name("CONDITION")
        .delimiter(',');
    syntax.add_flag("--any", request.any, "with --until: when it holds for any one window");
    syntax.add_option("--every", request.every, "how often to look (default 1s; 5s with --match and --all)")
        .type_name("DURATION");
    syntax.add_option("--rounds", request.rounds, "end after looking so many times").type_name("N");
    syntax
        .add_option("--look", request.look,
                    "light reads both values (default); full adds types and TTLs (always for what --state takes)")
        .type_name("light|full");
}

support::Milliseconds interval_of(const WatchRequest& request, bool sweeps) {
    if (!request.every) return sweeps ? kSweepEvery : watch::Order().every;
    const auto every = support::duration_of("--every", *request.every);
    if (every < kLeastEvery)
        throw Failure(ExitCode::usage, "--every '" + *request.every + "' is too often", "10ms is the least");
    return every;
}

watch::Order order_of(const WatchRequest& request, bool sweeps) {
    watch::Order order;
    for (const auto& text : request.until) {
        auto goal = domain::parse_window_goal(text);
        if (!goal) throw Failure(ExitCode::usage, "--until: " + goal.error().message, goal.error().hint);
        order.goals.push_back(*goal);
    }
    order.any_window = request.any;
    if (request.any && order.goals.empty())
        throw Failure(ExitCode::usage, "--any needs something to wait for", "say it with --until");
    order.every = interval_of(request, sweeps);
    if (request.rounds) {
        order.rounds = support::parse_unsigned(*request.rounds, UINT32_MAX);
        if (!order.rounds || *order.rounds == 0)
            throw Failure(ExitCode::usage, "--rounds '" + *request.rounds + "' is not a number above 0",
                          "for example --rounds 10");
    }
    return order;
}

ExitCode run_watch(const WatchRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(watch_fields()))) return ExitCode::done;
    const Selection& selection = request.selection;
    check_selection(selection);
    const bool sweeps = selects_by_sweep(selection);
    if (!sweeps && !names_keys(selection)) {
        throw Failure(ExitCode::usage, "watch needs something to look at: a KEY, `-`, --client ID or --match GLOB",
                      "`ratectl watch --all` watches every window that a policy knows");
    }
    if (sweeps) say_limit_is_no_count(context);
    watch::Order order = order_of(request, sweeps);
    const Filter filter(selection, context.settings(), context.directory());
    order.depth = look_depth(request.look, filter.judges_states(), columns_need_full_look(context, {}));
    return watch::run_rounds(order, selection, filter, context);
}

}  // namespace

Command watch_command() {
    return {"watch", Group::look, "print a line for every change of windows, or wait for one",
            "# what happens to one window, as it happens\n"
            "ratectl watch core:alice\n"
            "# wait until a client may go on, ten minutes at most: 0 yes, 1 no\n"
            "ratectl watch --client alice --until below:80% --deadline 10m -q\n"
            "# wait for the end of a window, then look at the next one\n"
            "ratectl watch core:alice --until ended && ratectl check core:alice\n"
            "# tell whenever a client reaches a limit\n"
            "ratectl watch --match 'core:*' -o ndjson | grep '\"exhausted\"'\n"
            "# every server of the shard: which replica is behind\n"
            "ratectl watch core:alice --from all --every 200ms\n",
            bind_request<WatchRequest, bind_watch, run_watch>};
}

}  // namespace ratectl::commands
