// What a counter with a TTL means, and how it is asked for and written.
#include "schemes/counter/counter_scheme.h"

#include <algorithm>
#include <array>
#include <limits>

#include "domain/diagnosis/finding.h"
#include "domain/operation.h"
#include "schemes/write_call.h"
#include "support/number_text.h"
#include "support/time_text.h"

namespace ratectl::schemes::counter {
namespace {

using domain::StoredKey;
using domain::Window;
using domain::WindowLook;
using domain::WindowState;
using redis::Reply;
using support::Instant;

constexpr std::uint64_t kMostUnits = 1'000'000;

/// A full look's transaction: type, value, TTL, and what tells when that is over.
constexpr std::size_t kRepliesPerKey = 6;

bool knows_expiretime(const redis::ServerFacts& facts) { return facts.at_least(7); }

const StoredKey& count_in(const WindowLook& look) { return look.parts.front(); }

std::string packed_window(const domain::StoredWindow& window) { return packed({window.used, window.reset_at}); }

/// type, value, PTTL, and PEXPIRETIME or, before Redis 7, TIME.
bool take(const Reply& facts, StoredKey& counter) {
    if (!facts.is_array() || facts.elements.size() != 4) return false;
    const auto& [type, value, ttl, expires] =
        std::tie(facts.elements[0], facts.elements[1], facts.elements[2], facts.elements[3]);
    if (ttl.kind != Reply::Kind::integer) return false;
    counter = {};
    counter.type = type.text;
    counter.ttl_ms = ttl.integer;
    if (expires.kind == Reply::Kind::integer) {
        if (expires.integer >= 0) counter.expires_at_ms = expires.integer;
    } else {
        const auto now = redis::parse_time(expires);
        if (!now) return false;
        if (ttl.integer >= 0) counter.expires_at_ms = now->time_since_epoch().count() + ttl.integer;
    }
    if (type.text == "string" && value.is_text()) counter.value = value.text;
    return true;
}

/// Of a light look: the value, when it expires, and the time where that is relative to it (else null).
bool take_light(const Reply& value, const Reply& expires, std::optional<support::WallTime> now, StoredKey& counter) {
    if (expires.kind != Reply::Kind::integer || !(value.is_text() || value.is_error())) return false;
    counter = {};
    if (value.is_error()) counter.type = "not a string";
    if (expires.integer < 0) counter.ttl_ms = expires.integer;
    if (expires.integer >= 0) {
        counter.expires_at_ms = expires.integer + (now ? now->time_since_epoch().count() : 0);
    }
    if (value.is_text() && expires.integer != domain::kAbsent) counter.value = value.text;
    return true;
}

void begin(WindowLook& look, const CounterScheme& scheme, const std::string& key, domain::LookDepth depth) {
    look.key = key;
    look.limiter = &scheme;
    look.depth = depth;
    look.parts.resize(1);
}

bool fill(WindowLook& look, const CounterScheme& scheme, const std::string& key, domain::LookDepth depth,
          const Reply& facts) {
    begin(look, scheme, key, depth);
    return take(facts, look.parts.front());
}

/// All keys of a light look: one transaction of two commands each.
bool fill_light(std::span<WindowLook* const> looks, const CounterScheme& scheme, std::span<const std::string> keys,
                const Reply& executed) {
    const bool relative = executed.is_array() && executed.elements.size() == 2 * keys.size() + 1;
    if (!relative && !(executed.is_array() && executed.elements.size() == 2 * keys.size())) return false;
    const auto now = relative ? redis::parse_time(executed.elements.back()) : std::nullopt;
    if (relative && !now) return false;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        begin(*looks[i], scheme, keys[i], domain::LookDepth::light);
        const auto& [value, expires] = std::tie(executed.elements[2 * i], executed.elements[2 * i + 1]);
        if (!take_light(value, expires, now, looks[i]->parts.front())) return false;
    }
    return true;
}

/// Where nothing came, or something else.
Scheme::Look no_look() {
    return support::failure(support::ExitCode::protocol, "unexpected reply to a look; nothing was read");
}

/// `facts`: null where none came.
void take_look(Scheme::Look& look, const CounterScheme& scheme, const std::string& key, domain::LookDepth depth,
               const Reply* facts) {
    look = WindowLook();
    if (facts != nullptr && fill(*look, scheme, key, depth, *facts)) return;
    look = no_look();
}

void add_keys(const std::string& key, std::vector<std::string>& keys) { keys.push_back(key); }

}  // namespace

std::span<const domain::Limiter::Part> CounterScheme::parts() const {
    static constexpr std::array<Part, 1> all{{{"counter", "counters"}}};
    return all;
}

std::optional<domain::Limiter::Quota> CounterScheme::quota_in(std::string_view key) const {
    static constexpr std::array<std::pair<std::string_view, int>, 6> units{{{"second", 1},
                                                                            {"minute", 60},
                                                                            {"hour", 3600},
                                                                            {"day", 86'400},
                                                                            {"month", 30 * 86'400},
                                                                            {"year", 360 * 86'400}}};
    if (!rules_.names_quota) return std::nullopt;
    const auto take_last = [&key] {
        const auto slash = key.rfind('/');
        const auto part = slash == std::string_view::npos ? std::string_view() : key.substr(slash + 1);
        key = key.substr(0, slash == std::string_view::npos ? 0 : slash);
        return part;
    };
    const auto word = take_last();
    const auto multiple = support::parse_unsigned(take_last(), kMostUnits);
    const auto limit = support::parse_unsigned(take_last(), support::kMaxExactInteger);
    const auto* const unit =
        std::find_if(units.begin(), units.end(), [&](const auto& one) { return one.first == word; });
    if (unit == units.end() || !multiple || *multiple == 0 || !limit) return std::nullopt;
    return Quota{static_cast<std::int64_t>(*limit),
                 support::Seconds(static_cast<std::int64_t>(*multiple) * unit->second)};
}

// Only the window of the moment can be opened.
std::optional<Instant> CounterScheme::next_end(std::string_view key, Instant now,
                                               std::optional<support::Seconds> period) const {
    if (!rules_.buckets) return Limiter::next_end(key, now, period);
    return key_at(std::string(key), now) == key ? rules_.buckets->end_of(key) : std::nullopt;
}

std::optional<Instant> CounterScheme::end_of(const WindowLook& look) const {
    const auto named = rules_.buckets ? rules_.buckets->end_of(look.key) : std::nullopt;
    if (named) return named;
    const auto& expires = count_in(look).expires_at_ms;
    return expires ? std::optional{support::from_epoch((*expires - 1) / 1000)} : std::nullopt;
}

std::string CounterScheme::named_end(const std::string& key) const {
    return rules_.buckets ? seconds(rules_.buckets->end_of(key)) : std::string();
}

std::int64_t CounterScheme::most_let_through(std::int64_t limit) const {
    return rules_.lets_one_more && limit < std::numeric_limits<std::int64_t>::max() ? limit + 1 : limit;
}

Window CounterScheme::judge(const WindowLook& look, Instant now, std::optional<std::int64_t> limit) const {
    Window window;
    window.limit = limit;
    if (!corruption(look).empty()) {
        window.state = WindowState::corrupt;
        return window;
    }
    window.used = integer_of(count_in(look));
    window.reset_at = window.used ? end_of(look) : std::nullopt;
    const bool endless = window.used && !window.reset_at;
    const bool counts = window.reset_at ? *window.reset_at >= now : endless && !rules_.begins_anew;
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

std::optional<Instant> CounterScheme::open_until(const WindowLook& look, Instant now) const {
    const auto end = integer_of(count_in(look)) ? end_of(look) : std::nullopt;
    return end && *end >= now ? end : std::nullopt;
}

std::string CounterScheme::corruption(const WindowLook& look) const {
    const auto& counter = count_in(look);
    if (has_wrong_type(counter)) return "the counter's type is " + *counter.type;
    return counter.value && !integer_of(counter) ? "the counter is not an integer" : "";
}

std::string CounterScheme::words_of(const WindowLook& look, Instant now) const {
    if (!corruption(look).empty()) return "a value that is not a counter";
    const auto& counter = count_in(look);
    const auto end = end_of(look);
    if (!counter.value) return "no window";
    if (!end) return *counter.value + " used, and it never ends";
    return *counter.value + (*end >= now ? " used until " : " used in a window that ended at ") +
           support::format_time(*end);
}

domain::Finding CounterScheme::endless(const WindowLook& look) const {
    domain::Finding finding{domain::FindingClass::endless, *count_in(look).value + " used"};
    if (rules_.floor > 0 && integer_of(count_in(look)) < rules_.floor)
        finding.own_effect = "nothing that lasts: the request that brings the counter to 1 gives it an end";
    return finding;
}

std::vector<domain::Finding> CounterScheme::diagnose(const WindowLook& look,
                                                     const domain::Circumstances& around) const {
    // Any program may have strings and lists without a TTL.
    if (!around.is_ours && !count_in(look).expires_at_ms) return {};
    if (const auto fault = corruption(look); !fault.empty()) return {{domain::FindingClass::corrupt, fault}};
    switch (judge(look, around.now, std::nullopt).state) {
        case WindowState::closed:
            if (!never_expires(count_in(look)) || *end_of(look) + domain::kOverGrace >= around.now) return {};
            return {{domain::FindingClass::expiry_past, "it is over, and never expires"}};
        case WindowState::orphan_counter: return {{domain::FindingClass::orphan_counter, "it never expires"}};
        case WindowState::leaked: return {endless(look)};
        case WindowState::negative: return {{domain::FindingClass::negative, *count_in(look).value + " used"}};
        default: return {};
    }
}

bool CounterScheme::looks_sound(const WindowLook& look, const domain::Circumstances& around) const {
    return diagnose(look, around).empty();
}

domain::StoredWindow CounterScheme::stored(const WindowLook& look) const {
    const auto& counter = count_in(look);
    const auto end = counter.value ? end_of(look) : std::nullopt;
    return {counter.value, end ? std::optional{seconds(*end)} : std::nullopt, {}};
}

WindowLook CounterScheme::look_at(std::string key, const domain::StoredWindow& stored) const {
    WindowLook look{std::move(key), domain::LookDepth::light, this, std::vector<StoredKey>(1)};
    look.parts.front().value = stored.used;
    if (const auto end = support::parse_decimal(stored.reset_at.value_or("")))
        look.parts.front().expires_at_ms = *end * 1000 + 1000;
    return look;
}

// GETRANGE and not GET: a foreign value of 500 MB under a window's name must not travel.
void CounterScheme::ask_looks(redis::Request& request, std::span<const std::string> keys, domain::LookDepth depth,
                              const redis::ServerFacts& facts) const {
    static_assert(kMostOfValue == 65537);
    const std::string_view expires = knows_expiretime(facts) ? "PEXPIRETIME" : "PTTL";
    if (depth == domain::LookDepth::light) {
        if (keys.empty()) return;
        request.add({"MULTI"});
        for (const auto& key : keys) {
            request.add({"GETRANGE", key, "0", "65536"});
            request.add({expires, key});
        }
        if (!knows_expiretime(facts)) request.add({"TIME"});
        request.add({"EXEC"});
        return;
    }
    for (const auto& key : keys) {
        request.add({"MULTI"});
        request.add({"TYPE", key});
        request.add({"GETRANGE", key, "0", "65536"});
        request.add({"PTTL", key});
        if (knows_expiretime(facts)) {
            request.add({"PEXPIRETIME", key});
        } else {
            request.add({"TIME"});
        }
        request.add({"EXEC"});
    }
}

std::size_t CounterScheme::look_replies(std::span<const std::string> keys, domain::LookDepth depth,
                                        const redis::ServerFacts& facts) const {
    if (depth != domain::LookDepth::light) return keys.size() * kRepliesPerKey;
    return keys.empty() ? 0 : 2 * keys.size() + (knows_expiretime(facts) ? 2 : 3);
}

void CounterScheme::decode_looks(std::span<const std::string> keys, std::span<const Reply> replies,
                                 domain::LookDepth depth, const redis::ServerFacts& /*facts*/,
                                 std::span<Look> looks) const {
    if (depth == domain::LookDepth::light) {
        std::vector<WindowLook*> all;
        all.reserve(keys.size());
        for (auto& look : looks.first(keys.size())) {
            look = WindowLook();
            all.push_back(&*look);
        }
        if (!replies.empty() && fill_light(all, *this, keys, replies.back())) return;
        std::ranges::fill(looks.first(keys.size()), no_look());
        return;
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const std::size_t executed = (i + 1) * kRepliesPerKey - 1;
        take_look(looks[i], *this, keys[i], depth, executed < replies.size() ? &replies[executed] : nullptr);
    }
}

bool CounterScheme::decode_looks(std::span<const std::string> keys, std::span<const Reply> replies,
                                 domain::LookDepth depth, const redis::ServerFacts& facts,
                                 std::span<WindowLook> looks) const {
    if (replies.size() != look_replies(keys, depth, facts)) return false;
    if (depth == domain::LookDepth::light) {
        std::vector<WindowLook*> all;
        all.reserve(keys.size());
        for (auto& look : looks.first(keys.size())) all.push_back(&look);
        return keys.empty() || fill_light(all, *this, keys, replies.back());
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (!fill(looks[i], *this, keys[i], depth, replies[(i + 1) * kRepliesPerKey - 1])) return false;
    }
    return true;
}

std::vector<redis::ScriptCall> CounterScheme::script_look_calls(std::span<const std::string> keys) const {
    return {{.script = &kLookScript, .keys = {keys.begin(), keys.end()}, .arguments = {}, .read_only = true}};
}

void CounterScheme::decode_script_looks(std::span<const std::string> keys, std::span<const Reply> replies,
                                        std::span<Look> looks) const {
    const Reply& reply = replies.front();
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const bool told = reply.is_array() && i < reply.elements.size();
        take_look(looks[i], *this, keys[i], domain::LookDepth::full, told ? &reply.elements[i] : nullptr);
    }
}

redis::ScriptCall CounterScheme::count_call(std::span<const domain::CountItem* const> items,
                                            const CallHead& head) const {
    return schemes::write_call(kCountScript, items, head, add_keys, [this](const domain::CountItem& item) {
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
    return schemes::write_call(kRefundScript, items, head, add_keys, [this](const domain::RefundItem& item) {
        return std::array{number(item.amount),  seconds(item.if_reset), flag(item.clamp),
                          seconds(item.now),    flag(item.opened),      number(item.if_used_at_least),
                          number(rules_.floor), named_end(item.at.key)};
    });
}

redis::ScriptCall CounterScheme::reset_call(std::span<const domain::ResetItem* const> items,
                                            const CallHead& head) const {
    return schemes::write_call(kResetScript, items, head, add_keys, [this](const domain::ResetItem& item) {
        return std::array{seconds(item.if_reset), number(item.if_used_at_least),
                          item.if_stored ? packed_window(*item.if_stored) : std::string(), named_end(item.at.key)};
    });
}

redis::ScriptCall CounterScheme::restore_call(std::span<const domain::RestoreItem* const> items,
                                              const CallHead& head) const {
    return schemes::write_call(kRestoreScript, items, head, add_keys, [this](const domain::RestoreItem& item) {
        return std::array{item.window.used.value_or(""), number(item.window.expires.front()), flag(item.merge),
                          named_end(item.at.key), seconds(item.now)};
    });
}

redis::ScriptCall CounterScheme::repair_call(std::span<const domain::RepairItem* const> /*items*/,
                                             const CallHead& /*head*/) const {
    throw support::Failure(support::ExitCode::bug, "a counter demands no expiry, so none can be repaired");
}

std::optional<std::string_view> CounterScheme::window_of(std::string_view scanned) const {
    return domain::is_reserved_key(scanned) ? std::nullopt : std::optional{scanned};
}

}  // namespace ratectl::schemes::counter
