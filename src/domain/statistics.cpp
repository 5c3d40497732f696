// Counts windows into bins, quantiles and time slices.
#include "domain/statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "support/number_text.h"

namespace ratectl::domain {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

/// The ends of the bins: -1, 0, then 1, 2 and 5 of every power of ten.
constexpr std::array<std::int64_t, 60> kEnds = [] {
    std::array<std::int64_t, 60> ends{-1, 0};
    std::size_t next = 2;
    for (std::int64_t power = 1; next + 3 < ends.size(); power *= 10) {
        for (const std::int64_t digit : {1, 2, 5}) ends[next++] = digit * power;
        if (power > kLargest / 10) break;
    }
    while (next < ends.size()) ends[next++] = kLargest;
    return ends;
}();

/// Values from 0 to 255 are counted one by one; from there on each power of two in 128 steps, each within 0.8 % of the
/// next.
constexpr std::size_t kSteps = 128;

std::size_t fine_index(std::int64_t value) {
    const auto v = static_cast<std::uint64_t>(value);
    const auto width = static_cast<std::size_t>(std::bit_width(v));
    const std::size_t shift = width > 8 ? width - 8 : 0;
    return shift * kSteps + static_cast<std::size_t>(v >> shift);
}

/// The middle of the values with this index.
std::int64_t fine_middle(std::size_t index) {
    if (index < 2 * kSteps) return static_cast<std::int64_t>(index);
    const std::size_t shift = index / kSteps - 1;
    const std::uint64_t low = static_cast<std::uint64_t>(index - shift * kSteps) << shift;
    return static_cast<std::int64_t>(low + ((std::uint64_t{1} << shift) - 1) / 2);
}

constexpr std::array<std::int64_t, 9> kWidths{1, 10, 60, 600, 3600, 21'600, 86'400, 604'800, 2'592'000};
/// Steps of a time line that people read easily.
constexpr std::array<std::int64_t, 20> kTimeSteps{
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86'400, 604'800, 2'592'000};

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

}  // namespace

std::string digits_of(Sum sum) { return fmt::format("{}", sum); }

void Distribution::add(std::int64_t value) {
    min_ = count_ == 0 ? value : std::min(min_, value);
    max_ = count_ == 0 ? value : std::max(max_, value);
    ++count_;
    sum_ += value;
    const auto end = std::lower_bound(kEnds.begin() + 1, kEnds.end(), value);
    ++bins_[value < 0 ? 0 : static_cast<std::size_t>(end - kEnds.begin())];
    if (value < 0) {
        ++negative_;
        return;
    }
    const std::size_t index = fine_index(value);
    if (index >= fine_.size()) fine_.resize(index + 1);
    ++fine_[index];
}

void Distribution::add(const Distribution& other) {
    if (other.count_ == 0) return;
    min_ = count_ == 0 ? other.min_ : std::min(min_, other.min_);
    max_ = count_ == 0 ? other.max_ : std::max(max_, other.max_);
    count_ += other.count_;
    sum_ += other.sum_;
    negative_ += other.negative_;
    for (std::size_t i = 0; i < kBins; ++i) bins_[i] += other.bins_[i];
    if (fine_.size() < other.fine_.size()) fine_.resize(other.fine_.size());
    for (std::size_t i = 0; i < other.fine_.size(); ++i) fine_[i] += other.fine_[i];
}

std::optional<std::int64_t> Distribution::percentile(double percent) const {
    if (count_ == 0) return std::nullopt;
    const auto wanted = static_cast<std::uint64_t>(std::ceil(percent / 100 * static_cast<double>(count_)));
    const std::uint64_t rank = std::clamp<std::uint64_t>(wanted, 1, count_);
    if (rank == 1 || rank <= negative_) return min_;
    if (rank == count_) return max_;
    std::uint64_t below = negative_;
    for (std::size_t i = 0; i < fine_.size(); ++i) {
        below += fine_[i];
        if (below >= rank) return std::clamp(fine_middle(i), min_, max_);
    }
    return max_;
}

std::vector<Distribution::Bin> Distribution::bins() const {
    std::vector<Bin> found;
    std::uint64_t left = count_;
    for (std::size_t i = 0; i < kBins && left > 0; ++i) {
        if (found.empty() && bins_[i] == 0) continue;
        found.push_back({i == 0 ? std::nullopt : std::optional{kEnds[i - 1] + 1}, kEnds[i], bins_[i]});
        left -= bins_[i];
    }
    return found;
}

std::uint64_t Distribution::count_up_to(std::size_t bin) const {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i <= bin && i < kBins; ++i) count += bins_[i];
    return count;
}

std::int64_t Distribution::end_of(std::size_t bin) { return kEnds.at(bin); }

LimitBand band_of(const Window& window) {
    if (window.exhausted) return LimitBand::exhausted;
    if (!window.limit) return LimitBand::unknown;
    const std::int64_t used = window.used.value_or(0);
    if (used <= 0) return LimitBand::none;
    const auto below = [&](double percent) {
        return static_cast<double>(used) * 100 < percent * static_cast<double>(*window.limit);
    };
    if (below(25)) return LimitBand::below_25;
    if (below(50)) return LimitBand::below_50;
    return below(80) ? LimitBand::below_80 : LimitBand::below_100;
}

std::string_view name_of(LimitBand band) {
    constexpr std::array<std::string_view, kLimitBands> names{"0",    "<25",       "<50",     "<80",
                                                              "<100", "exhausted", "unknown", "exempt"};
    return names[static_cast<std::size_t>(band)];
}

std::int64_t ResetTimes::slot_of(support::Instant t) const {
    return floor_div(support::epoch_seconds(t), width_.count());
}

void ResetTimes::add(support::Instant reset) {
    ++count_;
    ++slots_[slot_of(reset)];
    while (slots_.size() > most_) widen();
}

void ResetTimes::widen() {
    const auto next = std::upper_bound(kWidths.begin(), kWidths.end(), width_.count());
    const std::int64_t width = next == kWidths.end() ? width_.count() * 10 : *next;
    std::unordered_map<std::int64_t, std::uint64_t> wider;
    for (const auto& [slot, windows] : slots_) wider[floor_div(slot * width_.count(), width)] += windows;
    width_ = support::Seconds{width};
    slots_ = std::move(wider);
}

std::vector<ResetTimes::Moment> ResetTimes::busiest(std::size_t most) const {
    std::vector<Moment> moments;
    for (const auto& [slot, windows] : slots_) moments.push_back({support::from_epoch(slot * width_.count()), windows});
    const auto before = [](const Moment& a, const Moment& b) {
        return a.windows != b.windows ? a.windows > b.windows : a.begin < b.begin;
    };
    const std::size_t kept = std::min(most, moments.size());
    std::partial_sort(moments.begin(), moments.begin() + static_cast<std::ptrdiff_t>(kept), moments.end(), before);
    moments.resize(kept);
    return moments;
}

std::uint64_t ResetTimes::count_up_to(support::Instant end) const {
    const std::int64_t last = slot_of(end);
    std::uint64_t count = 0;
    for (const auto& [slot, windows] : slots_) count += slot <= last ? windows : 0;
    return count;
}

ResetTimes::Slices ResetTimes::ahead(support::Instant now, std::size_t most) const {
    const auto slices = static_cast<std::int64_t>(most);
    Slices ahead;
    ahead.step = support::Seconds{std::max(kTimeSteps.back(), width_.count())};
    for (const std::int64_t step : kTimeSteps) {
        if (step < width_.count()) continue;
        const std::uint64_t held = count_up_to(now + support::Seconds{step * slices - 1});
        if (held * 100 < count_ * 95) continue;
        ahead.step = support::Seconds{step};
        break;
    }
    ahead.windows.resize(most);
    for (const auto& [slot, windows] : slots_) {
        const std::int64_t distance = slot * width_.count() - support::epoch_seconds(now);
        const std::int64_t slice = std::max<std::int64_t>(distance, 0) / ahead.step.count();
        (slice < slices ? ahead.windows[static_cast<std::size_t>(slice)] : ahead.later) += windows;
    }
    while (!ahead.windows.empty() && ahead.windows.back() == 0) ahead.windows.pop_back();
    return ahead;
}

std::optional<std::int64_t> LimitTrial::limit_for(std::optional<std::int64_t> present) const {
    if (number) return number;
    if (!present || !percent) return std::nullopt;
    const auto share = static_cast<long double>(*present) * static_cast<long double>(*percent) / 100;
    if (share >= static_cast<long double>(kLargest)) return kLargest;
    return std::max<std::int64_t>(static_cast<std::int64_t>(share), *present > 0 ? 1 : 0);
}

std::optional<LimitTrial> parse_limit_trial(std::string_view text) {
    const bool is_share = text.ends_with('%');
    if (is_share) text.remove_suffix(1);
    const auto value = support::parse_unsigned(text, is_share ? 100'000 : static_cast<std::uint64_t>(kLargest));
    if (!value || *value == 0) return std::nullopt;
    const auto number = static_cast<std::int64_t>(*value);
    return is_share ? LimitTrial{std::nullopt, number} : LimitTrial{number, std::nullopt};
}

void TrialCount::add(std::int64_t used, std::optional<std::int64_t> most) {
    if (!most) {
        ++unknown;
        return;
    }
    ++windows;
    if (used < *most) return;
    ++limited;
    over += Sum{used} - *most;
}

void TrialCount::add(const TrialCount& other) {
    windows += other.windows;
    limited += other.limited;
    over += other.over;
    unknown += other.unknown;
}

Balance balance_of(std::span<const ShardLoad> shards) {
    if (shards.size() < 2) return {};
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    std::uint64_t windows = 0;
    for (const ShardLoad& shard : shards) {
        const double load = static_cast<double>(shard.windows) / std::max(1U, shard.weight);
        least = std::min(least, load);
        most = std::max(most, load);
        windows += shard.windows;
    }
    using enum Balance::Verdict;
    Balance balance;
    if (least > 0) balance.ratio = most / least;
    if (windows < 100 * shards.size())
        balance.verdict = too_few;
    else if (most <= 1.25 * least)
        balance.verdict = even;
    else
        balance.verdict = most <= 2 * least ? uneven : very_uneven;
    return balance;
}

}  // namespace ratectl::domain
