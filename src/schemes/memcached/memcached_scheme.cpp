// What the predecessor's two keys mean, and what goes wrong where only one of them is left.
#include "schemes/memcached/memcached_scheme.h"

#include <array>
#include <cstdlib>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "domain/diagnosis/finding.h"
#include "support/number_text.h"
#include "support/time_text.h"

namespace ratectl::schemes::memcached {
namespace {

using domain::Circumstances;
using domain::Finding;
using domain::FindingClass;
using domain::is_there;
using domain::Repair;
using domain::StoredKey;
using domain::WindowLook;
using domain::WindowState;
using support::Instant;
using support::Milliseconds;
using support::Moment;

/// A server counts expiries in whole seconds, and a look asks for the two keys one behind the other.
constexpr Milliseconds kTolerance{2000};

std::string duration(std::int64_t ms) { return support::format_duration(Milliseconds{std::abs(ms)}); }

/// In so many milliseconds; null: never, it is not there, or that is not known.
std::optional<std::int64_t> left_of(const StoredKey& stored) {
    return stored.ttl_ms && *stored.ttl_ms >= 0 ? stored.ttl_ms : std::nullopt;
}

bool never_goes(const StoredKey& stored) { return stored.value && stored.ttl_ms == domain::kNoTtl; }

/// A number that the server counts in, and that is none of 64 bits with a sign.
bool is_beyond_count(const StoredKey& stored) {
    return stored.value && !integer_of(stored) && support::parse_unsigned(*stored.value);
}

/// The race that made them move: the counter is there, and its end is not.
Finding lost_end(const WindowLook& look, std::int64_t used) {
    const auto left = left_of(stored_used(look));
    const auto stays = left ? fmt::format("; the counter goes by itself in {}", duration(*left)) : std::string();
    return {FindingClass::orphan_counter,
            fmt::format("{} used, and no :reset_at beside it: it was evicted, or expired first{}", used, stays),
            "the two-key race: the next request keeps the old count and gives it a new, later end, so the client waits "
            "longer than it should",
            "`ratectl reset --state orphan-counter KEY` removes the counter, and the next request starts anew",
            Repair::remove_if_named};
}

Finding lost_count(const WindowLook& look, Instant end, Moment now) {
    return {
        FindingClass::orphan_expiry,
        fmt::format("ends {}, and no counter beside it: it was evicted, or expired first", support::format_time(end)),
        end < now ? "harmless: the next request starts a new window"
                  : "the two-key race: what was counted is lost, and the client starts from 0 in the old window",
        stored_used(look).type ? "nothing has to be done: the next request counts from 1"
                               : "look again with --look full",
        Repair::none};
}

/// The two keys go at different times, or before the window does.
std::optional<Finding> expiry_fault(const WindowLook& look, Instant end, Moment now) {
    const auto& counter = stored_used(look);
    const auto& ending = stored_reset(look);
    if (!counter.ttl_ms || !ending.ttl_ms) return std::nullopt;
    const auto window_ms = (support::epoch_seconds(end) - support::epoch_seconds(now)) * 1000;
    const auto forever = std::numeric_limits<std::int64_t>::max();
    const auto counter_ms = left_of(counter).value_or(forever);
    const auto ending_ms = left_of(ending).value_or(forever);
    const auto tolerance = kTolerance.count();
    if (window_ms > 0 && std::min(counter_ms, ending_ms) < window_ms - tolerance) {
        const bool is_counter = counter_ms < ending_ms;
        return Finding{FindingClass::ttl_short,
                       fmt::format("{} expires {} before the window ends", is_counter ? "the counter" : ":reset_at",
                                   duration(window_ms - std::min(counter_ms, ending_ms))),
                       is_counter ? "the client's count is lost then, within its window"
                                  : "the two-key race is to come: the count stays then, with a new, later end",
                       "find the program that sets the expiry: both keys have to outlive the window", Repair::none};
    }
    // memcached takes what is more than 30 days for a moment, and a moment ago for at once.
    if (ending_ms == forever || counter_ms <= ending_ms || counter_ms - ending_ms <= tolerance) return std::nullopt;
    return Finding{FindingClass::ttl_long,
                   never_goes(counter)
                       ? "the counter never expires, and :reset_at does"
                       : fmt::format("the counter outlives :reset_at by {}", duration(counter_ms - ending_ms)),
                   "the two-key race is to come: a request after :reset_at has gone keeps the old count, with a new "
                   "end",
                   "find the program that sets the expiries: :reset_at has to go last", Repair::none};
}

std::optional<Finding> corrupt(const WindowLook& look) {
    const auto bad = [](const StoredKey& stored, std::string_view name) {
        return fmt::format("{} holds {}, which is no number", name, domain::value_words(*stored.value));
    };
    const auto& counter = stored_used(look);
    const auto& ending = stored_reset(look);
    constexpr std::string_view advice =
        "find the writer; `ratectl reset --state corrupt KEY` removes both keys, and the next request starts anew";
    if (is_beyond_count(counter)) {
        return Finding{FindingClass::corrupt,
                       fmt::format("the counter holds {}, which is larger than a count can be here", *counter.value),
                       "memcached counts on in it up to 2^64 - 1, and from 0 behind that; nothing counts so much",
                       advice};
    }
    if (counter.value && !integer_of(counter)) {
        return Finding{FindingClass::corrupt, bad(counter, "the counter"),
                       "every request of this client fails to be counted (incr answers CLIENT_ERROR), until it goes",
                       advice};
    }
    if (!ending.value || window::end_of(ending)) return std::nullopt;
    return Finding{FindingClass::corrupt, bad(ending, ":reset_at"),
                   "what the application takes it for is its own business: most languages read 0, a window long over",
                   advice};
}

/// One key of a window that no policy knows and that holds no number is a key of another program.
bool is_foreign(const WindowLook& look, const Circumstances& around) {
    if (around.is_ours || (is_there(stored_used(look)) && is_there(stored_reset(look)))) return false;
    return !integer_of(stored_used(look)) && !window::end_of(stored_reset(look));
}

}  // namespace

std::int64_t second_of_removal(support::Instant end) { return support::epoch_seconds(end) + 1; }

std::span<const domain::Limiter::Part> MemcachedScheme::parts() const {
    static constexpr std::array<Part, window::kParts> all{{{"counter", "counters"}, {"reset_at key", "reset_at keys"}}};
    return all;
}

std::int64_t MemcachedScheme::most_let_through(std::int64_t limit) const {
    return limit < std::numeric_limits<std::int64_t>::max() ? limit + 1 : limit;
}

domain::Window MemcachedScheme::judge(const WindowLook& look, Moment now, std::optional<std::int64_t> limit) const {
    // Neither without an expiry is leaked: a server without room evicts it, and :reset_at ends the window.
    WindowLook plain = look;
    for (auto& part : plain.parts) part.ttl_ms.reset();
    auto window = WindowScheme::judge(plain, now, limit);
    const bool counts = window.state == WindowState::open || window.state == WindowState::exhausted;
    window.exhausted = counts && limit && window.used && *window.used >= most_let_through(*limit);
    if (counts) window.state = window.exhausted ? WindowState::exhausted : WindowState::open;
    // The next request passes, whatever is counted there, and goes on counting from that.
    const bool alone = window.state == WindowState::orphan_counter;
    if (alone && limit) window.remaining = domain::remaining_of(*limit, carried_over(look, limit));
    return window;
}

std::string MemcachedScheme::corruption(const WindowLook& look) const {
    const auto& counter = stored_used(look);
    if (is_beyond_count(counter)) return "the counter is larger than a count can be here (64 bits with a sign)";
    if (counter.value && !integer_of(counter)) return "the counter is not a number";
    const auto& ending = stored_reset(look);
    return ending.value && !window::end_of(ending) ? ":reset_at is not an epoch second" : "";
}

std::string MemcachedScheme::words_of(const WindowLook& look, Moment now) const {
    const auto window = judge(look, now, std::nullopt);
    if (window.state == WindowState::orphan_counter)
        return fmt::format("a counter of {} without :reset_at", *window.used);
    if (window.state == WindowState::orphan_expiry)
        return fmt::format(":reset_at ({}) without a counter", support::format_time(*window.reset_at));
    return WindowScheme::words_of(look, now);
}

std::string MemcachedScheme::remark(const WindowLook& look, Moment now) const {
    switch (judge(look, now, std::nullopt).state) {
        case WindowState::orphan_counter:
            return "This is the two-key race of the predecessor: its :reset_at was evicted or expired first, and the "
                   "next request keeps this count and gives it a new, later end.";
        case WindowState::orphan_expiry:
            return "This is the two-key race of the predecessor: its counter was evicted or expired first, and what "
                   "was counted is lost.";
        default: return {};
    }
}

std::int64_t MemcachedScheme::carried_over(const WindowLook& look, std::optional<std::int64_t> /*limit*/) const {
    const bool alone = !stored_reset(look).value;
    return alone ? integer_of(stored_used(look)).value_or(0) : 0;
}

std::vector<Finding> MemcachedScheme::diagnose(const WindowLook& look, const Circumstances& around) const {
    if (is_absent(look) || is_foreign(look, around)) return {};
    if (auto found = corrupt(look)) return {std::move(*found)};
    const auto used = integer_of(stored_used(look));
    const auto end = window::end_of(stored_reset(look));
    if (!end) return {lost_end(look, *used)};
    if (!used) return {lost_count(look, *end, around.now)};
    if (auto found = domain::absurd_end(*end, around)) return {std::move(*found)};
    // Over, and still there: the predecessor leaves it so, and counts anew.
    if (auto found = expiry_fault(look, *end, around.now)) return {std::move(*found)};
    return {};
}

bool MemcachedScheme::looks_sound(const WindowLook& look, const Circumstances& around) const {
    return diagnose(look, around).empty() && stored_used(look).ttl_ms.has_value();
}

}  // namespace ratectl::schemes::memcached
