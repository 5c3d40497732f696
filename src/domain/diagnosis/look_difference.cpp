// Compares what two looks found stored; whether a window is open matters for the words alone.
#include "domain/diagnosis/look_difference.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "domain/diagnosis/finding.h"
#include "domain/limiter.h"
#include "support/number_text.h"
#include "support/time_text.h"

namespace ratectl::domain {
namespace {

using support::Milliseconds;

// What rounding of clocks to milliseconds costs, on either side.
constexpr Milliseconds kRounding{2};

std::string moment(std::int64_t ms) { return support::format_wall_time(support::WallTime{Milliseconds{ms}}); }

bool is_other_kind(const StoredKey& a, const StoredKey& b) {
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

bool differ_in_expiry(const StoredKey& a, const SeenAt& at_a, const StoredKey& b, const SeenAt& at_b) {
    if (!is_there(a) || !is_there(b)) return false;
    if (never_expires(a) != never_expires(b)) return true;
    const auto x = expires_at(a, at_a.read_at, at_a.facts);
    const auto y = expires_at(b, at_b.read_at, at_b.facts);
    if (!x || !y) return false;
    Milliseconds tolerance{0};
    if (x->doubt + y->doubt > Milliseconds{0}) tolerance = kExpiryTolerance + x->doubt + y->doubt;
    return Milliseconds{std::abs(difference_of(x->at_ms, y->at_ms))} > tolerance;
}

std::string expiry_words(std::string_view part, const StoredKey& here, const SeenAt& at_here, const StoredKey& there,
                         const SeenAt& at_there, std::string_view name) {
    if (never_expires(here) != never_expires(there)) {
        return never_expires(here) ? fmt::format("the {} has no TTL, on {} it has one", part, name)
                                   : fmt::format("the {} has a TTL, on {} it has none", part, name);
    }
    const auto x = expires_at(here, at_here.read_at, at_here.facts);
    const auto y = expires_at(there, at_there.read_at, at_there.facts);
    if (!x || !y) return {};
    return fmt::format("the {} expires at {}, on {} at {}", part, moment(x->at_ms), name, moment(y->at_ms));
}

/// The first part whose expiry differs; null: none.
std::optional<std::size_t> part_that_differs_in_expiry(const SeenAt& a, const SeenAt& b) {
    const auto parts = std::min(a.look.parts.size(), b.look.parts.size());
    for (std::size_t i = 0; i < parts; ++i) {
        if (differ_in_expiry(a.look.parts[i], a, b.look.parts[i], b)) return i;
    }
    return std::nullopt;
}

}  // namespace

std::optional<ServerMoment> server_time(support::WallTime ours, const NodeFacts* facts) {
    if (facts == nullptr || !facts->clock_skew) return std::nullopt;
    return ServerMoment{ours + *facts->clock_skew, facts->round_trip.value_or(Milliseconds{0}) / 2 + kRounding};
}

std::optional<ExpiryMoment> expires_at(const StoredKey& stored, support::WallTime read_at, const NodeFacts* facts) {
    if (stored.expires_at_ms) return ExpiryMoment{*stored.expires_at_ms, Milliseconds{0}};
    if (!stored.ttl_ms || *stored.ttl_ms < 0) return std::nullopt;
    const auto server = server_time(read_at, facts);
    if (!server) return std::nullopt;
    return ExpiryMoment{server->at.time_since_epoch().count() + *stored.ttl_ms,
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
    const auto reset = stored_window(a.look).reset_at;
    const auto other_reset = stored_window(b.look).reset_at;
    found.presence = any_pair(a.look, b.look, is_other_kind);
    found.reset = reset && other_reset && reset != other_reset;
    found.used = differ_in_used(stored_used(a.look).value, stored_used(b.look).value, found.reset ? 1 : min_delta);
    found.expiry = !found.reset && part_that_differs_in_expiry(a, b);
    return found;
}

std::optional<std::int64_t> counted(const WindowLook& look, support::Moment now) {
    const Window window = judge(look, now, std::nullopt);
    if (window.state == WindowState::corrupt) return std::nullopt;
    return counts_at(window, now) ? window.used : 0;
}

std::string words_of(const WindowLook& look, support::Moment now) {
    return look.limiter != nullptr ? look.limiter->words_of(look, now) : "no window";
}

std::string words_of(const SeenAt& view, const SeenAt& reference, const LookDifference& difference,
                     std::string_view name, support::Moment now) {
    if (difference.presence || difference.reset)
        return fmt::format("{} where {} has {}", words_of(view.look, now), name, words_of(reference.look, now));
    std::string words;
    if (difference.used) {
        words = fmt::format("{} used where {} has {}", stored_used(view.look).value.value_or("?"), name,
                            stored_used(reference.look).value.value_or("?"));
    }
    if (!difference.expiry) return words;
    const auto part = part_that_differs_in_expiry(view, reference);
    if (!part) return words;
    const auto expiry = expiry_words(view.look.limiter->parts()[*part].name, view.look.parts[*part], view,
                                     reference.look.parts[*part], reference, name);
    return words.empty() ? expiry : words + "; " + expiry;
}

}  // namespace ratectl::domain
