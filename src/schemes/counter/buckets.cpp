// The arithmetic of numbered windows.
#include "schemes/counter/buckets.h"

#include <algorithm>
#include <chrono>

#include "domain/policy.h"
#include "support/number_text.h"

namespace ratectl::schemes::counter {
namespace {

using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr std::int64_t kDay = 86'400;
constexpr std::int64_t kMonth = 30 * kDay;
constexpr std::int64_t kYear = 365 * kDay;
constexpr std::int64_t kLastSecond = 253'402'300'799;  // of the year 9999

year_month_day date_of(std::int64_t second) {
    return sys_days{std::chrono::floor<std::chrono::days>(std::chrono::seconds{second})};
}

std::int64_t first_second_of(year_month_day date) {
    return std::chrono::duration_cast<std::chrono::seconds>(sys_days{date}.time_since_epoch()).count();
}

}  // namespace

Buckets::Buckets(domain::KeyTemplate key, BucketNumber number, support::Seconds period)
    : key_(std::move(key)), hole_(0), number_(number), period_(std::max<std::int64_t>(period.count(), 1)) {
    const auto holes = key_.placeholders();
    hole_ = static_cast<std::size_t>(std::ranges::find(holes, domain::kBucketHole) - holes.begin());
}

// Kong alone has such long windows, and counts them by the calendar.
std::int64_t Buckets::begin_of(std::int64_t second) const {
    if (number_ != BucketNumber::first_millisecond || (period_ != kMonth && period_ != kYear))
        return second / period_ * period_;
    const auto date = date_of(second);
    const auto month = period_ == kYear ? std::chrono::January : date.month();
    return first_second_of(date.year() / month / std::chrono::day{1});
}

std::int64_t Buckets::end_of(std::int64_t begin) const {
    const bool calendar = number_ == BucketNumber::first_millisecond && (period_ == kMonth || period_ == kYear);
    if (!calendar) return begin + period_ - 1;
    const auto date = date_of(begin);
    const auto next = period_ == kYear ? date + std::chrono::years{1} : date + std::chrono::months{1};
    return first_second_of(next) - 1;
}

std::optional<Bucket> Buckets::bucket_of(std::string_view key) const {
    std::string_view text;
    if (!key_.matches(key, hole_, text)) return std::nullopt;
    const auto unit = number_ == BucketNumber::of_period ? kLastSecond / period_ : kLastSecond;
    const auto most = number_ == BucketNumber::first_millisecond ? kLastSecond * 1000 : unit;
    const auto number = support::parse_unsigned(text, static_cast<std::uint64_t>(most));
    if (!number) return std::nullopt;
    auto begin = static_cast<std::int64_t>(*number);
    if (number_ == BucketNumber::of_period) begin *= period_;
    if (number_ == BucketNumber::first_millisecond) begin /= 1000;
    return Bucket{support::from_epoch(begin), support::from_epoch(end_of(begin))};
}

std::string Buckets::number_at(support::Moment now) const {
    const auto begin = begin_of(std::max<std::int64_t>(support::epoch_seconds(now), 0));
    if (number_ == BucketNumber::of_period) return std::to_string(begin / period_);
    return std::to_string(number_ == BucketNumber::first_second ? begin : begin * 1000);
}

std::string Buckets::key_at(std::string key, support::Moment now) const {
    auto held = key_.match(key);
    if (!held) return key;
    (*held)[std::string(domain::kBucketHole)] = number_at(now);
    return key_.assemble(*held);
}

std::optional<std::string> Buckets::key_beside(std::string_view key, int periods) const {
    const auto bucket = bucket_of(key);
    const auto there = bucket ? bucket->first + periods * period() : support::Instant();
    if (!bucket || there < support::Instant()) return std::nullopt;
    return key_at(std::string(key), there);
}

}  // namespace ratectl::schemes::counter
