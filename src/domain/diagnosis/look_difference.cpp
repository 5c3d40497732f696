// Compares what two looks found stored; whether a window is open matters for the words alone.
#include "domain/diagnosis/look_difference.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "domain/diagnosis/finding.h"
#include "support/decimal.h"
#include "support/time_text.h"

namespace ratectl::domain {
namespace {

using support::Milliseconds;

// What rounding of clocks to milliseconds costs, on either side.
constexpr Milliseconds kRounding{2};

std::string moment(std::int64_t ms) { return support::format_wall_time(support::WallTime{Milliseconds{ms}}); }

bool is_other_kind(const HalfLook& a, const HalfLook& b) {
    if (is_there(a) != is_there(b)) return true;
    return a.type && b.type && a.type != b.type;
}

bool differ_in_used(const std::optional<std::string>& a, const std::optional<std::string>& b, std::int64_t min_delta) {
    if (!a || !b || a == b) return false;
    const auto x = support::parse_decimal(*a);
    const auto y = support::parse_decimal(*b);
    if (!x || !y) return true;
    const std::int64_t delta = difference_of(*x, *y);
    return delta >= min_delta || delta <= -min_delta;
}

bool differ_in_expiry(const HalfLook& a, const SeenAt& at_a, const HalfLook& b, const SeenAt& at_b) {
    if (!is_there(a) || !is_there(b)) return false;
    if (never_expires(a) != never_expires(b)) return true;
    const auto x = expires_at(a, at_a.read_at, at_a.facts);
    const auto y = expires_at(b, at_b.read_at, at_b.facts);
    if (!x || !y) return false;
    Milliseconds tolerance{0};
    if (x->doubt + y->doubt > Milliseconds{0}) tolerance = kExpiryTolerance + x->doubt + y->doubt;
    return Milliseconds{std::abs(difference_of(x->at_ms, y->at_ms))} > tolerance;
}

std::string expiry_words(std::string_view half, const HalfLook& here, const SeenAt& at_here, const HalfLook& there,
                         const SeenAt& at_there, std::string_view name) {
    if (never_expires(here) != never_expires(there)) {
        return never_expires(here) ? fmt::format("the {} has no TTL, on {} it has one", half, name)
                                   : fmt::format("the {} has a TTL, on {} it has none", half, name);
    }
    const auto x = expires_at(here, at_here.read_at, at_here.facts);
    const auto y = expires_at(there, at_there.read_at, at_there.facts);
    if (!x || !y) return {};
    return fmt::format("the {} expires at {}, on {} at {}", half, moment(x->at_ms), name, moment(y->at_ms));
}

std::string end_words(const HalfLook& expiry) {
    const auto second = expiry.value ? support::parse_unsigned(*expiry.value, support::kMaxExactInteger) : std::nullopt;
    return second ? support::format_time(support::from_epoch(static_cast<std::int64_t>(*second))) : std::string();
}

}  // namespace

bool never_expires(const HalfLook& half) { return is_there(half) && half.ttl_ms == kNoTtl; }

std::optional<ServerMoment> server_time(support::WallTime ours, const NodeFacts* facts) {
    if (facts == nullptr || !facts->clock_skew) return std::nullopt;
    return ServerMoment{ours + *facts->clock_skew, facts->round_trip.value_or(Milliseconds{0}) / 2 + kRounding};
}

std::optional<ExpiryMoment> expires_at(const HalfLook& half, support::WallTime read_at, const NodeFacts* facts) {
    if (half.expires_at_ms) return ExpiryMoment{*half.expires_at_ms, Milliseconds{0}};
    if (!half.ttl_ms || *half.ttl_ms < 0) return std::nullopt;
    const auto server = server_time(read_at, facts);
    if (!server) return std::nullopt;
    return ExpiryMoment{server->at.time_since_epoch().count() + *half.ttl_ms,
                        server->doubt + facts->round_trip.value_or(Milliseconds{0})};
}

std::int64_t difference_of(std::int64_t a, std::int64_t b) {
    std::int64_t difference = 0;
    if (!__builtin_sub_overflow(a, b, &difference)) {
        return std::max(difference, -std::numeric_limits<std::int64_t>::max());  // so that it can be negated
    }
    return a > b ? std::numeric_limits<std::int64_t>::max() : -std::numeric_limits<std::int64_t>::max();
}

LookDifference look_difference(const SeenAt& a, const SeenAt& b, std::int64_t min_delta) {
    LookDifference found;
    found.presence = is_other_kind(a.look.counter, b.look.counter) || is_other_kind(a.look.expiry, b.look.expiry);
    found.reset = a.look.expiry.value && b.look.expiry.value && a.look.expiry.value != b.look.expiry.value;
    found.used = differ_in_used(a.look.counter.value, b.look.counter.value, found.reset ? 1 : min_delta);
    found.expiry = !found.reset && (differ_in_expiry(a.look.counter, a, b.look.counter, b) ||
                                    differ_in_expiry(a.look.expiry, a, b.look.expiry, b));
    return found;
}

std::optional<std::int64_t> counted(const WindowLook& look, support::Instant now) {
    const Window window = judge(look, now, std::nullopt);
    if (window.state == WindowState::corrupt) return std::nullopt;
    return open_until(look, now) ? window.used : 0;
}

std::string words_of(const WindowLook& look, support::Instant now) {
    const Window window = judge(look, now, std::nullopt);
    switch (window.state) {
        case WindowState::absent:
            return "no window";
        case WindowState::corrupt:
            return "a value that is not a window";
        case WindowState::orphan_counter:
            return fmt::format("a counter of {} without an expiry half", *window.used);
        case WindowState::orphan_expiry:
            return fmt::format("an expiry half ({}) without a counter", end_words(look.expiry));
        default:
            break;
    }
    const bool open = open_until(look, now).has_value();
    return fmt::format("{} used {} {}", look.counter.value.value_or("?"), open ? "until" : "in a window that ended at",
                       end_words(look.expiry));
}

std::string words_of(const SeenAt& view, const SeenAt& reference, const LookDifference& difference,
                     std::string_view name, support::Instant now) {
    if (difference.presence || difference.reset)
        return fmt::format("{} where {} has {}", words_of(view.look, now), name, words_of(reference.look, now));
    std::string words;
    if (difference.used) {
        words = fmt::format("{} used where {} has {}", view.look.counter.value.value_or("?"), name,
                            reference.look.counter.value.value_or("?"));
    }
    if (!difference.expiry) return words;
    const bool counter = differ_in_expiry(view.look.counter, view, reference.look.counter, reference);
    const auto& here = counter ? view.look.counter : view.look.expiry;
    const auto& there = counter ? reference.look.counter : reference.look.expiry;
    const auto expiry = expiry_words(counter ? "counter" : "expiry half", here, view, there, reference, name);
    return words.empty() ? expiry : words + "; " + expiry;
}

}  // namespace ratectl::domain
