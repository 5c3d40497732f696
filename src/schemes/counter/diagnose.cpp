// What is wrong with a counter. Numbered ones say by themselves when they should expire.
#include <algorithm>

#include <fmt/format.h>

#include "domain/diagnosis/finding.h"
#include "schemes/counter/counter_scheme.h"
#include "support/time_text.h"

namespace ratectl::schemes::counter {
namespace {

using domain::Circumstances;
using domain::expires_at;
using domain::Finding;
using domain::FindingClass;
using domain::WindowLook;
using domain::WindowState;
using support::Milliseconds;
using support::WallTime;

constexpr std::string_view kWhatIsLong =
    "is the policy's period that of the limiter? Else find what lengthens the TTL; once the window is over, doctor "
    "--fix expiry-past removes it";

std::string duration(Milliseconds time) { return support::format_duration(std::chrono::abs(time)); }

/// How much later than that the key expires. Where the clocks of server and application differ, by the one by which it
/// is less: some limiters say when a key is to expire, and some in how many seconds.
Milliseconds late_by(std::int64_t expires_ms, WallTime right, const Circumstances& around) {
    const auto late = WallTime{Milliseconds{expires_ms}} - right;
    const auto by_application = late + (around.now - support::to_instant(around.server_now));
    if ((late < Milliseconds{0}) != (by_application < Milliseconds{0})) return Milliseconds{0};
    return std::chrono::abs(late) < std::chrono::abs(by_application) ? late : by_application;
}

Finding not_begun(support::Seconds ahead) {
    return {
        FindingClass::expiry_absurd, fmt::format("it begins in {}", support::format_duration(ahead)),
        "nothing until then: the limiter does not read it; what is counted there by then is used from the beginning",
        "is a clock ahead, or the policy's period not the limiter's own? Else find the writer; doctor --fix "
        "expiry-absurd removes it"};
}

}  // namespace

Finding CounterScheme::endless(const WindowLook& look) const {
    Finding finding{FindingClass::endless, *used_text(look) + " used"};
    if (rules_.floor > 0 && used_in(look) < rules_.floor)
        finding.own_effect = "nothing that lasts: the request that brings the counter to 1 gives it an end";
    return finding;
}

// Ten seconds, as of windows that are over: how far the clocks of those who write may be apart.
std::optional<Finding> CounterScheme::wrong_expiry(const WindowLook& look, const Bucket& bucket,
                                                   const Circumstances& around) const {
    constexpr Milliseconds tolerance = domain::kOverGrace;
    const auto& counter = stored_in(look);
    if (never_expires(counter)) {
        return Finding{FindingClass::leaked,
                       "the counter has no TTL",
                       {},
                       "find what takes the TTL away; once the window is over, doctor --fix expiry-past removes it",
                       domain::Repair::none};
    }
    const auto expires = expires_at(counter, around.server_now);
    if (!expires) return std::nullopt;
    // A month may be longer than the period that its TTL is.
    const WallTime end = bucket.last + support::Seconds{1};
    const auto period = rules_.buckets->period();
    const auto early = late_by(*expires, std::min(end, WallTime{bucket.first + period}), around);
    if (early < -tolerance) {
        return Finding{FindingClass::ttl_short,
                       fmt::format("the counter expires {} too early", duration(early)),
                       {},
                       "is the policy's period that of the limiter? Else find what shortens the TTL",
                       domain::Repair::none};
    }
    const auto late = late_by(*expires, end + rules_.outlives_periods * period + rules_.outlives, around);
    if (late <= tolerance) return std::nullopt;
    return Finding{FindingClass::ttl_long,
                   fmt::format("the counter expires {} later than this limiter's do", duration(late)),
                   {},
                   kWhatIsLong,
                   domain::Repair::none};
}

std::optional<Finding> CounterScheme::number_fault(const WindowLook& look, const Bucket& bucket,
                                                   const Circumstances& around) const {
    const auto now = std::max<support::Instant>(around.now, support::to_instant(around.server_now));
    if (bucket.first > now + domain::kOverGrace) return not_begun(bucket.first - now);
    auto found = wrong_expiry(look, bucket, around);
    if (!found || !domain::is_over(bucket.last, around)) return found;
    return Finding{FindingClass::expiry_past,
                   fmt::format("it ended {} ago, and {}", duration(around.now - bucket.last), found->detail)};
}

std::optional<Finding> CounterScheme::ttl_fault(const WindowLook& look, const Circumstances& around) const {
    const auto& counter = stored_in(look);
    const auto expires = expires_at(counter, around.server_now);
    const bool is_ours = around.is_ours || quota_in(look.key);
    if (!expires || !is_ours || rules_.lengthens || rules_.buckets) return std::nullopt;
    auto there = around;  // the TTL is the server's
    there.now = around.server_now;
    if (auto absurd = domain::absurd_end(support::from_epoch((*expires - 1) / 1000), there)) return absurd;
    const auto told = counter.ttl_ms.value_or(domain::kNoTtl);
    const auto left = told >= 0 ? Milliseconds{told} : WallTime{Milliseconds{*expires}} - around.server_now;
    if (!around.period || left <= *around.period + domain::kOverGrace) return std::nullopt;
    return Finding{
        FindingClass::ttl_long,
        fmt::format("the counter expires in {}, and a period is {}", duration(left), duration(*around.period)),
        "the window goes on for longer than the policy says, and so does a refusal",
        "is the policy's period that of the limiter? Else find what lengthens the TTL; `ratectl reset KEY` "
        "lets a window begin anew",
        domain::Repair::none};
}

std::vector<Finding> CounterScheme::diagnose(const WindowLook& look, const Circumstances& around) const {
    // Any program may have strings and lists without a TTL.
    if (!around.is_ours && !stored_in(look).expires_at_ms) return {};
    if (const auto why = corruption(look); !why.empty()) return {{FindingClass::corrupt, why}};
    if (!stored_in(look).value) return {};
    std::vector<Finding> findings;
    const auto state = judge(look, around.now, std::nullopt).state;
    if (state == WindowState::orphan_counter) findings.push_back({FindingClass::orphan_counter, "it never expires"});
    if (state == WindowState::leaked) findings.push_back(endless(look));
    const auto bucket = bucket_of(look.key);
    auto fault = bucket ? number_fault(look, *bucket, around) : ttl_fault(look, around);
    if (fault) findings.push_back(std::move(*fault));
    if (state == WindowState::negative) findings.push_back({FindingClass::negative, *used_text(look) + " used"});
    return findings;
}

}  // namespace ratectl::schemes::counter
