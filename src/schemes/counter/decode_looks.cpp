// How counters are asked for, and replies -> what they hold: total over any reply.
#include <algorithm>
#include <tuple>

#include "schemes/counter/counter_scheme.h"

namespace ratectl::schemes::counter {
namespace {

using domain::StoredKey;
using domain::WindowLook;
using redis::Reply;

/// A full look's transaction: type, value, TTL, and what tells when that is over.
constexpr std::size_t kRepliesPerKey = 6;

bool knows_expiretime(const redis::ServerFacts& facts) { return facts.at_least(7); }

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

}  // namespace

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

}  // namespace ratectl::schemes::counter
