// Judges header claims: contradictions first, then the window that counts, then the replicas, then the past.
#include "domain/header_claim.h"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "domain/limiter.h"
#include "support/time_text.h"

namespace ratectl::domain {
namespace {

using support::Instant;
using support::Seconds;

constexpr std::array<std::string_view, 7> kVerdictNames{"now",        "earlier", "earlier-window", "stale-replica",
                                                        "if-changed", "never",   "too-little"};
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

/// Counts that fit what was said.
struct Span {
    std::int64_t least = std::numeric_limits<std::int64_t>::min();
    std::int64_t most = kMost;
    bool said = false;

    bool holds(std::int64_t used) const { return least <= used && used <= most; }
};

/// When a window ends, as far as that was said.
struct End {
    Instant earliest{};
    Instant latest{};

    bool can_be(Instant t) const { return earliest <= t && t <= latest; }
};

template <class T>
bool is_foreign(const std::vector<T>& own, const T& said) {
    return !own.empty() && std::find(own.begin(), own.end(), said) == own.end();
}

class Judge {
public:
    Judge(const HeaderClaim& claim, const ClaimSurroundings& around)
        : claim_(claim), around_(around), used_(used_said()), reset_(reset_said()) {}

    ClaimJudgement rule() const {
        if (auto odd = contradiction()) return never(std::move(*odd));
        if (!used_.said && !reset_) return {ClaimVerdict::too_little, "they name neither a count nor a reset", {}};
        if (claim_.date && *claim_.date > around_.now + kClockSlack)
            return never(fmt::format("their Date {} lies ahead of now", time(*claim_.date)));
        if (around_.truth.corrupt)
            return {ClaimVerdict::too_little,
                    fmt::format("the window is corrupt at {}: what an application makes of it is unknown",
                                around_.truth.node),
                    {}};
        if (!around_.has_begun)
            return {ClaimVerdict::too_little, "the window with this key has not begun: they are of another one", {}};
        if (const auto view = same_window(around_.truth)) return beside_truth(*view);
        if (auto stale = as_replica_says()) return *stale;
        if (says_no_window()) return no_window();
        return another_window();
    }

private:
    /// Headers are written by another machine than the one that counts.
    static constexpr Seconds kClockSlack{2};

    static std::string time(Instant t) { return support::format_time(t); }
    static ClaimJudgement never(std::string why) { return {ClaimVerdict::never, std::move(why), {}}; }

    Span used_said() const {
        if (claim_.used) return {*claim_.used, *claim_.used, true};
        if (claim_.limit && claim_.remaining) {
            const auto most = most_let_through(*claim_.limit) - *claim_.remaining;
            if (*claim_.remaining == 0) return {*claim_.limit, kMost, true};
            // All left: nothing used, or less than nothing.
            if (*claim_.remaining == *claim_.limit) return {std::numeric_limits<std::int64_t>::min(), most, true};
            return {*claim_.limit - *claim_.remaining, most, true};
        }
        if (claim_.retry_after && claim_.limit) return {*claim_.limit, kMost, true};
        return {};
    }

    std::optional<End> reset_said() const {
        const auto late = around_.limiter != nullptr ? around_.limiter->told_late() : Seconds{0};
        if (claim_.reset_at) return End{*claim_.reset_at - late, *claim_.reset_at};
        const auto left = claim_.reset_in ? claim_.reset_in : claim_.retry_after;
        if (!left) return std::nullopt;
        if (!claim_.date) return End{Instant{}, around_.now + *left + Seconds{1}};
        return End{*claim_.date + *left - Seconds{1}, *claim_.date + *left + Seconds{1}};
    }

    /// What no window can have, whichever it is.
    std::optional<std::string> contradiction() const {
        if (claim_.limit && *claim_.limit < 0) return fmt::format("a limit of {} is none", *claim_.limit);
        if (claim_.remaining && *claim_.remaining < 0)
            return fmt::format("{} remaining: an application that clamps says 0", *claim_.remaining);
        if (claim_.limit && claim_.remaining && *claim_.remaining > *claim_.limit)
            return fmt::format("{} remaining of a limit of {}", *claim_.remaining, *claim_.limit);
        if (claim_.limit && claim_.remaining && claim_.used) {
            const auto fewest = remaining_of(*claim_.limit, *claim_.used);
            const auto most = std::min(*claim_.limit, remaining_of(most_let_through(*claim_.limit), *claim_.used));
            const auto left = std::clamp(*claim_.remaining, fewest, most);
            if (left != *claim_.remaining)
                return fmt::format("{} used of {} leaves {}, not {}", *claim_.used, *claim_.limit, left,
                                   *claim_.remaining);
        }
        if (auto foreign = foreign_claim(claim_, around_)) return foreign;
        return wrong_distance();
    }

    std::optional<std::string> wrong_distance() const {
        if (!reset_ || !claim_.date) return std::nullopt;
        if (reset_->latest + kClockSlack < *claim_.date)
            return fmt::format("the reset {} was over at their Date {}: a window that is over is ignored",
                               time(reset_->latest), time(*claim_.date));
        const auto end = moves() ? std::nullopt : end_if_opened(*claim_.date + kClockSlack);
        if (end && reset_->earliest > *end)
            return fmt::format("the reset {} is further from their Date {} than a window lasts ({})",
                               time(reset_->earliest), time(*claim_.date),
                               support::format_duration(around_.period.value_or(*end - *claim_.date)));
        return std::nullopt;
    }

    bool is_open(const ClaimView& view) const { return view.used && view.reset_at && *view.reset_at >= around_.now; }

    bool moves() const { return around_.limiter != nullptr && around_.limiter->end_moves(); }

    std::int64_t most_let_through(std::int64_t limit) const {
        return around_.limiter != nullptr ? around_.limiter->most_let_through(limit) : limit;
    }

    /// The last second of a window that is opened then; null: nothing says.
    std::optional<Instant> end_if_opened(Instant t) const {
        if (around_.limiter != nullptr)
            return around_.limiter->next_end(around_.limiter->key_at(std::string(around_.key), t), t, around_.period);
        return around_.period ? std::optional{t + *around_.period} : std::nullopt;
    }

    /// When the window with that end was opened, if it lasts a period; one whose end moves does not.
    std::optional<Instant> opened(Instant reset) const {
        return around_.period && !moves() ? std::optional{reset - *around_.period} : std::nullopt;
    }
    bool was_said_before(Instant t) const { return claim_.date && *claim_.date + kClockSlack < t; }

    /// The view, if the headers can be about the window that it holds.
    std::optional<ClaimView> same_window(const ClaimView& view) const {
        if (!view.used || !view.reset_at) return std::nullopt;
        if (reset_) return is_reset_of(view) ? std::optional{view} : std::nullopt;
        // Without a reset only a window can be meant that is open, and was when they were said.
        const auto start = opened(*view.reset_at);
        if (!is_open(view) || (start && was_said_before(*start))) return std::nullopt;
        return view;
    }

    /// Where ends move, libraries tell of one request that is free again or of all: of any moment up to the last.
    bool is_reset_of(const ClaimView& view) const {
        if (!moves()) return reset_->can_be(*view.reset_at);
        return reset_->earliest <= *view.reset_at + kClockSlack && around_.now <= reset_->latest + kClockSlack;
    }

    ClaimJudgement beside_truth(const ClaimView& truth) const {
        if (!is_open(truth))
            return {ClaimVerdict::earlier_window, fmt::format("that window ended at {}", time(*truth.reset_at)), {}};
        if (used_.holds(*truth.used)) return {ClaimVerdict::now, "that is what the window holds now", {}};
        if (used_.most < *truth.used) {
            return {ClaimVerdict::earlier, fmt::format("the same window, which has {} used by now", *truth.used), {}};
        }
        if (auto stale = as_replica_says()) return *stale;
        return {ClaimVerdict::if_changed,
                fmt::format("the same window holds only {} used: requests were given back since, or counted elsewhere",
                            *truth.used),
                {}};
    }

    std::optional<ClaimJudgement> as_replica_says() const {
        for (const auto& view : around_.others) {
            if (!same_window(view) || !used_.holds(*view.used)) continue;
            return ClaimJudgement{ClaimVerdict::stale_replica,
                                  fmt::format("{} says so ({} used, resets at {}), and {} does not", view.node,
                                              *view.used, time(*view.reset_at), around_.truth.node),
                                  std::string(view.node)};
        }
        return std::nullopt;
    }

    /// Nothing used, and the reset of a window that is opened then: what applications answer where there is none.
    bool says_no_window() const {
        if (!used_.said || !(used_.holds(0) || used_.holds(around_.truth.carried))) return false;
        if (!reset_ || !around_.period) return !reset_;
        if (claim_.date) {
            const auto earliest = end_if_opened(*claim_.date - kClockSlack);
            const auto latest = end_if_opened(*claim_.date + kClockSlack);
            return earliest && latest && reset_->earliest <= *latest && *earliest <= reset_->latest;
        }
        if (claim_.reset_in) return std::chrono::abs(*claim_.reset_in - *around_.period) <= kClockSlack;
        return reset_->earliest - *around_.period <= around_.now + kClockSlack;
    }

    ClaimJudgement no_window() const {
        if (!is_open(around_.truth))
            return {ClaimVerdict::now, "there is no window now, and a period from then is what one would last", {}};
        const auto start = opened(*around_.truth.reset_at);
        if (!start || !claim_.date || *claim_.date <= *start + kClockSlack)
            return {ClaimVerdict::earlier, "said before the window was opened that is there now", {}};
        for (const auto& view : around_.others) {
            if (is_open(view)) continue;
            return {
                ClaimVerdict::stale_replica,
                fmt::format("{} has no window, and {} has one since {}", view.node, around_.truth.node, time(*start)),
                std::string(view.node)};
        }
        return {
            ClaimVerdict::if_changed,
            fmt::format("a window was open then, since {}: true only if that one came after a removal", time(*start)),
            {}};
    }

    ClaimJudgement another_window() const {
        if (!reset_) return without_reset();
        if (is_open(around_.truth)) return beside_open_window();
        if (reset_->latest < around_.now)
            return {ClaimVerdict::earlier_window, fmt::format("that window ended at {}", time(reset_->latest)), {}};
        if (reset_->earliest < around_.now)
            return {ClaimVerdict::earlier_window, "of a window that is over; without a Date it is unknown which", {}};
        return {ClaimVerdict::if_changed,
                fmt::format("that window would be open until {}, and {} has none: it was removed since, or never was",
                            time(reset_->latest), around_.truth.node),
                {}};
    }

    ClaimJudgement without_reset() const {
        if (is_open(around_.truth)) {
            const auto start = opened(*around_.truth.reset_at);
            if (start && was_said_before(*start))
                return {ClaimVerdict::earlier_window,
                        fmt::format("said before the window was opened, at {}, that is there now", time(*start)),
                        {}};
        }
        return {ClaimVerdict::if_changed,
                fmt::format("{} has no window with that count, and the headers name no reset", around_.truth.node),
                {}};
    }

    ClaimJudgement beside_open_window() const {
        const Instant current = *around_.truth.reset_at;
        const auto start = opened(current);
        if (reset_->earliest > current && moves())
            return {ClaimVerdict::if_changed,
                    fmt::format("all of it is free again at {}: true only if requests were given back since",
                                time(current)),
                    {}};
        if (reset_->earliest > current)
            return never(fmt::format("no window can end at {} while the one that ends at {} is open",
                                     time(reset_->earliest), time(current)));
        if (!start || reset_->earliest <= *start)
            return {ClaimVerdict::earlier_window,
                    fmt::format("of a window before the one that is open until {}", time(current)),
                    {}};
        return {ClaimVerdict::if_changed,
                fmt::format("a window until {} would overlap the one until {}: true only if it was removed",
                            time(reset_->latest), time(current)),
                {}};
    }

    const HeaderClaim& claim_;
    const ClaimSurroundings& around_;
    Span used_;
    std::optional<End> reset_;
};

}  // namespace

std::string_view name_of(ClaimVerdict verdict) { return kVerdictNames[static_cast<std::size_t>(verdict)]; }

std::optional<std::string> foreign_claim(const HeaderClaim& claim, const ClaimSurroundings& around) {
    if (around.exempt) return "this client is exempt, and told no such headers";
    if (claim.resource && is_foreign(around.resources, std::string_view(*claim.resource)))
        return fmt::format("they are about '{}', and what they are compared with is about '{}'", *claim.resource,
                           fmt::join(around.resources, "' and '"));
    if (claim.limit && is_foreign(around.limits, *claim.limit))
        return fmt::format("this client cannot have a limit of {}, only of {}", *claim.limit,
                           fmt::join(around.limits, " or "));
    return std::nullopt;
}

ClaimJudgement judge_claim(const HeaderClaim& claim, const ClaimSurroundings& around) {
    return Judge(claim, around).rule();
}

}  // namespace ratectl::domain
