// What is wrong with a counter. Numbered ones say by themselves when they should expire.
#include <algorithm>

#include <fmt/format.h>

#include "domain/diagnosis/finding.h"
#include "schemes/counter/counter_scheme.h"
#include "support/time_text.h"

namespace ratectl::schemes::counter {
namespace {

using domain::Circumstances;
using domain::Finding;
using domain::FindingClass;
using domain::WindowLook;
using domain::WindowState;

Finding not_begun(support::Seconds ahead) {
    return {FindingClass::expiry_absurd, fmt::format("it begins in {}", support::format_duration(ahead)),
            "nothing until then: the limiter does not read it; what is counted there by then is used from the beginning",
            "is a clock ahead, or the policy's period not the limiter's own? Else find the writer; doctor --fix "
            "expiry-absurd removes it"};
}

}  // namespace

Finding CounterScheme::endless(const WindowLook& look) const {
    Finding finding{FindingClass::endless, *count_in(look).value + " used"};
    if (rules_.floor > 0 && integer_of(count_in(look)) < rules_.floor)
        finding.own_effect = "nothing that lasts: the request that brings the counter to 1 gives it an end";
    return finding;
}

std::optional<Finding> CounterScheme::expiry_fault(const WindowLook& look, const Circumstances& around) const {
    const auto bucket = bucket_of(look.key);
    if (!bucket) return std::nullopt;
    const auto now = std::max(around.now, support::to_instant(around.server_now));
    if (bucket->first > now + domain::kOverGrace) return not_begun(bucket->first - now);
    if (!never_expires(count_in(look)) || bucket->last + domain::kOverGrace >= around.now) return std::nullopt;
    return Finding{FindingClass::expiry_past, "it is over, and never expires"};
}

std::vector<Finding> CounterScheme::diagnose(const WindowLook& look, const Circumstances& around) const {
    // Any program may have strings and lists without a TTL.
    if (!around.is_ours && !count_in(look).expires_at_ms) return {};
    if (const auto fault = corruption(look); !fault.empty()) return {{FindingClass::corrupt, fault}};
    if (!count_in(look).value) return {};
    std::vector<Finding> findings;
    const auto state = judge(look, around.now, std::nullopt).state;
    if (state == WindowState::orphan_counter) findings.push_back({FindingClass::orphan_counter, "it never expires"});
    if (state == WindowState::leaked) findings.push_back(endless(look));
    if (auto fault = expiry_fault(look, around)) findings.push_back(std::move(*fault));
    if (state == WindowState::negative) findings.push_back({FindingClass::negative, *count_in(look).value + " used"});
    return findings;
}

bool CounterScheme::looks_sound(const WindowLook& look, const Circumstances& around) const {
    return diagnose(look, around).empty();
}

}  // namespace ratectl::schemes::counter
