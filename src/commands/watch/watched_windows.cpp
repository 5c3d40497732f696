// Turns looks into watch's lines: compares each with the look before at the same place.
#include "commands/watch/watched_windows.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "commands/context.h"
#include "domain/cluster/slot_faults.h"
#include "support/quote.h"
#include "support/time_text.h"

namespace ratectl::commands::watch {
namespace {

using domain::SeenWindow;
using domain::WindowEvent;
using domain::WindowGoal;

/// As with a window that is named and not there.
bool is_met_by_nothing(const WindowGoal& goal) {
    return goal.kind == WindowGoal::Kind::absent || goal.kind == WindowGoal::Kind::ended;
}

}  // namespace

WatchedWindows::WatchedWindows(Rules rules, const Filter& filter, const support::RunningClock& clock, Context& context,
                               std::function<void(const WatchRow&)> print)
    : rules_(std::move(rules)),
      filter_(filter),
      clock_(clock),
      context_(context),
      settings_(context.settings()),
      print_(std::move(print)),
      meant_(context),
      home_unknown_(!context.directory().knows_homes()) {}

WatchedWindows::Watched& WatchedWindows::watched_at(const std::string& key, const store::LookAnswer& answer) {
    const bool is_anywhere = context_.directory().leads_to_keys();
    const std::string place = rules_.each_node ? answer.node.name() : is_anywhere ? "" : answer.node.shard;
    Places& places = windows_[key];
    const auto found = std::ranges::find(places, place, &Watched::place);
    if (found != places.end()) return *found;
    places.emplace_back().place = place;
    return places.back();
}

void WatchedWindows::take(const std::string& key, std::span<const store::LookAnswer> answers, bool arrived) {
    const bool is_new = !windows_.contains(key);
    Reference reference;
    std::string_view shard;
    for (const auto& answer : answers) {
        if (std::exchange(shard, answer.node.shard) != answer.node.shard) reference = {};
        if (answer.look) take_one(watched_at(key, answer), answer, arrived, reference);
    }
    if (!home_unknown_ || !is_new || answers.empty()) return;
    // While a shard has not answered, it cannot be said that the key is nowhere.
    const bool nowhere = std::ranges::all_of(
        answers, [](const auto& answer) { return answer.look.has_value() && domain::is_absent(*answer.look); });
    const Watched& first = watched_at(key, answers.front());
    if (nowhere && first.joined)
        print(first, {{WindowEvent::first, {}, true}}, meaning_of(key, settings_), answers.front(), true);
}

void WatchedWindows::take_one(Watched& watched, const store::LookAnswer& answer, bool arrived, Reference& reference) {
    const std::string& key = answer.look->key;
    const KeyMeaning meaning = meaning_of(*answer.look, settings_);
    SeenWindow seen{*answer.look, {}, clock_.at(answer.read_at), answer.node.name()};
    seen.window = domain::judge(seen.look, seen.now, meaning.limit);
    ++looks_;
    const bool joins = !watched.joined && filter_.accepts(key, seen.window, seen.now);
    watched.joined = watched.joined || joins;
    any_joined_ = any_joined_ || joins;
    if (watched.joined) require_limit(key, meaning);
    if (!watched.last) meant_.note(key, seen.window.state);
    if (!watched.last) watched.silent = home_unknown_ && domain::is_absent(seen.look);
    Changes changes = changes_of(watched, seen, meaning, arrived);
    if (joins && changes.empty() && !watched.silent) changes.push_back({WindowEvent::first, {}, true});
    watched.old = answer.stale || (!changes.empty() && changes.front().event == WindowEvent::stale);
    if (answer.node.role == domain::Role::primary) {
        reference = {watched.last, seen};
    } else {
        note_lag(watched, seen, reference, changes);
    }
    if (std::exchange(watched.failed, false)) changes.insert(changes.begin(), {WindowEvent::back, {}, true});
    if (!changes.empty()) watched.silent = false;
    take_rate(watched, seen, answer.read_at);
    watched.last = std::move(seen);
    watched.limit = watched.last->window.limit;
    watched.exempt = meaning.exempt();
    watched.round = round_;
    if (watched.joined) {
        for (const auto& change : changes) watched.past.note(change.event);
        print(watched, changes, meaning, answer);
    }
}

WatchedWindows::Changes WatchedWindows::changes_of(const Watched& watched, const SeenWindow& seen,
                                                   const KeyMeaning& meaning, bool arrived) const {
    if (watched.last) return domain::changes_between(*watched.last, seen, period_of(meaning, settings_));
    if (watched.silent) return {};
    if (!arrived || !domain::counts_at(seen.window, seen.now)) return {{WindowEvent::first, {}, true}};
    Changes changes{{WindowEvent::opened, seen.window.used, true}};
    if (seen.window.exhausted) changes.push_back({WindowEvent::exhausted, 0, true});
    return changes;
}

void WatchedWindows::note_lag(Watched& watched, const SeenWindow& seen, const Reference& reference, Changes& changes) {
    if (!watched.last || !reference.before || !reference.now) return;
    const bool behind = domain::is_behind({*watched.last, seen}, {*reference.before, *reference.now});
    watched.old = watched.old || behind;
    if (behind != watched.behind) changes.push_back({behind ? WindowEvent::stale : WindowEvent::back, {}, true});
    watched.behind = behind;
}

void WatchedWindows::take_rate(Watched& watched, const SeenWindow& seen, support::WallTime read_at) const {
    const auto end = domain::open_until(seen.look, seen.now);
    if (end && seen.window.used) {
        watched.rate.add({clock_.at(read_at), *seen.window.used, *end});
    } else {
        watched.rate.start_over();
    }
}

void WatchedWindows::take_failure(const std::string& key, const store::LookAnswer& answer) {
    Watched& watched = watched_at(key, answer);
    if (std::exchange(watched.failed, true)) return;
    WatchRow row;
    row.at = context_.wall_clock();
    row.change.event = WindowEvent::failed;
    row.key = key;
    row.deployment = settings_.deployment;
    row.node = domain::blames_no_node(answer.look) ? nullptr : &answer.node;
    row.error = &answer.look.error();
    context_.messages().error(answer.look.error());
    print_(row);
}

void WatchedWindows::print(const Watched& watched, const Changes& changes, const KeyMeaning& meaning,
                           const store::LookAnswer& answer, bool nowhere) {
    if (changes.empty()) return;
    const SeenWindow& seen = *watched.last;
    WindowRow window{seen.look, seen.window, meaning,  settings_.deployment, {},
                     {},        {},          seen.now, answer.read_at,       answer.stale};
    WatchRow row;
    row.at = answer.read_at;
    row.window = &window;
    row.rate = watched.rate.per_second();
    row.exhaustion = watched.rate.exhaustion(seen.window.limit);
    row.deployment = settings_.deployment;
    row.node = nowhere ? nullptr : &answer.node;
    for (const auto& change : changes) {
        if (change.event != WindowEvent::first && change.event != WindowEvent::back) ++changes_;
        row.change = change;
        print_(row);
    }
}

void WatchedWindows::require_limit(const std::string& key, const KeyMeaning& meaning) const {
    if (meaning.limit || meaning.exempt()) return;
    if (std::ranges::none_of(rules_.goals, &WindowGoal::needs_limit)) return;
    throw support::Failure(
        ExitCode::configuration,
        "the limit of key " + support::quoted(key) + " is unknown, so --until cannot tell how much of it is used",
        "give --limit, or a policy that matches the key");
}

bool WatchedWindows::holds_for(const Watched& watched) const {
    if (!watched.last) return false;
    const bool is_fresh = watched.round == round_ && !watched.old;
    return std::ranges::any_of(rules_.goals, [&](const WindowGoal& goal) {
        if (goal.kind == WindowGoal::Kind::below_percent && watched.exempt) return is_fresh;
        return domain::holds(goal, is_fresh ? &*watched.last : nullptr, watched.past);
    });
}

std::vector<const WatchedWindows::Watched*> WatchedWindows::relevant(const Places& places) {
    std::vector<const Watched*> found;
    for (const Watched& place : places) {
        if (place.joined && !place.silent) found.push_back(&place);
    }
    if (found.empty() && !places.empty() && places.front().joined) found.push_back(&places.front());
    return found;
}

bool WatchedWindows::goal_reached(bool all_seen) const {
    if (rules_.goals.empty()) return false;
    bool any = false;
    bool all = all_seen;
    bool none = true;
    for (const auto& [key, places] : windows_) {
        for (const Watched* watched : relevant(places)) {
            const bool holds = holds_for(*watched);
            any = any || holds;
            all = all && holds;
            none = false;
        }
    }
    if (none) return any_joined_ && all_seen && std::ranges::any_of(rules_.goals, is_met_by_nothing);
    return rules_.any_window ? any : all;
}

bool WatchedWindows::has_nothing_to_wait_for() const {
    return !any_joined_ && std::ranges::any_of(rules_.goals, is_met_by_nothing);
}

void WatchedWindows::note_left_out(const std::string& key, LeftOut& left_out) const {
    const auto places = windows_.find(key);
    if (places == windows_.end() || std::ranges::any_of(places->second, &Watched::joined)) return;
    for (const Watched& watched : places->second) {
        if (watched.last) lets_through(filter_, left_out, key, watched.last->window, watched.last->now);
    }
}

bool WatchedWindows::is_gone(const std::string& key) const {
    const auto found = windows_.find(key);
    return found != windows_.end() && std::ranges::all_of(found->second, [this](const Watched& watched) {
               return watched.last && watched.round == round_ && domain::is_absent(watched.last->look) &&
                      watched.last->window.state == domain::WindowState::absent;
           });
}

std::size_t WatchedWindows::count() const {
    std::size_t count = 0;
    for (const auto& [key, places] : windows_) count += relevant(places).size();
    return count;
}

std::string WatchedWindows::rate_words() const {
    if (count() != 1) return {};
    const Watched* only = nullptr;
    for (const auto& [key, places] : windows_) {
        for (const Watched* watched : relevant(places)) only = watched;
    }
    const auto rate = only->rate.per_second();
    if (!rate) return {};
    std::string words = fmt::format("{:.1f} requests/s", *rate);
    const auto exhaustion = only->rate.exhaustion(only->limit);
    if (exhaustion && exhaustion->in.count() > 0) {
        words += ", exhausted in " + support::format_duration(exhaustion->in) + " at this rate, " +
                 support::format_duration(exhaustion->before_reset) + " before the reset";
    }
    return words;
}

}  // namespace ratectl::commands::watch
