// Figures over many windows in bounded memory: distributions with quantiles, shares of the limit, when windows reset,
// balance. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "domain/window.h"
#include "support/time.h"

namespace ratectl::domain {

/// Of more numbers than any memory holds.
__extension__ using Sum = __int128;
std::string digits_of(Sum sum);

/// Counts of values: exact in bins that end at 0, 1, 2, 5, 10, 20, 50 ..., and much finer counts for quantiles.
class Distribution {
public:
    void add(std::int64_t value);
    void add(const Distribution& other);

    std::uint64_t count() const { return count_; }
    /// 0 without values.
    std::int64_t min() const { return count_ == 0 ? 0 : min_; }
    std::int64_t max() const { return count_ == 0 ? 0 : max_; }
    Sum sum() const { return sum_; }
    /// The least value that so many percent of them do not exceed (nearest rank); null without values. Exact from 0 to
    /// 255 and at both ends, else at most 0.4 % off. Negative values count as the least of them.
    std::optional<std::int64_t> percentile(double percent) const;

    /// Both ends included. A first bin without `from` holds what is below 0.
    struct Bin {
        std::optional<std::int64_t> from;
        std::int64_t to = 0;
        std::uint64_t count = 0;
    };
    /// From the first bin that holds anything to the last, the empty ones between them among them.
    std::vector<Bin> bins() const;
    /// How many values are at most the end of that bin; bins are numbered from 0, `below 0`, and 1, `0`.
    std::uint64_t count_up_to(std::size_t bin) const;
    static std::int64_t end_of(std::size_t bin);

private:
    static constexpr std::size_t kBins = 60;
    std::array<std::uint64_t, kBins> bins_{};
    std::vector<std::uint64_t> fine_;  // as long as the largest value needs
    std::uint64_t negative_ = 0;
    std::uint64_t count_ = 0;
    std::int64_t min_ = 0;
    std::int64_t max_ = 0;
    Sum sum_ = 0;
};

/// How much of its limit a window has used.
enum class LimitBand { none, below_25, below_50, below_80, below_100, exhausted, unknown, exempt };
inline constexpr std::size_t kLimitBands = 8;
/// Of a window that is open. Never exempt: which clients are never limited is known to the policies alone.
LimitBand band_of(const Window& window);
/// `0`, `<25`, `<50`, `<80`, `<100`, `exhausted`, `unknown`, `exempt`: the words of the formats for machines.
std::string_view name_of(LimitBand band);

/// When windows reset: by the second, and by more seconds where that would be too many different ones to remember.
class ResetTimes {
public:
    explicit ResetTimes(std::size_t most = 100'000) : most_(most) {}
    void add(support::Instant reset);

    std::uint64_t count() const { return count_; }
    /// The width of what is counted together: 1 s until more than `most` different seconds have come.
    support::Seconds resolution() const { return width_; }
    struct Moment {
        support::Instant begin{};
        std::uint64_t windows = 0;
    };
    /// The `most` busiest, the earlier of equals first.
    std::vector<Moment> busiest(std::size_t most) const;
    /// How many reset before or at `end` (to the resolution).
    std::uint64_t count_up_to(support::Instant end) const;
    /// Equal slices of the time from `now`: the narrowest usual step of which at most `most` hold 95 % of the windows.
    /// What is over by then counts as the first.
    struct Slices {
        support::Seconds step{1};
        std::vector<std::uint64_t> windows;
        std::uint64_t later = 0;
    };
    Slices ahead(support::Instant now, std::size_t most) const;

private:
    std::int64_t slot_of(support::Instant t) const;
    void widen();

    std::size_t most_;
    support::Seconds width_{1};
    std::unordered_map<std::int64_t, std::uint64_t> slots_;
    std::uint64_t count_ = 0;
};

/// A limit to be tried on windows: a number, or a percentage of the limit that each has now.
struct LimitTrial {
    std::optional<std::int64_t> number;
    std::optional<std::int64_t> percent;
    /// A share is rounded down, but to 1 at least; null: a share of a limit that is unknown.
    std::optional<std::int64_t> limit_for(std::optional<std::int64_t> present) const;
};
/// `20`, `80%`; null for anything else, 0 and 0% among it.
std::optional<LimitTrial> parse_limit_trial(std::string_view text);

/// Who would be limited.
struct TrialCount {
    std::uint64_t windows = 0;  // with a limit to compare with
    std::uint64_t limited = 0;
    Sum over = 0;               // requests beyond what is let through
    std::uint64_t unknown = 0;  // windows without

    /// `most`: so many are let through; null: that is not known.
    void add(std::int64_t used, std::optional<std::int64_t> most);
    void add(const TrialCount& other);
};

/// How evenly shards are loaded.
struct Balance {
    std::optional<double>
        ratio;  // the largest over the smallest, each by its weight; null where one has nothing, or there is one
    enum class Verdict { one_shard, too_few, even, uneven, very_uneven } verdict = Verdict::one_shard;
};
struct ShardLoad {
    std::uint64_t windows = 0;
    unsigned weight = 1;
};
/// Even: the largest has at most 1.25 times as many as the smallest; very uneven: more than twice. Below 100 windows a
/// shard chance alone decides.
Balance balance_of(std::span<const ShardLoad> shards);

}  // namespace ratectl::domain
