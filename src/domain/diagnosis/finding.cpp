// What holds for the windows of every limiter; the rest is asked of each.
#include "domain/diagnosis/finding.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "domain/limiter.h"
#include "support/time_text.h"

namespace ratectl::domain {
namespace {

using support::Instant;
using support::Seconds;

// No window is so long; with a known period, ten of them, or a day where that is longer.
constexpr Seconds kLongestWindow{std::int64_t{3650} * 86400};
constexpr Seconds kShortestAbsurd{86400};

Seconds farthest(const Circumstances& around) {
    if (!around.period) return kLongestWindow;
    return std::max(*around.period * 10, kShortestAbsurd);
}

}  // namespace

std::optional<Finding> absurd_end(Instant end, const Circumstances& around) {
    if (end <= around.now + farthest(around)) return std::nullopt;
    const auto second = support::epoch_seconds(end);
    const auto as_ms = second / 1000;
    const auto now = support::epoch_seconds(around.now);
    const bool is_ms = std::abs(as_ms - now) <= farthest(around).count();
    std::string detail = fmt::format("ends at second {}", second);
    if (is_ms) {
        detail += fmt::format(": milliseconds taken for seconds, it would be {}",
                              support::format_time(support::from_epoch(as_ms)));
    } else if (around.period) {
        detail += fmt::format(", and the policy's period is {}", support::format_duration(*around.period));
    } else {
        detail += ", more than ten years ahead";
    }
    return Finding{FindingClass::expiry_absurd, std::move(detail)};
}

bool is_over(Instant end, const Circumstances& around) {
    const auto now = std::min<Instant>(around.now, support::to_instant(around.server_now));
    return end + Seconds{1} + kOverGrace <= now;
}

std::optional<std::int64_t> right_expiry_ms(const WindowLook& look) {
    return look.limiter != nullptr ? look.limiter->right_expiry_ms(look) : std::nullopt;
}

bool looks_sound(const WindowLook& look, const Circumstances& around) {
    return look.limiter != nullptr && look.limiter->looks_sound(look, around);
}

std::vector<Finding> diagnose(const WindowLook& look, const Circumstances& around) {
    return look.limiter != nullptr ? look.limiter->diagnose(look, around) : std::vector<Finding>();
}

}  // namespace ratectl::domain
