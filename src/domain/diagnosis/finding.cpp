// The rules for windows: PEXPIRETIME == (exp + 1) * 1000 for both halves, and everything that can stand in its way.
#include "domain/diagnosis/finding.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include <fmt/format.h>

#include "support/decimal.h"
#include "support/time_text.h"

namespace ratectl::domain {
namespace {

using support::Instant;
using support::Milliseconds;
using support::Seconds;

constexpr std::size_t kShownBytes = 40;
// No window is so long; with a known period, ten of them, or a day where that is longer.
constexpr Seconds kLongestWindow{std::int64_t{3650} * 86400};
constexpr Seconds kShortestAbsurd{86400};

std::optional<std::int64_t> end_of(const HalfLook& half) {
    const auto second = half.value ? support::parse_unsigned(*half.value, support::kMaxExactInteger) : std::nullopt;
    return second ? std::optional{static_cast<std::int64_t>(*second)} : std::nullopt;
}

/// Absolute, on the server's clock; null: never.
std::optional<std::int64_t> expires_at(const HalfLook& half, const Circumstances& around) {
    if (half.expires_at_ms) return half.expires_at_ms;
    if (!half.ttl_ms || *half.ttl_ms < 0) return std::nullopt;
    return around.server_now.time_since_epoch().count() + *half.ttl_ms;
}

Seconds farthest(const Circumstances& around) {
    if (!around.period) return kLongestWindow;
    return std::max(*around.period * 10, kShortestAbsurd);
}

bool is_absurd(std::int64_t end, const Circumstances& around) {
    return end > support::epoch_seconds(around.now + farthest(around));
}

std::string shown(std::string_view bytes) {
    if (bytes.size() <= kShownBytes) return fmt::format("'{}'", bytes);
    return fmt::format("'{}...' ({} bytes)", bytes.substr(0, kShownBytes), bytes.size());
}

std::string duration(std::int64_t ms) { return support::format_duration(Milliseconds{std::abs(ms)}); }

// ---- one rule after the other ---------------------------------------------------------------------------------------------------

std::optional<std::string> corrupt_half(const HalfLook& half, std::string_view name, bool is_number) {
    if (has_wrong_type(half)) return fmt::format("the {} is a {}", name, *half.type);
    if (half.value && !is_number) return fmt::format("the {} holds {}, which is no integer", name, shown(*half.value));
    return std::nullopt;
}

std::optional<Finding> corrupt(const WindowLook& look) {
    auto counter = corrupt_half(look.counter, "counter", counter_of(look.counter).has_value());
    auto expiry = corrupt_half(look.expiry, "expiry half", end_of(look.expiry).has_value());
    if (!counter && !expiry) return std::nullopt;
    if (counter && expiry) return Finding{FindingClass::corrupt, *counter + "; " + *expiry};
    return Finding{FindingClass::corrupt, counter ? *counter : *expiry};
}

std::optional<Finding> orphan(const WindowLook& look, const Circumstances& around) {
    if (!is_there(look.expiry)) {
        const auto expires = expires_at(look.counter, around);
        const auto used = *counter_of(look.counter);
        if (expires) return Finding{FindingClass::orphan_counter, fmt::format("{} used, no expiry half", used)};
        return Finding{FindingClass::orphan_counter,
                       fmt::format("{} used, no expiry half and no TTL: a late EXPIREAT leaves this", used)};
    }
    if (is_there(look.counter)) return std::nullopt;
    const bool stays = !expires_at(look.expiry, around);
    return Finding{FindingClass::orphan_expiry,
                   fmt::format("ends {}, no counter{}", support::format_time(support::from_epoch(*end_of(look.expiry))),
                               stays ? ", and no TTL" : "")};
}

std::optional<Finding> absurd(std::int64_t end, const Circumstances& around) {
    if (!is_absurd(end, around)) return std::nullopt;
    const auto as_ms = end / 1000;
    const auto now = support::epoch_seconds(around.now);
    const bool is_ms = std::abs(as_ms - now) <= farthest(around).count();
    std::string detail = fmt::format("ends at second {}", end);
    if (is_ms) {
        detail += fmt::format(": milliseconds taken for seconds, it would be {}",
                              support::format_time(support::from_epoch(as_ms)));
    } else if (around.period) {
        detail +=
            fmt::format(", and the policy's period is {}", support::format_duration(Milliseconds(*around.period)));
    } else {
        detail += ", more than ten years ahead";
    }
    return Finding{FindingClass::expiry_absurd, std::move(detail)};
}

/// `the counter`, `the expiry half` or `both`, whichever this is true of; empty: neither.
template <class Test>
std::string_view halves_where(const WindowLook& look, Test test) {
    const bool counter = test(look.counter);
    const bool expiry = test(look.expiry);
    if (counter && expiry) return "both halves";
    if (counter) return "the counter";
    return expiry ? "the expiry half" : std::string_view{};
}

/// Why the expiries are not right_ms, of a window that has both halves.
std::optional<Finding> wrong_expiry(const WindowLook& look, std::int64_t right_ms, const Circumstances& around) {
    const auto deviation = [&](const HalfLook& half) { return expires_at(half, around).value_or(right_ms) - right_ms; };
    const auto leaked = halves_where(look, [&](const HalfLook& half) { return !expires_at(half, around); });
    if (!leaked.empty()) {
        return Finding{FindingClass::leaked,
                       fmt::format("{} {} no TTL", leaked, leaked == "both halves" ? "have" : "has")};
    }
    const auto worst = [&](auto better) {
        return better(deviation(look.counter), deviation(look.expiry)) ? deviation(look.counter)
                                                                       : deviation(look.expiry);
    };
    const auto verb = [](std::string_view halves) { return halves == "both halves" ? "expire" : "expires"; };
    const auto tolerance = kExpiryTolerance.count();
    const auto early = halves_where(look, [&](const HalfLook& half) { return deviation(half) < -tolerance; });
    if (!early.empty()) {
        return Finding{FindingClass::ttl_short,
                       fmt::format("{} {} {} too early", early, verb(early), duration(worst(std::less<>{})))};
    }
    const auto late = halves_where(look, [&](const HalfLook& half) { return deviation(half) > tolerance; });
    if (late.empty()) return std::nullopt;
    return Finding{FindingClass::ttl_long,
                   fmt::format("{} {} {} too late", late, verb(late), duration(worst(std::greater<>{})))};
}

bool is_over(std::int64_t end, const Circumstances& around) {
    const auto now = std::min(around.now, support::to_instant(around.server_now));
    return support::from_epoch(end) + Seconds{1} + kOverGrace <= now;
}

/// The faults of a whole window with an end that is a number.
std::optional<Finding> expiry_fault(const WindowLook& look, const Circumstances& around) {
    const auto end = *end_of(look.expiry);
    if (auto found = absurd(end, around)) return found;
    auto found = wrong_expiry(look, *right_expiry_ms(look), around);
    if (!found || !is_over(end, around)) return found;
    const auto ago = support::epoch_seconds(around.now) - end;
    return Finding{FindingClass::expiry_past,
                   fmt::format("it ended {} ago, and {}", duration(ago * 1000), found->detail)};
}

/// Half a window that no policy knows and that holds no number is a key of another program.
bool is_foreign(const WindowLook& look, const Circumstances& around) {
    if (around.is_ours || (is_there(look.counter) && is_there(look.expiry))) return false;
    return !counter_of(look.counter) && !end_of(look.expiry);
}

}  // namespace

std::optional<std::int64_t> right_expiry_ms(const WindowLook& look) {
    const auto end = end_of(look.expiry);
    return end ? std::optional{(*end + 1) * 1000} : std::nullopt;
}

bool looks_sound(const WindowLook& look, const Circumstances& around) {
    const auto used = counter_of(look.counter);
    const auto end = end_of(look.expiry);
    if (!used || *used < 0 || !end || is_absurd(*end, around) || look.key.ends_with(around.suffix)) return false;
    const auto right_ms = (*end + 1) * 1000;
    const auto is_right = [&](const HalfLook& half) {
        const auto expires = expires_at(half, around);
        return expires && std::abs(*expires - right_ms) <= kExpiryTolerance.count();
    };
    return is_right(look.counter) && is_right(look.expiry);
}

std::vector<Finding> diagnose(const WindowLook& look, const Circumstances& around) {
    std::vector<Finding> findings;
    if ((!is_there(look.counter) && !is_there(look.expiry)) || is_foreign(look, around)) return findings;
    auto own = corrupt(look);
    const bool is_corrupt = own.has_value();
    if (!own) own = orphan(look, around);
    if (!own) own = expiry_fault(look, around);
    if (own) findings.push_back(std::move(*own));
    const auto used = counter_of(look.counter);
    const auto end = end_of(look.expiry);
    if (!is_corrupt && used && *used < 0 && end && support::from_epoch(*end) >= around.now) {
        findings.push_back({FindingClass::negative, fmt::format("{} used", *used)});
    }
    if (look.key.ends_with(around.suffix) && is_there(look.expiry)) {
        const std::string_view other(look.key.data(), look.key.size() - around.suffix.size());
        findings.push_back({FindingClass::suffix_clash, fmt::format("its counter is the expiry half of '{}'", other)});
    }
    return findings;
}

}  // namespace ratectl::domain
