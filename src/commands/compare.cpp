// Keys in chunks to every node of their shards, and what came of it to the report.
#include "commands/compare.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <csignal>

#include <fmt/format.h>

#include "commands/compare_report.h"
#include "commands/key_homes.h"
#include "commands/node_views.h"
#include "commands/placed_keys.h"
#include "commands/selection.h"
#include "support/decimal.h"

namespace ratectl::commands {
namespace {

constexpr std::size_t kChunk = 500;

struct CompareRequest {
    Selection selection;
    std::optional<std::string> min_delta;
    bool show_same = false;
};

void bind_compare(CLI::App& app, CompareRequest& request) {
    bind_selection(app, request.selection);
    app.add_option("--min-delta", request.min_delta,
                   "smaller differences of used are none, as long as it is the same window (default 1)")
        ->type_name("N");
    app.add_flag("--show-same", request.show_same,
                 "with --match or --all: show windows that are the same everywhere, too");
}

std::int64_t min_delta_of(const CompareRequest& request) {
    if (!request.min_delta) return 1;
    const auto number = support::parse_unsigned(*request.min_delta, support::kMaxExactInteger);
    if (number && *number > 0) return static_cast<std::int64_t>(*number);
    throw support::Failure(ExitCode::usage,
                           fmt::format("--min-delta '{}' is not a number of requests", *request.min_delta),
                           "for example --min-delta 10");
}

bool is_absent_everywhere(const WindowViews& window) {
    return std::all_of(window.views.begin(), window.views.end(),
                       [](const domain::NodeView& view) { return view.look && is_absent(*view.look); });
}

class Comparison {
public:
    Comparison(const CompareRequest& request, Context& context)
        : context_(context),
          filter_(request.selection, context.settings()),
          min_delta_(min_delta_of(request)),
          keys_(request.selection, filter_, context, domain::ReadFrom{domain::ReadFrom::Which::all, {}}),
          report_(context, keys_.is_sweep() && !request.show_same) {}

    ExitCode run() {
        try {
            for (auto keys = keys_.next(kChunk); !keys.empty(); keys = keys_.next(kChunk)) compare(keys);
        } catch (const support::Failure&) {
            report_.finish(false);
            throw;
        }
        context_.messages().clear_progress();
        for (const auto& [node, error] : keys_.failures()) report_.fail(node, error);
        const int signal = context_.stop().signal();
        const ExitCode code = report_.finish(signal == 0);
        if (signal == 0) return code;
        return support::graver(code, signal == SIGINT ? ExitCode::interrupted : ExitCode::terminated);
    }

private:
    void compare(std::span<const store::KeyAt> keys) {
        const ViewQuestion question{context_.now(), min_delta_};
        auto windows = view_windows(keys, question, context_);
        if (context_.stop()) return;  // what did not answer any more is no difference
        if (is_home_unknown(context_)) leave_out_absent(windows);
        for (const WindowViews& window : windows) {
            if (accepts(window, question.now)) report_.take(window, question.now);
        }
        if (!is_home_unknown(context_)) look_elsewhere(windows, question.now);
        if (keys_.is_sweep()) {
            context_.messages().progress(
                fmt::format("{} windows, {} of them differ", report_.windows(), report_.differing()));
        }
        report_.flush();
    }

    /// A sweep has asked the filter already.
    bool accepts(const WindowViews& window, support::Instant now) const {
        if (keys_.is_sweep()) return true;
        return std::any_of(window.views.begin(), window.views.end(), [&](const domain::NodeView& view) {
            return !view.look || filter_.accepts(window.key, domain::judge(*view.look, now, window.limit), now);
        });
    }

    /// Every shard was asked: those that have the key are meant, or one in place of all where none has it.
    static void leave_out_absent(std::vector<WindowViews>& windows) {
        std::vector<WindowViews> kept;
        for (auto begin = windows.begin(); begin != windows.end();) {
            const auto end = std::find_if(begin, windows.end(), [&](const auto& w) { return w.key != begin->key; });
            const bool nowhere = std::all_of(begin, end, is_absent_everywhere);
            for (auto window = begin; window != end; ++window) {
                if (nowhere || !is_absent_everywhere(*window)) kept.push_back(std::move(*window));
                if (nowhere) break;
            }
            begin = end;
        }
        windows = std::move(kept);
    }

    void look_elsewhere(const std::vector<WindowViews>& windows, support::Instant now) {
        std::vector<store::KeyAt> keys;
        std::vector<const WindowViews*> homes;
        for (const WindowViews& window : windows) {
            if (!is_absent_everywhere(window)) continue;
            keys.push_back({window.key, window.shard});
            homes.push_back(&window);
        }
        for (const StrayWindow& stray : look_on_other_shards(keys, context_))
            report_.take_stray(*homes[stray.key], stray, now);
    }

    Context& context_;
    Filter filter_;
    std::int64_t min_delta_;
    PlacedKeys keys_;
    CompareReport report_;
};

ExitCode run_compare(const CompareRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(compare_fields()))) return ExitCode::done;
    return Comparison(request, context).run();
}

}  // namespace

Command compare_command() {
    return {"compare", Group::investigate, "the same window on every node of its shard, and why nodes differ",
            "# does a replica tell this client something else than the primary?\n"
            "ratectl compare core:alice\n"
            "# windows of a policy that differ by three requests or more\n"
            "ratectl compare --match 'core:*' --min-delta 3\n"
            "# all facts for a script: 0 the same, 1 they differ, 9 a node gave no answer\n"
            "ratectl compare core:alice -o ndjson",
            bind_request<CompareRequest, bind_compare, run_compare>};
}

}  // namespace ratectl::commands
