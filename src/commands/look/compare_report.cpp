// Prints what compare found: rows with every fact; sentences with the answers there were, why, and what to do.
#include "commands/look/compare_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "domain/cluster/slot_faults.h"
#include "domain/diagnosis/difference_causes.h"
#include "domain/diagnosis/look_difference.h"
#include "store/directory.h"
#include "support/number_text.h"
#include "support/quote.h"

namespace ratectl::commands {
namespace {

using domain::Cause;
using domain::Standing;

/// Rows show the others, too.
constexpr std::uint64_t kMostTold = 10;

/// `10.0.0.8:6379 (replica)`
std::string name_with_role(const domain::NodeView& view) {
    return fmt::format("{} ({})", view.node.name(), domain::name_of(domain::acting_role(view)));
}

/// Why no node can show the window; null: one can, or is to blame.
const support::Error* impossible(const WindowViews& window) {
    const auto says_so = [](const domain::NodeView& view) { return domain::blames_no_node(view.look); };
    const auto found = std::ranges::find_if(window.views, says_so);
    if (found != window.views.end()) return &found->look.error();
    const auto& first = window.views.front().look;
    return !first && domain::is_of_moving_slot(first.error()) ? &first.error() : nullptr;
}

bool is_shown_by_one_of_several(const WindowViews& window) {
    return window.views.size() > 1 &&
           std::ranges::count_if(window.views, [](const domain::NodeView& view) { return view.look.has_value(); }) == 1;
}

/// What is so of a node whatever the window, and said once.
bool is_about_node(const domain::Difference& difference) {
    if (difference.differs != false) return false;
    switch (difference.cause) {
        case Cause::cut_off:
        case Cause::wrong_role:
        case Cause::two_primaries:
        case Cause::clock: return true;
        default: return false;
    }
}

}  // namespace

CompareReport::CompareReport(Context& context, bool only_differing, const ColumnOrder& order)
    : context_(context),
      rows_(context, compare_fields(), "ratectl.comparison.v1", kCompareTable, true, order),
      only_differing_(only_differing),
      outcome_(context) {
    const auto format = rows_.options().format;
    names_only_ = format == output::Format::name;
    for_people_ = format == output::Format::table || format == output::Format::wide;
}

void CompareReport::take(const WindowViews& window, std::span<const StrayWindow> strays, support::Moment now) {
    const domain::Divergence& found = window.divergence;
    const bool differ = found.differ || !strays.empty();
    ++windows_;
    if (differ) ++differing_;
    if (found.reference) outcome_.answer();
    const auto* error = impossible(window);
    if (!found.reference)
        ++unshown_[error == nullptr || domain::is_ownerless(*error) ? Cause::unreachable : found.views.front().cause];
    if (found.reference && !differ && is_shown_by_one_of_several(window)) ++alone_;
    if (error != nullptr) return take_impossible(window, *error);
    for (std::size_t i = 0; i < window.views.size(); ++i) {
        const domain::NodeView& view = window.views[i];
        nodes_.emplace(view.node.shard, view.node.name());
        if (!view.look) outcome_.fail_once(view.node, view.look.error());
        if (found.views[i].differs == true) ++causes_.at(static_cast<std::size_t>(found.views[i].cause));
    }
    causes_.at(static_cast<std::size_t>(Cause::misplaced)) += strays.size();
    for (const StrayWindow& stray : strays) tell_stray(window, stray, now);
    if (!differ && (only_differing_ || names_only_)) return;
    for (std::size_t i = 0; i < window.views.size(); ++i) {
        const domain::NodeView& view = window.views[i];
        write(window, i, view.look ? &*view.look : nullptr, false, now);
        if (names_only_) break;
        if (domain::hides_from_plain_reads(view)) write(window, i, &*view.through_lua, true, now);
    }
    if (!names_only_) {
        for (const StrayWindow& stray : strays) write_stray(window, stray, now);
    }
    if (for_people_) tell(window);
}

/// One row, of no node: those that were asked are not to blame.
void CompareReport::take_impossible(const WindowViews& window, const support::Error& error) {
    outcome_.fail_once({}, error);
    if (only_differing_ || names_only_) return;
    const domain::NodeView nowhere{{}, tl::make_unexpected(error), {}, {}, false, {}, {}};
    rows_.write({window, nowhere, window.divergence.views.front(), nullptr, domain::Window(), false, false,
                 context_.settings().deployment});
}

void CompareReport::write(const WindowViews& window, std::size_t i, const domain::WindowLook* look, bool is_script,
                          support::Moment now) {
    CompareRow row{window,
                   window.views[i],
                   window.divergence.views[i],
                   look,
                   look != nullptr ? domain::judge(*look, now, window.limit) : domain::Window(),
                   is_script,
                   window.divergence.reference == i,
                   context_.settings().deployment};
    rows_.write(row);
}

void CompareReport::tell(const WindowViews& window) {
    tell_standing(window);
    if (window.divergence.differ) {
        if (++told_windows_ > kMostTold) return;
        const auto& views = window.divergence.views;
        const bool by_servers = std::any_of(views.begin(), views.end(), [](const domain::Difference& difference) {
            return difference.differs == true && difference.cause != Cause::misplaced;
        });
        if (by_servers) tell_answers(window);  // else no application asks there
    }
    tell_causes(window);
}

void CompareReport::tell_standing(const WindowViews& window) {
    const domain::Divergence& found = window.divergence;
    if (!found.reference || found.standing != Standing::best_replica) return;
    const domain::NodeView& view = window.views[*found.reference];
    if (!told_.insert({view.node.shard, Cause::wrong_role}).second) return;
    context_.messages().warning(
        fmt::format("shard '{}': no server that answers acts as primary; the others are compared with {}",
                    view.node.shard, name_with_role(view)),
        "what the primary has counted since is unknown");
}

void CompareReport::tell_answers(const WindowViews& window) {
    for (const domain::Answer& answer : window.divergence.answers) {
        std::vector<std::string> from;
        for (const std::size_t i : answer.from) from.push_back(name_with_role(window.views[i]));
        std::string words = fmt::format("key {}: an application would get from {}: {}", support::quoted(window.key),
                                        fmt::join(from, ", "), answer.words());
        if (answer.through_lua_only) words += " (scripts only; plain reads hide it)";
        if (answer.by_their_clock_only) words += " (asked at the time of these servers)";
        context_.messages().notice(words);
    }
}

void CompareReport::tell_causes(const WindowViews& window) {
    for (std::size_t i = 0; i < window.views.size(); ++i) {
        const domain::Difference& difference = window.divergence.views[i];
        const domain::NodeView& view = window.views[i];
        if (difference.cause == Cause::none || !view.look) continue;  // silence was said as a failure
        const bool about_node = is_about_node(difference);
        if (about_node && !told_.insert({view.node.shard + ' ' + view.node.name(), difference.cause}).second) continue;
        const auto& kind = domain::kind_of(difference.cause);
        const std::string words =
            fmt::format("{}{} {}: {}", about_node ? "" : "key " + support::quoted(window.key) + ": ",
                        name_with_role(view), kind.name, difference.detail);
        const auto advice = advised_.insert(kind.what).second
                                ? domain::advice_for(kind.what, window.divergence.standing)
                                : std::string_view{};
        if (difference.differs == true) {
            context_.messages().warning(words, advice);
        } else {
            context_.messages().notice(words, advice);
        }
    }
}

void CompareReport::tell_stray(const WindowViews& home, const StrayWindow& stray, support::Moment now) {
    const auto& kind = domain::kind_of(Cause::misplaced);
    const auto& own = context_.directory().name_of(home.shard);
    context_.messages().warning(
        fmt::format(
            "key {}: not on its shard '{}', but {} of shard '{}' has it: {}; an application does not look there",
            support::quoted(home.key), own, stray.node.name(), stray.node.shard, domain::words_of(stray.look, now)),
        advised_.insert(kind.what).second ? kind.advice : std::string_view{});
}

void CompareReport::write_stray(const WindowViews& home, const StrayWindow& stray, support::Moment now) {
    domain::NodeView view;
    view.node = stray.node;
    view.look = stray.look;
    view.read_at = stray.read_at;
    nodes_.emplace(view.node.shard, view.node.name());
    domain::Difference difference;
    difference.cause = Cause::misplaced;
    difference.differs = true;
    difference.detail =
        fmt::format("the application looks for it on shard '{}'", context_.directory().name_of(home.shard));
    if (home.divergence.reference) difference.used_delta = domain::counted(stray.look, now);
    rows_.write({home, view, difference, &stray.look, domain::judge(stray.look, now, home.limit), false, false,
                 context_.settings().deployment});
}

/// What was not compared is not said to be the same.
std::string CompareReport::summary(bool complete) const {
    if (complete) return same_or_not();
    const std::string words = context_.stop() ? "stopped before the end" : "broken off";
    return words + (windows_ == 0 ? "; nothing was compared" : "; what was compared: " + same_or_not());
}

/// Why some windows were not compared; empty: all were.
std::string CompareReport::untold_words() const {
    std::string words;
    for (const auto& [cause, count] : unshown_) {
        const bool one = count == 1;
        const auto windows = support::counted(count, "window");
        words += words.empty() ? "" : "; ";
        words += cause == Cause::moving ? windows + (one ? " is" : " are") + " moving to another node"
                 : cause == Cause::bad_key
                     ? support::counted(count, "key") + (one ? " is none" : " are none") + " of a window here"
                     : "no node answered for " + windows;
    }
    if (alone_ > 0) {
        words += words.empty() ? "" : "; ";
        words += "one node alone answered for " + support::counted(alone_, "window");
    }
    return words;
}

/// Each window is on the nodes of its own shard alone.
std::string CompareReport::of_several_shards(const std::set<std::pair<std::string, std::string>>& nodes) {
    std::set<std::string_view> shards;
    for (const auto& [shard, node] : nodes) shards.insert(shard);
    return shards.size() > 1 ? fmt::format(" of {} shards", shards.size()) : "";
}

std::string CompareReport::same_or_not() const {
    std::string causes;
    for (const auto& kind : domain::cause_kinds()) {
        const auto count = causes_.at(static_cast<std::size_t>(kind.what));
        if (count > 0) causes += fmt::format("{}{} {}", causes.empty() ? "" : ", ", count, kind.name);
    }
    auto compared = windows_ - alone_;
    for (const auto& [cause, count] : unshown_) compared -= count;
    auto untold = untold_words();
    std::string text =
        differing_ == 0
            ? fmt::format("{} {} the same", support::counted(compared, "window"), compared == 1 ? "is" : "are")
            : fmt::format("{} of {} {} ({})", differing_, support::counted(windows_, "window"),
                          differing_ == 1 ? "differs" : "differ", causes);
    // The others have answered, and left something out; of no node is what has no owner.
    std::size_t silent = 0;
    auto nodes = nodes_;
    for (const auto& failure : outcome_.failures()) {
        if (failure.code == static_cast<int>(ExitCode::partial) || failure.node.empty()) continue;
        ++silent;
        nodes.erase({failure.shard, failure.node});
    }
    const auto silence = silent > 0 ? fmt::format("; {} gave no answer", silent) : std::string();
    if (compared == 0 && differing_ == 0 && !untold.empty()) return untold + (alone_ > 0 ? silence : "");
    if (windows_ == 0) text = "there was no window to compare";
    if (windows_ > 0) text += " on " + support::counted(nodes.size(), "node") + of_several_shards(nodes);
    text += silence;
    if (!untold.empty()) text += "; " + untold;
    return text;
}

ExitCode CompareReport::finish(bool complete) {
    outcome_.add(rows_.end(outcome_.footer(complete)));
    if (differing_ > 0) outcome_.attend();
    if (for_people_ && told_windows_ > kMostTold) {
        context_.messages().notice(fmt::format("{} more windows differ; their rows say why", told_windows_ - kMostTold),
                                   "-o wide and -o ndjson have it in words");
    }
    std::vector<std::pair<std::string, std::int64_t>> numbers{
        {"windows", static_cast<std::int64_t>(windows_)},
        {"differing", static_cast<std::int64_t>(differing_)},
        {"nodes", static_cast<std::int64_t>(nodes_.size())},
        {"silent", static_cast<std::int64_t>(outcome_.failures().size())}};
    for (const auto& kind : domain::cause_kinds()) {
        const auto count = causes_.at(static_cast<std::size_t>(kind.what));
        if (count > 0) numbers.emplace_back(kind.name, static_cast<std::int64_t>(count));
    }
    return outcome_.close(summary(complete), numbers);
}

}  // namespace ratectl::commands
