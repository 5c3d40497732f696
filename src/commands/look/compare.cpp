// compare: asks every node of a shard for the keys, a chunk at a time, and reports what they answered.
#include "commands/all_commands.h"

#include <algorithm>

#include <fmt/format.h>

#include "commands/context.h"
#include "commands/look/compare_report.h"
#include "commands/looks/meant_instead.h"
#include "commands/looks/node_views.h"
#include "commands/looks/placed_keys.h"
#include "commands/request/refused_flags.h"
#include "commands/request/selection.h"
#include "commands/sweep/duplicates.h"
#include "support/number_text.h"

namespace ratectl::commands {
namespace {

constexpr std::size_t kComparedAtOnce = 500;

struct CompareRequest {
    Selection selection;
    std::optional<std::string> min_delta;
    bool show_same = false;
    ColumnOrder order;
};

void bind_compare(Syntax syntax, CompareRequest& request) {
    bind_selection(syntax, request.selection);
    syntax
        .add_option("--min-delta", request.min_delta,
                    "show no difference in used that is smaller, as long as it is the same window (default 1)")
        .type_name("N");
    syntax.add_flag("--show-same", request.show_same,
                    "with --match or --all: show windows that are the same everywhere, too");
    bind_row_order(syntax, request.order);
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
                       [](const domain::NodeView& view) { return view.look && domain::is_absent(*view.look); });
}

/// What the node that counts shows, or else any; null: no node that answers has the key.
const domain::WindowLook* shown_look(const WindowViews& window) {
    const auto there = [](const domain::NodeView& view) { return view.look && !domain::is_absent(*view.look); };
    const auto& reference = window.divergence.reference;
    if (reference && there(window.views[*reference])) return &*window.views[*reference].look;
    const auto found = std::find_if(window.views.begin(), window.views.end(), there);
    return found == window.views.end() ? nullptr : &*found->look;
}

class Comparison {
public:
    Comparison(const CompareRequest& request, Context& context)
        : context_(context),
          filter_(request.selection, context.settings(), context.directory()),
          min_delta_(min_delta_of(request)),
          keys_(request.selection, filter_, context, domain::ReadFrom{domain::ReadFrom::Which::all, {}}),
          report_(context, keys_.is_sweep() && !request.show_same, request.order),
          duplicates_(context),
          meant_(context) {}

    ExitCode run() {
        keys_.is_sweep() ? say_limit_is_no_count(context_) : say_from_is_unused(context_);
        try {
            for (auto keys = keys_.next(kComparedAtOnce); !keys.empty(); keys = keys_.next(kComparedAtOnce))
                compare(keys);
        } catch (const support::Failure& failure) {
            const auto told = report_.outcome().broken_off(failure, report_.windows() > 0);
            report_.finish(false);
            throw support::Failure(told);
        }
        const bool whole = !context_.stop();
        if (whole) context_.stop().come_too_late();
        context_.messages().clear_progress();
        duplicates_.finish();
        if (duplicates_.count() > 0) report_.call_attention();
        for (const auto& [node, error] : keys_.failures()) report_.outcome().fail_once(node, error);
        keys_.tell_left_out(report_.outcome());
        return report_.finish(whole);
    }

private:
    void compare(std::span<const store::KeyAt> keys) {
        ViewQuestion question{context_.now(), min_delta_};
        question.every_node = true;
        auto windows = view_windows(keys, question, context_);
        if (context_.stop()) return keys_.drop(keys);  // what did not answer any more is not a difference
        if (!context_.directory().knows_homes()) leave_out_absent(windows, question.now);
        if (keys_.is_sweep()) mark_misplaced(windows);
        const auto strays = look_elsewhere(windows);
        auto first = strays.begin();
        for (std::size_t i = 0; i < windows.size(); ++i) {
            const auto end = std::find_if(first, strays.end(), [i](const StrayWindow& s) { return s.key != i; });
            const std::span<const StrayWindow> of_key(first, end);
            if (!keys_.is_sweep()) note_meant(windows[i], question.now);
            if (accepts(windows[i], of_key, question.now)) report_.take(windows[i], of_key, question.now);
            first = end;
        }
        if (keys_.is_sweep()) {
            context_.messages().progress(
                fmt::format("{} windows, {} of them differ", report_.windows(), report_.differing()));
        }
        report_.flush();
    }

    /// A sweep has asked the filter already.
    bool accepts(const WindowViews& window, std::span<const StrayWindow> strays, support::Moment now) {
        if (keys_.is_sweep()) return true;
        const auto accepted = [&](const domain::WindowLook& look) {
            return keys_.lets_through(window.key, domain::judge(look, now, window.limit), now);
        };
        return std::any_of(window.views.begin(), window.views.end(),
                           [&](const domain::NodeView& view) { return !view.look || accepted(*view.look); }) ||
               std::any_of(strays.begin(), strays.end(),
                           [&](const StrayWindow& stray) { return accepted(stray.look); });
    }

    void note_meant(const WindowViews& window, support::Moment now) {
        if (const auto* shown = shown_look(window)) {
            meant_.note(window.key, domain::judge(*shown, now, {}).state);
        } else if (is_absent_everywhere(window)) {
            meant_.note(window.key, domain::WindowState::absent);
        } else {
            meant_.note_part(window.key);
        }
    }

    /// Every shard was asked: those that have the key are meant, or one in place of all where none has it.
    void leave_out_absent(std::vector<WindowViews>& windows, support::Moment now) {
        std::vector<WindowViews> kept;
        for (auto begin = windows.begin(); begin != windows.end();) {
            const auto end = std::find_if(begin, windows.end(), [&](const auto& w) { return w.key != begin->key; });
            const bool nowhere = std::all_of(begin, end, is_absent_everywhere);
            report_copies({begin, end}, now);
            for (auto window = begin; window != end; ++window) {
                if (nowhere || !is_absent_everywhere(*window)) kept.push_back(std::move(*window));
                if (nowhere) break;
            }
            begin = end;
        }
        windows = std::move(kept);
    }

    void report_copies(std::span<const WindowViews> homes, support::Moment now) {
        std::vector<Copy> copies;
        for (const WindowViews& home : homes) {
            if (const auto* look = shown_look(home)) copies.push_back({home.views.front().node.shard, look, now});
        }
        if (copies.size() > 1) duplicates_.report(homes.front().key, copies);
    }

    /// What a sweep has found where the application does not look for it.
    void mark_misplaced(std::vector<WindowViews>& windows) {
        const auto& directory = context_.directory();
        if (!directory.knows_homes() || directory.leads_to_keys()) return;
        for (WindowViews& window : windows) {
            const auto home = directory.place_of(window.key)->shard;
            auto& found = window.divergence;
            if (home == window.shard || shown_look(window) == nullptr || !found.reference) continue;
            found.differ = true;
            auto& counts = found.views[*found.reference];
            if (counts.differs == true) continue;
            counts.cause = domain::Cause::misplaced;
            counts.differs = true;
            counts.detail = fmt::format("the application looks for it on shard '{}'", directory.name_of(home));
        }
    }

    /// Windows on other shards that no node of their own shard shows; their keys are indices of `windows`, ascending.
    std::vector<StrayWindow> look_elsewhere(const std::vector<WindowViews>& windows) {
        if (!context_.directory().knows_homes()) return {};
        std::vector<store::KeyAt> keys;
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < windows.size(); ++i) {
            if (shown_look(windows[i]) != nullptr) continue;
            keys.push_back({windows[i].key, windows[i].shard});
            places.push_back(i);
        }
        auto strays = look_on_other_shards(keys, context_);
        for (StrayWindow& stray : strays) stray.key = places[stray.key];
        std::stable_sort(strays.begin(), strays.end(),
                         [](const StrayWindow& a, const StrayWindow& b) { return a.key < b.key; });
        return strays;
    }

    Context& context_;
    Filter filter_;
    std::int64_t min_delta_;
    PlacedKeys keys_;
    CompareReport report_;
    Duplicates duplicates_;
    MeantInstead meant_;
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
