// Watches a simulated store second by second.
#include "domain/governor/recovery.h"

#include <algorithm>
#include <cmath>

namespace ratectl::domain::governor {

void RecoveryWatch::see(double second, double load) {
    if (recoveries_.size() < steps_.size() && second >= steps_[recoveries_.size()]) {
        const double at = steps_[recoveries_.size()];
        recoveries_.emplace_back().at = at;
    }
    if (recoveries_.empty()) return;
    auto& now = recoveries_.back();
    now.highest = std::max(now.highest, load);
    if (now.rearmed_at) now.highest_rearmed = std::max(now.highest_rearmed, load);
    if (std::abs(load - 1) > kBack || is_open_) {
        now.back_after.reset();
    } else if (!now.back_after) {
        now.back_after = second - now.at;
    }
}

void RecoveryWatch::decided(double second, Why why) {
    is_open_ = why == Why::tripped || why == Why::blind || why == Why::open;
    if (recoveries_.empty()) return;
    auto& now = recoveries_.back();
    if (why == Why::tripped && !now.tripped_at) now.tripped_at = second;
    if (why != Why::rearmed) return;
    now.rearmed_at = second;
    now.highest_rearmed = 0;
}

}  // namespace ratectl::domain::governor
