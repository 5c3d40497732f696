// What a counter with a TTL means, and how it is asked for and written.
#include "schemes/counter/counter_scheme.h"

#include <algorithm>
#include <array>
#include <limits>

#include "domain/operation.h"
#include "schemes/named_quota.h"
#include "schemes/packed.h"
#include "schemes/write_call.h"
#include "support/number_text.h"
#include "support/time_text.h"

namespace ratectl::schemes::counter {
namespace {

using domain::StoredKey;
using domain::Window;
using domain::WindowLook;
using domain::WindowState;
using support::Instant;
using support::Moment;

std::string packed_window(const domain::StoredWindow& window) { return packed({window.used, window.reset_at}); }

/// The elements, packed; where they are not known, as many as are used.
std::optional<std::string> calls_of(const domain::StoredWindow& window) {
    const auto used = window.state || !window.used ? std::nullopt : support::parse_decimal(*window.used);
    if (!used) return window.state;
    return std::string(static_cast<std::size_t>(std::clamp<std::int64_t>(*used, 0, kMostElements)), '-');
}

}  // namespace

std::span<const domain::Limiter::Part> CounterScheme::parts() const {
    static constexpr std::array<Part, 1> all{{{"counter", "counters"}}};
    static constexpr std::array<Part, 1> lists{{{"list", "lists", "list"}}};
    return rules_.keeps_calls ? lists : all;
}

std::optional<std::int64_t> CounterScheme::used_in(const WindowLook& look) const {
    const auto& stored = stored_in(look);
    if (!rules_.keeps_calls || !stored.value) return integer_of(stored);
    const auto calls = texts_of(*stored.value);
    return calls && !calls->empty() ? std::optional{std::ssize(*calls)} : std::nullopt;
}

std::optional<std::string> CounterScheme::used_text(const WindowLook& look) const {
    if (!rules_.keeps_calls) return stored_in(look).value;
    const auto used = used_in(look);
    return used ? std::optional{std::to_string(*used)} : std::nullopt;
}

bool CounterScheme::outgrows(const WindowLook& look, Moment now, std::int64_t requests) const {
    constexpr std::int64_t largest = kMostElements;
    if (!rules_.keeps_calls) return false;
    const auto used = open_until(look, now) ? used_in(look).value_or(0) : 0;
    return requests > largest || used + requests > largest;
}

std::optional<domain::Limiter::Quota> CounterScheme::quota_in(std::string_view key) const {
    return rules_.names_quota ? named_quota(key) : std::nullopt;
}

domain::Captures CounterScheme::holes_at(std::string_view /*policy*/, Moment now) const {
    if (!rules_.buckets) return {};
    return {{std::string(domain::kBucketHole), rules_.buckets->number_at(now)}};
}

std::string CounterScheme::key_at(std::string key, Moment now) const {
    return rules_.buckets ? rules_.buckets->key_at(std::move(key), now) : key;
}

// Only the window of the moment can be opened.
std::optional<Instant> CounterScheme::next_end(std::string_view key, Moment now,
                                               std::optional<support::Seconds> period) const {
    if (!rules_.buckets) return Limiter::next_end(key, now, period);
    const auto bucket = key_at(std::string(key), now) == key ? bucket_of(key) : std::nullopt;
    return bucket ? std::optional{bucket->last} : std::nullopt;
}

std::optional<Bucket> CounterScheme::bucket_of(std::string_view key) const {
    return rules_.buckets ? rules_.buckets->bucket_of(key) : std::nullopt;
}

CounterScheme::Span CounterScheme::span_of(const WindowLook& look) const {
    if (const auto bucket = bucket_of(look.key)) return {bucket->first, bucket->last};
    const auto& expires = stored_in(look).expires_at_ms;
    return {{}, expires ? std::optional{support::from_epoch((*expires - 1) / 1000)} : std::nullopt};
}

std::string CounterScheme::named_end(const std::string& key) const {
    const auto bucket = bucket_of(key);
    return bucket ? seconds(bucket->last) : std::string();
}

std::int64_t CounterScheme::most_let_through(std::int64_t limit) const {
    return rules_.lets_one_more && limit < std::numeric_limits<std::int64_t>::max() ? limit + 1 : limit;
}

Window CounterScheme::judge(const WindowLook& look, Moment now, std::optional<std::int64_t> limit) const {
    Window window;
    window.limit = limit;
    if (!corruption(look).empty()) {
        window.state = WindowState::corrupt;
        return window;
    }
    const auto span = span_of(look);
    window.used = used_in(look);
    window.reset_at = window.used ? span.last : std::nullopt;
    const bool endless = window.used && !window.reset_at;
    const bool counts = window.reset_at ? span.holds(now) : endless && !rules_.begins_anew;
    if (limit) {
        const std::int64_t most = most_let_through(*limit);
        window.exhausted = counts && *window.used >= most;
        window.remaining = std::min(*limit, domain::remaining_of(most, counts ? *window.used : 0));
    }
    if (!window.used) {
        window.state = WindowState::absent;
    } else if (endless) {
        window.state = rules_.begins_anew ? WindowState::orphan_counter : WindowState::leaked;
    } else if (!counts) {
        window.state = WindowState::closed;
        window.used.reset();
        window.reset_at.reset();
    } else if (*window.used < 0) {
        window.state = WindowState::negative;
    } else {
        window.state = window.exhausted ? WindowState::exhausted : WindowState::open;
    }
    return window;
}

std::optional<Instant> CounterScheme::open_until(const WindowLook& look, Moment now) const {
    const auto span = span_of(look);
    return used_in(look) && span.holds(now) ? span.last : std::nullopt;
}

std::string CounterScheme::corruption(const WindowLook& look) const {
    const auto& counter = stored_in(look);
    const auto& part = parts().front();
    if (has_wrong_type(counter, part.type)) return type_words(part.name, *counter.type);
    return counter.value && !used_in(look) ? "the counter is not an integer" : "";
}

std::string CounterScheme::words_of(const WindowLook& look, Moment now) const {
    if (!corruption(look).empty()) return "a value that is not a counter";
    const auto used = used_text(look);
    const auto span = span_of(look);
    if (!used) return "no window";
    if (!span.last) return *used + " used, and it never ends";
    if (!span.has_begun(now)) return *used + " used in a window that begins at " + support::format_time(*span.first);
    return *used + (span.holds(now) ? " used until " : " used in a window that ended at ") +
           support::format_time(*span.last);
}

domain::StoredWindow CounterScheme::stored(const WindowLook& look, Moment /*now*/) const {
    const auto& counter = stored_in(look);
    const auto end = counter.value ? span_of(look).last : std::nullopt;
    return {used_text(look),
            end ? std::optional{seconds(*end)} : std::nullopt,
            {},
            rules_.keeps_calls ? counter.value : std::nullopt};
}

WindowLook CounterScheme::look_at(std::string key, const domain::StoredWindow& stored) const {
    WindowLook look{std::move(key), domain::LookDepth::light, this, std::vector<StoredKey>(1), {}};
    look.parts.front().value = rules_.keeps_calls ? calls_of(stored) : stored.used;
    if (const auto end = support::parse_decimal(stored.reset_at.value_or("")))
        look.parts.front().expires_at_ms = *end * 1000 + 1000;
    return look;
}

const Scripts& CounterScheme::scripts() const { return rules_.keeps_calls ? calls::kScripts : kScripts; }

redis::ScriptCall CounterScheme::count_call(std::span<const domain::CountItem* const> items,
                                            const CallHead& head) const {
    return schemes::write_call(scripts().count, items, head, adds_keys(), [this](const domain::CountItem& item) {
        const auto end = named_end(item.at.key);
        return std::array{number(item.amount),
                          end.empty() ? seconds(item.next_reset) : end,
                          seconds(item.now),
                          seconds(item.if_reset),
                          item.if_stored ? packed_window(*item.if_stored) : std::string(),
                          number(item.if_used_at_least),
                          flag(rules_.begins_anew),
                          end,
                          number(rules_.floor)};
    });
}

redis::ScriptCall CounterScheme::refund_call(std::span<const domain::RefundItem* const> items,
                                             const CallHead& head) const {
    return schemes::write_call(scripts().refund, items, head, adds_keys(), [this](const domain::RefundItem& item) {
        return std::array{number(item.amount),  seconds(item.if_reset), flag(item.clamp),
                          seconds(item.now),    flag(item.opened),      number(item.if_used_at_least),
                          number(rules_.floor), named_end(item.at.key)};
    });
}

redis::ScriptCall CounterScheme::reset_call(std::span<const domain::ResetItem* const> items,
                                            const CallHead& head) const {
    return schemes::write_call(scripts().reset, items, head, adds_keys(), [this](const domain::ResetItem& item) {
        return std::array{seconds(item.if_reset), number(item.if_used_at_least),
                          item.if_stored ? packed_window(*item.if_stored) : std::string(), named_end(item.at.key)};
    });
}

redis::ScriptCall CounterScheme::restore_call(std::span<const domain::RestoreItem* const> items,
                                              const CallHead& head) const {
    return schemes::write_call(scripts().restore, items, head, adds_keys(), [this](const domain::RestoreItem& item) {
        return std::array{(rules_.keeps_calls ? calls_of(item.window) : item.window.used).value_or(""),
                          number(item.window.expires.front()), flag(item.merge), named_end(item.at.key),
                          seconds(item.now)};
    });
}

}  // namespace ratectl::schemes::counter
