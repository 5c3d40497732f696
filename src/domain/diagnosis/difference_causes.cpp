// Finds why a node differs: the first explanation that fits; those that hide or explain others come first.
#include "domain/diagnosis/difference_causes.h"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "domain/diagnosis/divergence.h"
#include "domain/diagnosis/look_difference.h"
#include "domain/limiter.h"
#include "support/time_text.h"

namespace ratectl::domain {
namespace {

using support::Milliseconds;

/// What takes longer to arrive is told as a lag; what does not is the ordinary way of replication.
constexpr Milliseconds kOrdinaryDelay{250};
/// Clocks that are further apart are worth a word even where nothing depends on them yet.
constexpr Milliseconds kSkewThatCounts{1000};

using Told = std::optional<std::pair<Cause, std::string>>;

Told told(Cause cause, std::string detail) { return std::pair{cause, std::move(detail)}; }

SeenAt seen(const NodeView& view) { return {*view.look, view.read_at, facts_of(view)}; }
SeenAt seen(const EarlierLook& earlier, const NodeView& view) {
    return {earlier.look, earlier.read_at, facts_of(view)};
}

/// Which stream of writes it has; empty: unknown.
std::string_view history_of(const NodeView& view) {
    return view.facts && view.facts->replication_id ? std::string_view(*view.facts->replication_id)
                                                    : std::string_view{};
}

std::string duration(Milliseconds d) { return support::format_duration(std::chrono::abs(d)); }

std::string ahead_or_behind(Milliseconds skew) {
    return fmt::format("{} {}", duration(skew), skew.count() > 0 ? "ahead of" : "behind");
}

std::string link_words(const NodeView& view) {
    const NodeFacts facts = view.facts.value_or(NodeFacts());
    const std::string link = "its link to " + facts.primary_address.value_or("its primary");
    if (!facts.link_down_for) return link + " is down";
    return link + " has been down for " + support::format_duration(Milliseconds(*facts.link_down_for));
}

std::string ttl_words(const WindowLook& look, std::string_view where) {
    const auto kinds = look.limiter->parts();
    std::vector<std::string_view> staying;
    for (std::size_t i = 0; i < look.parts.size() && i < kinds.size(); ++i) {
        if (!kinds[i].kept && never_expires(look.parts[i])) staying.push_back(kinds[i].name);
    }
    if (staying.size() > 1) return fmt::format("neither half has a TTL{}, so both stay", where);
    return fmt::format("the {} has no TTL{}, so it stays", staying.empty() ? kinds.front().name : staying.front(),
                       where);
}

std::string masked_words(const NodeView& view) {
    const auto& used = stored_used(*view.through_lua).value;
    return fmt::format("expired, so that a plain read hides it; a script on this node still sees {}",
                       used ? *used + " used" : "half of it");
}

std::string role_words(const NodeView& view) {
    const bool follows = acting_role(view) == Role::replica && view.facts->primary_address;
    return fmt::format("known as {}, acts as {}{}", name_of(view.node.role), name_of(acting_role(view)),
                       follows ? " of " + *view.facts->primary_address : "");
}

Milliseconds doubt_of(const NodeView& view) { return server_time(view.read_at, facts_of(view))->doubt; }

// ---- what the looks of the last second tell
// ------------------------------------------------------------------------------------

struct Course {
    std::optional<bool> arrived;       // it has applied all that the reference showed at first; null: unknown
    std::optional<Milliseconds> took;  // until it had
    Milliseconds watched{0};           // from the first look to the last
    bool follows = false;              // it has shown what the reference has shown since the first look
    bool stays_apart = false;          // the figures move, and the difference does not: counting does not explain it
    bool differed = false;             // at the first look
};

/// As far as both looks can tell: what is left of a TTL is another number from look to look.
bool expire_together(const StoredKey& a, const StoredKey& b) {
    if (never_expires(a) != never_expires(b)) return false;
    return !a.expires_at_ms || !b.expires_at_ms || a.expires_at_ms == b.expires_at_ms;
}

/// The same but for how many are used.
bool same_but_used(const WindowLook& a, const WindowLook& b) {
    const auto& used = stored_used(a);
    return std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(), b.parts.end(),
                      [&](const auto& x, const auto& y) {
                          return x.type == y.type && expire_together(x, y) && (&x == &used || x.value == y.value);
                      });
}

/// True when the reference showed this: the same, or the same but for `used`, which lies between what the reference
/// showed.
bool was_shown(const WindowLook& look, std::span<const WindowLook* const> shown) {
    const auto used = counted(look, kWhenever);
    bool less = false;
    bool more = false;
    for (const WindowLook* other : shown) {
        if (!same_but_used(look, *other)) continue;
        if (stored_used(look).value == stored_used(*other).value) return true;
        const auto theirs = counted(*other, kWhenever);
        if (!used || !theirs) continue;
        less = less || *theirs <= *used;
        more = more || *theirs >= *used;
    }
    return less && more;
}

Course course_of(const NodeView& view, const NodeView& reference, std::int64_t min_delta) {
    Course course;
    if (view.earlier.empty() || reference.earlier.empty()) return course;
    const EarlierLook& first = reference.earlier.front();
    course.watched = view.read_at - first.read_at;
    course.differed = bool{look_difference(seen(view.earlier.front(), view), seen(first, reference), min_delta)};
    std::vector<const WindowLook*> shown{&*reference.look};
    for (const EarlierLook& each : reference.earlier) shown.push_back(&each.look);
    std::optional<std::size_t> arrived_at;
    for (std::size_t i = 0; i < view.earlier.size(); ++i) {
        // An offset is read after the look beside it, so it is the look after that shows all of it.
        const bool last = i + 1 == view.earlier.size();
        if (first.offset && view.earlier[i].offset && course.arrived != true) {
            course.arrived = *view.earlier[i].offset >= *first.offset;
            if (*course.arrived) arrived_at = i;
            if (*course.arrived) course.took = (last ? view.read_at : view.earlier[i + 1].read_at) - first.read_at;
        }
        // The very last may be ahead of what the reference showed a moment before.
        course.follows = course.follows || was_shown(last ? *view.look : view.earlier[i + 1].look, shown);
    }
    course.stays_apart = stays_apart(view, reference, arrived_at, min_delta);
    return course;
}

// ---- one rule after the other, for views that differ
// ----------------------------------------------------------------------------

/// Two looks side by side, and the words for what differs.
struct Pair {
    const NodeView& view;
    const NodeView& reference;
    LookDifference look_difference;
    std::string name;   // of the reference
    std::string words;  // `3 used where 10.0.0.7:6379 has 10`
};

/// It takes writes itself, or follows one of the other servers that do.
Told other_primary(const Pair& pair, std::span<const NodeView> views, const Divergence& found) {
    const NodeView& view = pair.view;
    if (acting_role(pair.reference) != Role::primary) return std::nullopt;
    if (acting_role(view) == Role::primary) {
        return told(Cause::two_primaries,
                    pair.words + ": both act as primary, and writes to the one never reach the other");
    }
    const auto own = history_of(view);
    if (is_link_down(view) || own.empty() || own == history_of(pair.reference)) return std::nullopt;
    for (const std::size_t i : found.primaries) {
        if (history_of(views[i]) != own) continue;
        return told(Cause::two_primaries,
                    fmt::format("{}: it follows {}, which acts as primary too", pair.words, views[i].node.name()));
    }
    return std::nullopt;
}

Told cut_off(const Pair& pair) {
    if (!is_link_down(pair.view)) return std::nullopt;
    return told(Cause::cut_off,
                fmt::format("{}: {}, so it answers with what it had", pair.words, link_words(pair.view)));
}

/// By address alone this could not be said: there are tunnels, and several names for one server.
Told other_history(const Pair& pair) {
    const auto own = history_of(pair.view);
    const auto theirs = history_of(pair.reference);
    if (own.empty() || theirs.empty() || own == theirs) return std::nullopt;
    return told(Cause::wrong_role, fmt::format("{}: it follows {}, whose data are not those of {}", pair.words,
                                               pair.view.facts->primary_address.value_or("another server"), pair.name));
}

/// A key that `keeper` shows and `other` lacks is gone by the clock of the other node, and not by the clock of its own.
bool is_expired_at(const NodeView& other, const NodeView& keeper) {
    const auto own_clock = server_time(keeper.read_at, facts_of(keeper));
    const auto other_clock = server_time(other.read_at, facts_of(other));
    const auto gone = [&](const StoredKey& kept, const StoredKey& missing) {
        if (!is_there(kept) || is_there(missing)) return false;
        const auto expiry = expires_at(kept, keeper.read_at, facts_of(keeper));
        if (!expiry) return false;
        const support::WallTime at{Milliseconds{expiry->at_ms}};
        return other_clock->at + other_clock->doubt + expiry->doubt >= at &&
               own_clock->at - own_clock->doubt - expiry->doubt <= at;
    };
    return any_pair(*keeper.look, *other.look, gone);
}

Told clocks_apart(const Pair& pair) {
    const auto& [view, reference, look_difference, name, words] = pair;
    if (!look_difference.presence) return std::nullopt;
    const auto here = server_time(view.read_at, facts_of(view));
    const auto there = server_time(reference.read_at, facts_of(reference));
    if (!here || !there) return std::nullopt;
    const Milliseconds apart = *view.facts->clock_skew - *reference.facts->clock_skew;
    const Milliseconds doubt = here->doubt + there->doubt;
    if (std::chrono::abs(apart) <= doubt) return std::nullopt;
    const bool here_gone = is_expired_at(view, reference);
    if (!here_gone && !is_expired_at(reference, view)) return std::nullopt;
    return told(Cause::clock,
                fmt::format("{}: its clock is {} that of {} (within {}), and by the clock of {} the keys are expired",
                            words, ahead_or_behind(apart), name, duration(doubt), here_gone ? view.node.name() : name));
}

std::int64_t behind_by(const Pair& pair) {
    const auto own = offset_of(pair.view);
    const auto primary = offset_of(pair.reference);
    return own && primary ? std::max<std::int64_t>(0, *primary - *own) : 0;
}

Told on_its_way(const Pair& pair, const Course& course) {
    if (pair.view.earlier.empty()) {
        const auto behind = behind_by(pair);
        if (behind == 0) return std::nullopt;
        return told(Cause::lag, fmt::format("{}: the link is up, but it is {} bytes behind", pair.words, behind));
    }
    if (course.arrived == false) {
        return told(Cause::lag, fmt::format("{}: the link is up, but it is {} bytes behind, still after {}", pair.words,
                                            behind_by(pair), duration(course.watched)));
    }
    if (!course.follows || course.stays_apart) return std::nullopt;
    if (course.took && *course.took > kOrdinaryDelay)
        return told(Cause::lag, fmt::format("{}: it is about {} behind", pair.words, duration(*course.took)));
    return told(Cause::changing, pair.words + ": it is being counted, and the figures move from look to look");
}

Told without_ttl(const Pair& pair) {
    const auto stays_only = [](const WindowLook& a, const WindowLook& b) {  // no TTL would mend another type
        const auto lacks = [](const auto& part) { return never_expires(part) && !has_wrong_type(part); };
        return any_pair(a, b, [&](const auto& x, const auto& y) { return lacks(x) && !never_expires(y); });
    };
    const auto& here = *pair.view.look;
    const auto& there = *pair.reference.look;
    if (stays_only(here, there)) return told(Cause::missing_ttl, pair.words + ": " + ttl_words(here, " here"));
    if (!stays_only(there, here)) return std::nullopt;
    return told(Cause::missing_ttl, pair.words + ": " + ttl_words(there, " on " + pair.name));
}

Told unexplained(const Pair& pair, const Course& course) {
    return told(Cause::unknown, pair.words + ", although the link is up" +
                                    (course.arrived == true ? " and all that was written has arrived" : ""));
}

// ---- and for those that do not differ, or are the one that counts
// ---------------------------------------------------------------

/// A program that asks at the server's time gets another answer than one that asks at ours.
Told by_its_own_clock(const NodeView& view, const Comparison& around) {
    const auto open = open_by_its_clock(view, around);
    if (!open) return std::nullopt;
    const auto end = judge(*view.look, kWhenever, std::nullopt).reset_at;
    return told(Cause::clock, fmt::format("{} by our clock and {} by its own, which is {} ours (within {}); "
                                          "the window ends at {}",
                                          *open ? "closed" : "open", *open ? "open" : "closed",
                                          ahead_or_behind(*view.facts->clock_skew), duration(doubt_of(view)),
                                          support::format_time(*end)));
}

Told after_a_delay(const NodeView& view, const NodeView& reference, const Comparison& around) {
    const Course course = course_of(view, reference, around.min_delta);
    if (!course.differed) return std::nullopt;
    const auto took = course.took.value_or(course.watched);
    return told(took > kOrdinaryDelay ? Cause::lag : Cause::changing,
                fmt::format("the same as on {} within {} of the first look, when it had {}", reference.node.name(),
                            duration(took), words_of(view.earlier.front().look, around.now)));
}

Told skew_worth_a_word(const NodeView& view) {
    if (!view.facts || !view.facts->clock_skew) return std::nullopt;
    const Milliseconds skew = *view.facts->clock_skew;
    if (std::chrono::abs(skew) - doubt_of(view) <= kSkewThatCounts) return std::nullopt;
    return told(Cause::clock,
                fmt::format("its clock is {} ours (within {})", ahead_or_behind(skew), duration(doubt_of(view))));
}

/// What could soon make a difference.
Told reservation(const NodeView& view, const NodeView& reference, const Comparison& around) {
    const bool counts = &view == &reference;
    if (!counts && acting_role(view) == Role::primary && acting_role(reference) == Role::primary) {
        return told(Cause::two_primaries,
                    fmt::format("the same as on {} for now, but both act as primary", reference.node.name()));
    }
    if (is_link_down(view)) return told(Cause::cut_off, (counts ? "" : "the same for now, but ") + link_words(view));
    if (!counts) {
        if (auto delay = after_a_delay(view, reference, around)) return delay;
    }
    const bool corrupt = judge(*view.look, around.now, std::nullopt).state == WindowState::corrupt;
    if (!corrupt && lacks_an_expiry(*view.look)) return told(Cause::missing_ttl, ttl_words(*view.look, ""));
    if (acting_role(view) != view.node.role) return told(Cause::wrong_role, role_words(view));
    return skew_worth_a_word(view);
}

void explain_difference(Pair& pair, std::span<const NodeView> views, const Divergence& found, const Comparison& around,
                        Difference& difference) {
    pair.words = words_of(seen(pair.view), seen(pair.reference), pair.look_difference, pair.name, around.now);
    const Course course = course_of(pair.view, pair.reference, around.min_delta);
    Told told = other_primary(pair, views, found);
    if (!told) told = cut_off(pair);
    if (!told) told = other_history(pair);
    if (!told) told = clocks_apart(pair);
    if (!told) told = on_its_way(pair, course);
    if (!told) told = without_ttl(pair);
    if (!told) told = unexplained(pair, course);
    std::tie(difference.cause, difference.detail) = *std::move(told);
    difference.differs = difference.cause != Cause::changing;
}

void take(Difference& difference, Told told) {
    if (told) std::tie(difference.cause, difference.detail) = *std::move(told);
}

}  // namespace

Role acting_role(const NodeView& view) { return view.facts && view.facts->role ? *view.facts->role : view.node.role; }

bool is_link_down(const NodeView& view) {
    if (acting_role(view) == Role::primary) return false;
    return view.facts && view.facts->link_up ? !*view.facts->link_up : view.stale;
}

std::optional<std::int64_t> offset_of(const NodeView& view) { return view.facts ? view.facts->offset : std::nullopt; }

std::optional<bool> open_by_its_clock(const NodeView& view, const Comparison& around) {
    const auto theirs = server_time(view.read_at, facts_of(view));
    if (!around.now_is_ours || !theirs || std::chrono::abs(*view.facts->clock_skew) <= theirs->doubt)
        return std::nullopt;
    const auto open_at = [&](support::WallTime t) { return open_until(*view.look, t).has_value(); };
    const bool ours = open_until(*view.look, around.now).has_value();
    const bool early = open_at(theirs->at - theirs->doubt);
    const bool late = open_at(theirs->at + theirs->doubt);
    // Our own clock may have passed the end since `now`.
    if (early != late || early == ours || open_at(view.read_at) != ours) return std::nullopt;
    return early;
}

ViewCauses::ViewCauses(std::span<const NodeView> views, const Comparison& around, const Divergence& found)
    : views_(views), around_(around), found_(found), reference_(found.reference ? &views[*found.reference] : nullptr) {}

Difference ViewCauses::explain(std::size_t i) const {
    const NodeView& view = views_[i];
    Difference difference;
    if (!view.look) {
        const auto& error = view.look.error();
        const bool lost = cause_of_silence(error) == Cause::unreachable && is_link_down(view);
        return {lost ? Cause::cut_off : cause_of_silence(error), std::nullopt,
                lost ? link_words(view) + ": " + error.message : error.message, std::nullopt, std::nullopt};
    }
    if (&view != reference_) {
        Pair pair{view,
                  *reference_,
                  look_difference(seen(view), seen(*reference_), around_.min_delta),
                  reference_->node.name(),
                  {}};
        const auto here = counted(*view.look, around_.now);
        const auto there = counted(*reference_->look, around_.now);
        if (here && there) difference.used_delta = difference_of(*here, *there);
        if (acting_role(view) == Role::replica && offset_of(view) && offset_of(*reference_) &&
            history_of(view) == history_of(*reference_))
            difference.lag_bytes = behind_by(pair);
        if (pair.look_difference) {
            explain_difference(pair, views_, found_, around_, difference);
            return difference;
        }
    }
    if (hides_from_plain_reads(view)) {
        difference.differs = true;
        take(difference, told(Cause::masked_expiry, masked_words(view)));
    } else if (auto clock = by_its_own_clock(view, around_)) {
        difference.differs = true;
        take(difference, std::move(clock));
    } else {
        take(difference, reservation(view, *reference_, around_));
    }
    return difference;
}

}  // namespace ratectl::domain
