// Contradictions first, then the window that counts, then the replicas, then the past.
#include "domain/header_claim.h"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "support/time_text.h"

namespace ratectl::domain {
namespace {

using support::Instant;
using support::Seconds;

constexpr std::array<std::string_view, 7> kNames{"now",        "earlier", "earlier-window", "stale-replica",
                                                 "if-changed", "never",   "too-little"};
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

/// Counts that fit what was said.
struct Span {
    std::int64_t least = std::numeric_limits<std::int64_t>::min();
    std::int64_t most = kMost;
    bool said = false;

    bool holds(std::int64_t used) const { return least <= used && used <= most; }
};

/// A moment that was said, and how far it may be off.
struct Moment {
    Instant at{};
    Seconds slack{0};

    bool is(Instant t) const { return t >= at - slack && t <= at + slack; }
};

class Judge {
public:
    Judge(const HeaderClaim& claim, const ClaimSurroundings& around)
        : claim_(claim),
          around_(around),
          said_at_(claim.date.value_or(around.now)),
          used_(used_said()),
          reset_(reset_said()) {}

    ClaimJudgement rule() const {
        if (auto odd = contradiction()) return never(std::move(*odd));
        if (!used_.said && !reset_) return {ClaimVerdict::too_little, "they name neither a count nor a reset", {}};
        if (said_at_ > around_.now + kClockSlack) {
            return never(fmt::format("their Date {} lies ahead of now", time(said_at_)));
        }
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
            if (*claim_.remaining == 0) return {*claim_.limit, kMost, true};
            // All left: nothing used, or less than nothing.
            if (*claim_.remaining == *claim_.limit) return {std::numeric_limits<std::int64_t>::min(), 0, true};
            return {*claim_.limit - *claim_.remaining, *claim_.limit - *claim_.remaining, true};
        }
        if (claim_.retry_after && claim_.limit) return {*claim_.limit, kMost, true};
        return {};
    }

    std::optional<Moment> reset_said() const {
        if (claim_.reset_at) return Moment{*claim_.reset_at, Seconds{0}};
        if (claim_.reset_in) return Moment{said_at_ + *claim_.reset_in, Seconds{1}};
        if (claim_.retry_after) return Moment{said_at_ + *claim_.retry_after, Seconds{1}};
        return std::nullopt;
    }

    /// What no window can have, whichever it is.
    std::optional<std::string> contradiction() const {
        if (claim_.limit && *claim_.limit < 0) return fmt::format("a limit of {} is none", *claim_.limit);
        if (claim_.remaining && *claim_.remaining < 0)
            return fmt::format("{} remaining: an application that clamps says 0", *claim_.remaining);
        if (claim_.limit && claim_.remaining && *claim_.remaining > *claim_.limit)
            return fmt::format("{} remaining of a limit of {}", *claim_.remaining, *claim_.limit);
        if (claim_.limit && claim_.remaining && claim_.used) {
            const auto left =
                std::clamp<std::int64_t>(*claim_.limit - std::max<std::int64_t>(*claim_.used, 0), 0, *claim_.limit);
            if (left != *claim_.remaining)
                return fmt::format("{} used of {} leaves {}, not {}", *claim_.used, *claim_.limit, left,
                                   *claim_.remaining);
        }
        if (claim_.limit && !around_.limits.empty() &&
            std::find(around_.limits.begin(), around_.limits.end(), *claim_.limit) == around_.limits.end())
            return fmt::format("no limit of {} is configured for this key, only {}", *claim_.limit,
                               fmt::join(around_.limits, ", "));
        return wrong_distance();
    }

    std::optional<std::string> wrong_distance() const {
        if (!reset_ || !claim_.date) return std::nullopt;
        if (reset_->at + reset_->slack + kClockSlack < said_at_)
            return fmt::format("the reset {} was over at their Date {}: a window that is over is ignored",
                               time(reset_->at), time(said_at_));
        if (around_.period && reset_->at - reset_->slack - kClockSlack > said_at_ + *around_.period)
            return fmt::format("the reset {} is further from their Date {} than a window lasts ({})", time(reset_->at),
                               time(said_at_), support::format_duration(*around_.period));
        return std::nullopt;
    }

    bool is_open(const ClaimView& view) const { return view.used && view.reset_at && *view.reset_at >= around_.now; }

    /// The view, if the headers can be about the window that it holds.
    std::optional<ClaimView> same_window(const ClaimView& view) const {
        if (!view.used || !view.reset_at || (reset_ && !reset_->is(*view.reset_at))) return std::nullopt;
        // Without a reset only an open window can be meant.
        if (!reset_ && !is_open(view)) return std::nullopt;
        return view;
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

    /// Nothing used, and a reset that is a whole period away: what applications answer where there is no window.
    bool says_no_window() const {
        if (!used_.said || !used_.holds(0)) return false;
        if (!reset_ || !around_.period) return !reset_;
        const Moment opened_then{said_at_ + *around_.period, kClockSlack + reset_->slack};
        return opened_then.is(reset_->at);
    }

    ClaimJudgement no_window() const {
        if (!is_open(around_.truth))
            return {ClaimVerdict::now, "there is no window now, and a period from then is what one would last", {}};
        if (!around_.period) return {ClaimVerdict::earlier, "said before the window was opened", {}};
        const Instant opened = *around_.truth.reset_at - *around_.period;
        if (said_at_ <= opened + kClockSlack)
            return {ClaimVerdict::earlier, fmt::format("said before the window was opened at {}", time(opened)), {}};
        for (const auto& view : around_.others) {
            if (is_open(view)) continue;
            return {
                ClaimVerdict::stale_replica,
                fmt::format("{} has no window, and {} has one since {}", view.node, around_.truth.node, time(opened)),
                std::string(view.node)};
        }
        return {
            ClaimVerdict::if_changed,
            fmt::format("a window was open then, since {}: true only if that one came after a removal", time(opened)),
            {}};
    }

    ClaimJudgement another_window() const {
        if (!reset_) {
            return {ClaimVerdict::if_changed,
                    fmt::format("{} has no window with that count, and the headers name no reset", around_.truth.node),
                    {}};
        }
        if (is_open(around_.truth)) return beside_open_window();
        if (reset_->at + reset_->slack < around_.now)
            return {ClaimVerdict::earlier_window, fmt::format("that window ended at {}", time(reset_->at)), {}};
        return {ClaimVerdict::if_changed,
                fmt::format("that window would be open until {}, and {} has none: it was removed since, or never was",
                            time(reset_->at), around_.truth.node),
                {}};
    }

    ClaimJudgement beside_open_window() const {
        const Instant current = *around_.truth.reset_at;
        if (reset_->at > current)
            return never(fmt::format("no window can end at {} while the one that ends at {} is open", time(reset_->at),
                                     time(current)));
        if (!around_.period || reset_->at - reset_->slack <= current - *around_.period)
            return {ClaimVerdict::earlier_window,
                    fmt::format("a window before the one that is open until {}", time(current)),
                    {}};
        return {ClaimVerdict::if_changed,
                fmt::format("a window until {} would overlap the one until {}: true only if it was removed",
                            time(reset_->at), time(current)),
                {}};
    }

    const HeaderClaim& claim_;
    const ClaimSurroundings& around_;
    Instant said_at_;
    Span used_;
    std::optional<Moment> reset_;
};

}  // namespace

std::string_view name_of(ClaimVerdict verdict) { return kNames[static_cast<std::size_t>(verdict)]; }

ClaimJudgement judge_claim(const HeaderClaim& claim, const ClaimSurroundings& around) {
    return Judge(claim, around).rule();
}

}  // namespace ratectl::domain
