// Compares the nodes' views of a window: which view counts, what each other one says, and which answers there are.
#include "domain/diagnosis/divergence.h"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "domain/diagnosis/difference_causes.h"
#include "domain/diagnosis/look_difference.h"
#include "domain/write.h"
#include "support/time_text.h"

namespace ratectl::domain {
namespace {

using support::Moment;

/// After so many looks at a window in motion its nodes have either met or stayed apart.
constexpr std::size_t kLooksWhileCounting = 4;

Standing standing_of(const NodeView& view) {
    if (acting_role(view) != Role::primary) return Standing::best_replica;
    return view.node.role == Role::primary ? Standing::configured_primary : Standing::promoted_replica;
}

/// The greatest counts; the first of equals stays.
void choose_reference(std::span<const NodeView> views, Divergence& found) {
    using Rank = std::tuple<bool, bool, bool, std::int64_t, std::int64_t>;
    std::optional<Rank> best;
    for (std::size_t i = 0; i < views.size(); ++i) {
        const NodeView& view = views[i];
        const bool acts = acting_role(view) == Role::primary;
        if (acts && view.facts && view.facts->role) found.primaries.push_back(i);
        if (!view.look) continue;
        const std::int64_t replicas = acts && view.facts ? view.facts->connected_replicas.value_or(0) : 0;
        const Rank rank{acts, acts && view.node.role == Role::primary, !is_link_down(view), replicas,
                        offset_of(view).value_or(-1)};
        if (best && rank <= *best) continue;
        best = rank;
        found.reference = i;
        found.standing = standing_of(view);
    }
}

/// Gathers what applications could have got, each answer once.
class Answers {
public:
    explicit Answers(const Comparison& around) : around_(around) {}

    void take(const NodeView& view, std::size_t i) {
        add(*view.look, i, around_.now, false, false);
        if (hides_from_plain_reads(view)) add(*view.through_lua, i, around_.now, true, false);
        if (!open_by_its_clock(view, around_)) return;
        const auto theirs = server_time(view.read_at, facts_of(view))->at;
        add(*view.look, i, theirs, false, true);
    }

    std::vector<Answer> answers() && { return std::move(answers_); }

private:
    void add(const WindowLook& look, std::size_t i, Moment now, bool through_lua, bool by_their_clock) {
        Answer answer;
        const Window window = judge(look, now, around_.limit);
        answer.corrupt = window.state == WindowState::corrupt;
        answer.reset_at = open_until(look, now);
        if (counts_at(window, now)) answer.used = window.used;
        answer.limit = window.limit;
        answer.remaining = window.remaining;
        answer.passes = window.remaining == 0 && !window.exhausted && window.limit.value_or(0) > 0;
        const auto same = std::find_if(answers_.begin(), answers_.end(), [&](const Answer& known) {
            return known.corrupt == answer.corrupt && known.used == answer.used && known.reset_at == answer.reset_at;
        });
        Answer& known = same != answers_.end() ? *same : answers_.emplace_back(std::move(answer));
        const bool fresh = known.from.empty();
        known.through_lua_only = through_lua && (fresh || known.through_lua_only);
        known.by_their_clock_only = by_their_clock && (fresh || known.by_their_clock_only);
        if (std::find(known.from.begin(), known.from.end(), i) == known.from.end()) known.from.push_back(i);
    }

    const Comparison& around_;
    std::vector<Answer> answers_;
};

constexpr std::size_t kLooksThatTell = 3;

/// Used here less used there, look by look, the last one too; empty: the looks are not side by side, or of one window.
std::vector<std::int64_t> deltas_of(const NodeView& view, const NodeView& reference) {
    if (view.earlier.size() != reference.earlier.size()) return {};
    std::vector<std::int64_t> deltas;
    for (std::size_t i = 0; i <= view.earlier.size(); ++i) {
        const WindowLook& here = i < view.earlier.size() ? view.earlier[i].look : *view.look;
        const WindowLook& there = i < view.earlier.size() ? reference.earlier[i].look : *reference.look;
        const auto used = counted(here, kWhenever);
        const auto theirs = counted(there, kWhenever);
        if (!used || !theirs || stored_window(here).reset_at != stored_window(there).reset_at) return {};
        deltas.push_back(difference_of(*used, *theirs));
    }
    return deltas;
}

}  // namespace

std::string Answer::words() const {
    if (corrupt) return "a value that is not a window";
    if (!used) return limit ? fmt::format("no window, all {} left", *limit) : "no window";
    const auto end = reset_at ? "resets at " + support::format_time(*reset_at) : "and nothing ends it";
    if (!limit) return fmt::format("{} used, {}", *used, end);
    return fmt::format("{} of {} used, {} left, {}", *used, *limit, remaining.value_or(0), end);
}

Divergence compare_views(std::span<const NodeView> views, const Comparison& around) {
    Divergence found;
    choose_reference(views, found);
    const ViewCauses causes(views, around, found);
    for (std::size_t i = 0; i < views.size(); ++i) {
        found.views.push_back(causes.explain(i));
        found.silent = found.silent || !views[i].look;
        found.differ = found.differ || found.views.back().differs == true;
    }
    if (!found.reference) return found;
    Answers answers(around);
    answers.take(views[*found.reference], *found.reference);
    for (std::size_t i = 0; i < views.size(); ++i) {
        if (i != *found.reference && views[i].look) answers.take(views[i], i);
    }
    found.answers = std::move(answers).answers();
    return found;
}

bool hides_from_plain_reads(const NodeView& view) {
    if (!view.look || !view.through_lua) return false;
    const auto hides = [](const StoredKey& plain, const StoredKey& script) {
        return !is_there(plain) && is_there(script) && script.ttl_ms == 0;
    };
    return any_pair(*view.look, *view.through_lua, hides);
}

bool is_worth_another_look(std::span<const NodeView> views, const Comparison& around) {
    const auto found = compare_views(views, around);
    std::size_t looks = 0;
    for (const auto& view : views) looks = std::max(looks, view.earlier.size() + 1);
    return std::any_of(found.views.begin(), found.views.end(), [looks](const Difference& difference) {
        const Cause cause = difference.cause;
        // Figures that move may hide a difference that stays.
        if (cause == Cause::changing && difference.used_delta.value_or(0) != 0) return looks <= kLooksWhileCounting;
        // One of them may be about to follow the other.
        if (cause == Cause::two_primaries && looks < kLooksThatTell) return true;
        return difference.differs == true &&
               (cause == Cause::lag || cause == Cause::missing_ttl || cause == Cause::unknown);
    });
}

bool stays_apart(const NodeView& view, const NodeView& reference, std::optional<std::size_t> arrived_at,
                 std::int64_t min_delta) {
    const auto deltas = deltas_of(view, reference);
    if (deltas.empty()) return false;
    if (std::all_of(deltas.begin(), deltas.end(), [&](std::int64_t delta) { return delta >= min_delta; })) return true;
    if (!arrived_at) return false;
    const auto since = std::span(deltas).subspan(*arrived_at + 1);
    if (since.size() < kLooksThatTell || std::abs(since.front()) < min_delta) return false;
    return std::all_of(since.begin(), since.end(), [&](std::int64_t delta) { return delta == since.front(); });
}

}  // namespace ratectl::domain
