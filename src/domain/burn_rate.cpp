// Computes the rate of use: the newest sample against the oldest one within the span.
#include "domain/burn_rate.h"

#include <algorithm>

namespace ratectl::domain {
namespace {

/// Samples that are nearer to each other tell nothing that the later one would not.
constexpr int kSamplesPerSpan = 20;

/// Exact over the whole range, where a signed difference may overflow.
std::uint64_t distance(std::int64_t low, std::int64_t high) {
    return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
}

double seconds(support::Milliseconds length) { return std::chrono::duration<double>(length).count(); }

}  // namespace

bool BurnRate::goes_on(const UseSample& sample) const {
    if (samples_.empty()) return false;
    const UseSample& last = samples_.back();
    return sample.reset_at == last.reset_at && sample.used >= last.used && sample.at >= last.at;
}

void BurnRate::add(const UseSample& sample) {
    if (!goes_on(sample)) samples_.clear();
    const auto count = samples_.size();
    const bool crowded = count > 1 && samples_[count - 1].at - samples_[count - 2].at < span_ / kSamplesPerSpan;
    const bool same_moment = count > 0 && samples_.back().at == sample.at;
    if (crowded || same_moment) samples_.pop_back();
    samples_.push_back(sample);
    drop_old();
}

// The first one stays at least a span behind the last.
void BurnRate::drop_old() {
    const auto reaches = [since = samples_.back().at - span_](const UseSample& sample) { return sample.at > since; };
    const auto first_within = std::find_if(samples_.begin(), samples_.end(), reaches);
    if (first_within - samples_.begin() > 1) samples_.erase(samples_.begin(), first_within - 1);
}

std::optional<double> BurnRate::per_second() const {
    if (samples_.size() < 2) return std::nullopt;
    const UseSample& first = samples_.front();
    const UseSample& last = samples_.back();
    return static_cast<double>(distance(first.used, last.used)) / seconds(last.at - first.at);
}

std::optional<Exhaustion> BurnRate::exhaustion(std::optional<std::int64_t> limit) const {
    if (!limit || samples_.empty()) return std::nullopt;
    const UseSample& last = samples_.back();
    const support::Milliseconds left = last.reset_at - last.at;
    if (left.count() < 0) return std::nullopt;
    if (last.used >= *limit) return Exhaustion{{}, left};
    const double rate = per_second().value_or(0);
    if (rate <= 0) return std::nullopt;
    const double needed = static_cast<double>(distance(last.used, *limit)) / rate;
    if (needed > seconds(left)) return std::nullopt;
    const auto in = std::chrono::ceil<support::Milliseconds>(std::chrono::duration<double>(needed));
    return Exhaustion{in, left - std::min(in, left)};
}

}  // namespace ratectl::domain
