// What the moment of a GCRA means, and how it is moved.
#include "schemes/gcra/gcra_scheme.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "domain/diagnosis/finding.h"
#include "schemes/write_call.h"
#include "support/number_text.h"
#include "support/time_text.h"

namespace ratectl::schemes::gcra {
namespace {

using domain::Window;
using domain::WindowLook;
using domain::WindowState;
using support::Instant;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t k2017 = 1'483'228'800;
constexpr double kMostSeconds = 9e9;   // more nanoseconds than that are none of 64 bits
constexpr std::int64_t kNoise = 1000;  // what a moment as a double may be off
constexpr std::size_t kLongestFraction = 24;

std::int64_t seconds_up(std::int64_t ns) { return ns / kSecond + (ns % kSecond > 0 ? 1 : 0); }

Instant second_of(std::int64_t ns) { return support::from_epoch(seconds_up(ns)); }

/// `312018159.08614701`, as Lua's %.17g has it, without an exponent.
std::optional<double> fraction_in(std::string_view text) {
    const auto* const end = text.data() + text.size();
    double seconds = 0;
    const auto parsed = std::from_chars(text.data(), end, seconds, std::chars_format::fixed);
    const bool whole = !text.empty() && text.size() <= kLongestFraction && text.back() != '.';
    if (!whole || parsed.ec != std::errc() || parsed.ptr != end || !std::isfinite(seconds)) return std::nullopt;
    return seconds;
}

std::int64_t epoch_of(Unit unit) { return unit == Unit::seconds_since_2017 ? k2017 : 0; }

std::optional<std::int64_t> moment_in(std::string_view text, Unit unit) {
    if (unit == Unit::nanoseconds) {
        const auto ns = support::parse_decimal(text);
        return ns && *ns >= kSecond ? ns : std::nullopt;
    }
    const auto seconds = fraction_in(text);
    if (!seconds || std::fabs(*seconds) > kMostSeconds - static_cast<double>(k2017)) return std::nullopt;
    const double whole = std::floor(*seconds);
    const auto ns = static_cast<std::int64_t>(std::floor((*seconds - whole) * 1e9 + 0.5));
    return (static_cast<std::int64_t>(whole) + epoch_of(unit)) * kSecond + ns;
}

std::int64_t clock_of(const WindowLook& look, Instant now) {
    return look.server_ms ? *look.server_ms * 1'000'000 : support::epoch_seconds(now) * kSecond;
}

template <std::size_t kTerms, std::size_t Rest>
std::array<std::string, kTerms + Rest> columns(std::array<std::string, kTerms> terms,
                                               std::array<std::string, Rest> rest) {
    std::array<std::string, kTerms + Rest> all;
    std::ranges::move(terms, all.begin());
    std::ranges::move(rest, all.begin() + kTerms);
    return all;
}

/// Of what was no moment, a record has the bytes alone.
std::string stored_bytes(const domain::StoredWindow& window) { return window.state.value_or(window.used.value_or("")); }

std::string seen_state(const std::optional<domain::StoredWindow>& seen) {
    return seen ? packed({seen->state}) : std::string();
}

}  // namespace

GcraScheme::GcraScheme(Rules rules, const domain::Policy* policy)
    : SingleKeyScheme(true),
      rules_(rules),
      policy_(policy != nullptr ? std::vector{*policy} : std::vector<domain::Policy>()) {}

std::string GcraScheme::layout() const {
    switch (rules_.unit) {
        case Unit::nanoseconds: return "moment in nanoseconds";
        case Unit::seconds: return "moment in seconds";
        case Unit::seconds_since_2017: return "moment in seconds since 2017";
    }
    return "moment";
}

std::span<const domain::Limiter::Part> GcraScheme::parts() const {
    static constexpr std::array<Part, 1> all{{{"moment", "moments"}}};
    return all;
}

std::optional<std::int64_t> GcraScheme::arrival(const WindowLook& look) const {
    const auto& value = stored_in(look).value;
    return value ? moment_in(*value, rules_.unit) : std::nullopt;
}

std::optional<std::int64_t> GcraScheme::limit_of(std::string_view key) const {
    const auto match = policy_.match(key);
    return match ? match->limit : std::nullopt;
}

std::optional<support::Seconds> GcraScheme::period() const {
    return policy_.empty() ? std::nullopt : policy_.policies().front().period;
}

std::optional<double> GcraScheme::per_request(std::optional<std::int64_t> limit) const {
    const auto span = period();
    if (!span || !limit || *limit <= 0) return std::nullopt;
    const double each = static_cast<double>(span->count()) * 1e9 / static_cast<double>(*limit);
    return rules_.unit == Unit::nanoseconds ? std::floor(each) : each;
}

std::int64_t GcraScheme::most_let_through(std::int64_t limit) const {
    if (policy_.empty() || limit <= 0) return limit;
    const auto burst = policy_.policies().front().burst;
    return rules_.beside_first ? burst.value_or(0) + 1 : burst.value_or(limit);
}

std::optional<std::int64_t> GcraScheme::used(std::int64_t ahead_ns, std::optional<std::int64_t> limit) const {
    const auto each = per_request(limit);
    if (!each) return std::nullopt;
    return std::max<std::int64_t>(0,
                                  static_cast<std::int64_t>(std::ceil(static_cast<double>(ahead_ns - kNoise) / *each)));
}

Window GcraScheme::judge(const WindowLook& look, Instant now, std::optional<std::int64_t> limit) const {
    Window window;
    if (per_request(limit) || limit == 0) window.limit = most_let_through(*limit);
    if (!corruption(look).empty()) {
        window.state = WindowState::corrupt;
        return window;
    }
    const auto at = arrival(look);
    const auto ahead = at ? *at - clock_of(look, now) : 0;
    if (ahead <= 0) {
        window.state = at ? WindowState::closed : WindowState::absent;
        window.remaining = window.limit;
        return window;
    }
    window.used = used(ahead, limit);
    window.reset_at = second_of(*at);
    window.state = WindowState::open;
    if (!window.used) {
        window.remaining = window.limit;  // none, or not known
        return window;
    }
    window.remaining = domain::remaining_of(*window.limit, *window.used);
    window.exhausted = *window.remaining == 0;
    if (!window.exhausted) return window;
    window.state = WindowState::exhausted;
    // As soon as the moment is no more than all but one requests ahead.
    const double each = *per_request(limit);
    const auto passes = *at - static_cast<std::int64_t>(each * static_cast<double>(*window.limit - 1));
    window.passes_at = second_of(passes);
    return window;
}

std::optional<Instant> GcraScheme::open_until(const WindowLook& look, Instant now) const {
    const auto at = arrival(look);
    return at && *at > clock_of(look, now) ? std::optional{second_of(*at)} : std::nullopt;
}

// After one request.
std::optional<Instant> GcraScheme::next_end(std::string_view key, Instant now,
                                            std::optional<support::Seconds> /*period*/) const {
    const auto each = per_request(limit_of(key));
    if (!each) return std::nullopt;
    return now + support::Seconds(static_cast<std::int64_t>(std::ceil(*each / 1e9)));
}

Instant GcraScheme::moved_end(std::string_view key, Instant end, std::int64_t requests) const {
    const double by = per_request(limit_of(key)).value_or(0) * static_cast<double>(requests) / 1e9;
    return end + support::Seconds(static_cast<std::int64_t>(std::ceil(by)));
}

std::string GcraScheme::corruption(const WindowLook& look) const {
    const auto& moment = stored_in(look);
    if (has_wrong_type(moment)) return "the key's type is " + *moment.type;
    return moment.value && !arrival(look) ? "what is stored is no moment" : "";
}

std::string GcraScheme::words_of(const WindowLook& look, Instant now) const {
    if (!corruption(look).empty()) return "a value that is no moment";
    const auto at = arrival(look);
    if (!at) return "no window";
    const auto end = support::format_time(second_of(*at));
    if (*at <= clock_of(look, now)) return "nothing used since " + end;
    const auto count = used(*at - clock_of(look, now), limit_of(look.key));
    return (count ? std::to_string(*count) + " used" : std::string("something used")) + ", all of it free again at " +
           end;
}

std::vector<domain::Finding> GcraScheme::diagnose(const WindowLook& look, const domain::Circumstances& around) const {
    // Any program may have strings and lists without a TTL.
    if (!around.is_ours && !stored_in(look).expires_at_ms) return {};
    if (const auto fault = corruption(look); !fault.empty()) return {{domain::FindingClass::corrupt, fault}};
    const auto at = arrival(look);
    if (at) {
        if (auto absurd = domain::absurd_end(second_of(*at), around)) return {*std::move(absurd)};
    }
    const bool stays = at && never_expires(stored_in(look)) && second_of(*at) + domain::kOverGrace < around.now;
    if (!stays) return {};
    return {{domain::FindingClass::expiry_past, "all of it is free again, and it never expires"}};
}

domain::StoredWindow GcraScheme::stored(const WindowLook& look) const {
    const auto& value = stored_in(look).value;
    const auto at = arrival(look);
    if (!at) return {value, std::nullopt, {}, value};
    const auto end = second_of(*at);
    const auto count = look.server_ms ? used(*at - clock_of(look, end), limit_of(look.key)) : std::nullopt;
    return {count ? std::optional{std::to_string(*count)} : std::nullopt, seconds(end), {}, value};
}

WindowLook GcraScheme::look_at(std::string key, const domain::StoredWindow& stored) const {
    WindowLook look{std::move(key), domain::LookDepth::light, this, std::vector<domain::StoredKey>(1), {}};
    look.parts.front().value = stored.state;
    return look;
}

std::array<std::string, GcraScheme::kTerms> GcraScheme::terms(const std::string& key) const {
    static constexpr std::array<std::string_view, 3> lives{"ms", "floor", "ceil"};
    const auto limit = limit_of(key);
    const auto span = period();
    return {rules_.unit == Unit::nanoseconds ? std::string("ns") : std::to_string(epoch_of(rules_.unit)),
            std::string(lives[static_cast<std::size_t>(rules_.life)]), number(limit),
            span ? std::to_string(span->count()) : std::string()};
}

redis::ScriptCall GcraScheme::count_call(std::span<const domain::CountItem* const> items, const CallHead& head) const {
    return schemes::write_call(kCountScript, items, head, add_keys, [this](const domain::CountItem& item) {
        return columns(terms(item.at.key), std::array{number(item.amount), seen_state(item.if_stored),
                                                      number(item.if_used_at_least), seconds(item.if_reset)});
    });
}

redis::ScriptCall GcraScheme::refund_call(std::span<const domain::RefundItem* const> items,
                                          const CallHead& head) const {
    return schemes::write_call(kRefundScript, items, head, add_keys, [this](const domain::RefundItem& item) {
        return columns(terms(item.at.key),
                       std::array{number(item.amount), flag(item.clamp), number(item.if_used_at_least)});
    });
}

redis::ScriptCall GcraScheme::reset_call(std::span<const domain::ResetItem* const> items, const CallHead& head) const {
    return schemes::write_call(kResetScript, items, head, add_keys, [this](const domain::ResetItem& item) {
        return columns(terms(item.at.key),
                       std::array{seconds(item.if_reset), number(item.if_used_at_least), seen_state(item.if_stored)});
    });
}

redis::ScriptCall GcraScheme::restore_call(std::span<const domain::RestoreItem* const> items,
                                           const CallHead& head) const {
    return schemes::write_call(kRestoreScript, items, head, add_keys, [this](const domain::RestoreItem& item) {
        return columns(terms(item.at.key),
                       std::array{stored_bytes(item.window), number(item.window.expires.front()), flag(item.merge)});
    });
}

}  // namespace ratectl::schemes::gcra
