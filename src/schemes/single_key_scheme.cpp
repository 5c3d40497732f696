// Asks for a string, its TTL, and the server's clock where that is wanted, and reads the answers.
#include "schemes/single_key_scheme.h"

#include <algorithm>
#include <tuple>

#include "domain/diagnosis/finding.h"
#include "domain/operation.h"

namespace ratectl::schemes {
namespace {

using domain::LookDepth;
using domain::StoredKey;
using domain::WindowLook;
using redis::Reply;

bool knows_expiretime(const redis::ServerFacts& facts) { return facts.at_least(7); }

/// Of a full look: TYPE, value, PTTL, PEXPIRETIME or null (Redis 7 has it), TIME or null.
bool take(const Reply& facts, StoredKey& stored, std::optional<std::int64_t>& server_ms) {
    constexpr std::size_t least = 4;  // one more where both of the last are there
    const auto& all = facts.elements;
    if (!facts.is_array() || all.size() < least || all.size() > least + 1) return false;
    const Reply& ttl = all[2];
    const bool absolute = all[3].kind == Reply::Kind::integer;
    const auto now = absolute && all.size() == least ? std::nullopt : redis::parse_time(all.back());
    if (ttl.kind != Reply::Kind::integer || (!now && !(absolute && all.size() == least))) return false;
    stored = {};
    stored.type = all[0].text;
    stored.ttl_ms = ttl.integer;
    if (now) server_ms = now->time_since_epoch().count();
    if (absolute && all[3].integer >= 0) stored.expires_at_ms = all[3].integer;
    if (!absolute && ttl.integer >= 0) stored.expires_at_ms = *server_ms + ttl.integer;
    if (all[0].text == "string" && all[1].is_text()) stored.value = all[1].text;
    return true;
}

/// Of a light look: the value, and when it expires, in milliseconds since then.
bool take_light(const Reply& value, const Reply& expires, std::int64_t since_ms, StoredKey& stored) {
    if (expires.kind != Reply::Kind::integer || !(value.is_text() || value.is_error())) return false;
    stored = {};
    if (value.is_error()) stored.type = "not a string";
    if (expires.integer < 0) stored.ttl_ms = expires.integer;
    if (expires.integer >= 0) stored.expires_at_ms = expires.integer + since_ms;
    if (value.is_text() && expires.integer != domain::kAbsent) stored.value = value.text;
    return true;
}

/// Where nothing came, or something else.
Scheme::Look no_look() {
    return support::failure(support::ExitCode::protocol, "unexpected reply to a look; nothing was read");
}

}  // namespace

bool SingleKeyScheme::looks_sound(const WindowLook& look, const domain::Circumstances& around) const {
    return diagnose(look, around).empty();
}

bool SingleKeyScheme::asks_time(const redis::ServerFacts& facts) const { return timed_ || !knows_expiretime(facts); }

// GETRANGE and not GET: a foreign value of 500 MB under a window's name must not travel.
void SingleKeyScheme::ask_looks(redis::Request& request, std::span<const std::string> keys, LookDepth depth,
                                const redis::ServerFacts& facts) const {
    static_assert(kMostOfValue == 65537);
    const bool light = depth == LookDepth::light;
    const std::string_view expires = knows_expiretime(facts) ? "PEXPIRETIME" : "PTTL";
    if (light && keys.empty()) return;
    if (light) request.add({"MULTI"});
    for (const auto& key : keys) {
        if (!light) request.add({"MULTI"});
        if (!light) request.add({"TYPE", key});
        request.add({"GETRANGE", key, "0", "65536"});
        if (!light) request.add({"PTTL", key});
        if (light || knows_expiretime(facts)) request.add({expires, key});
        if (!light && asks_time(facts)) request.add({"TIME"});
        if (!light) request.add({"EXEC"});
    }
    if (!light) return;
    if (asks_time(facts)) request.add({"TIME"});
    request.add({"EXEC"});
}

/// Of a full look: the commands, between MULTI and EXEC.
std::size_t SingleKeyScheme::replies_per_key(const redis::ServerFacts& facts) const {
    return 5 + (knows_expiretime(facts) ? 1 : 0) + (asks_time(facts) ? 1 : 0);
}

std::size_t SingleKeyScheme::look_replies(std::span<const std::string> keys, LookDepth depth,
                                          const redis::ServerFacts& facts) const {
    const std::size_t time = asks_time(facts) ? 1 : 0;
    if (depth != LookDepth::light) return keys.size() * replies_per_key(facts);
    return keys.empty() ? 0 : 2 * keys.size() + 2 + time;
}

void SingleKeyScheme::begin(WindowLook& look, const std::string& key, LookDepth depth) const {
    look.key = key;
    look.limiter = this;
    look.depth = depth;
    look.parts.resize(1);
    look.server_ms.reset();
}

bool SingleKeyScheme::fill(WindowLook& look, const std::string& key, LookDepth depth, const Reply& facts) const {
    begin(look, key, depth);
    return take(facts, look.parts.front(), look.server_ms);
}

/// All keys of a light look: one transaction of two commands each, and TIME where that was asked.
bool SingleKeyScheme::fill_light(std::span<WindowLook* const> looks, std::span<const std::string> keys,
                                 const redis::ServerFacts& facts, const Reply& executed) const {
    const std::size_t size = executed.is_array() ? executed.elements.size() : 0;
    const bool has_time = size == 2 * keys.size() + 1;
    if (!has_time && (timed_ || size != 2 * keys.size())) return false;
    const auto now = has_time ? redis::parse_time(executed.elements.back()) : std::nullopt;
    if (has_time && !now) return false;
    const bool relative = now && !(timed_ && knows_expiretime(facts));
    const auto since = relative ? now->time_since_epoch().count() : 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        begin(*looks[i], keys[i], LookDepth::light);
        if (now) looks[i]->server_ms = now->time_since_epoch().count();
        const auto& [value, expires] = std::tie(executed.elements[2 * i], executed.elements[2 * i + 1]);
        if (!take_light(value, expires, since, looks[i]->parts.front())) return false;
    }
    return true;
}

/// `facts`: null where none came.
void SingleKeyScheme::take_look(Look& look, const std::string& key, LookDepth depth, const Reply* facts) const {
    look = WindowLook();
    if (facts != nullptr && fill(*look, key, depth, *facts)) return;
    look = no_look();
}

void SingleKeyScheme::decode_looks(std::span<const std::string> keys, std::span<const Reply> replies, LookDepth depth,
                                   const redis::ServerFacts& facts, std::span<Look> looks) const {
    if (depth == LookDepth::light) {
        std::vector<WindowLook*> all;
        all.reserve(keys.size());
        for (auto& look : looks.first(keys.size())) {
            look = WindowLook();
            all.push_back(&*look);
        }
        if (!replies.empty() && fill_light(all, keys, facts, replies.back())) return;
        std::ranges::fill(looks.first(keys.size()), no_look());
        return;
    }
    const std::size_t each = replies_per_key(facts);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const std::size_t executed = (i + 1) * each - 1;
        take_look(looks[i], keys[i], depth, executed < replies.size() ? &replies[executed] : nullptr);
    }
}

bool SingleKeyScheme::decode_looks(std::span<const std::string> keys, std::span<const Reply> replies, LookDepth depth,
                                   const redis::ServerFacts& facts, std::span<WindowLook> looks) const {
    if (replies.size() != look_replies(keys, depth, facts)) return false;
    if (depth == LookDepth::light) {
        std::vector<WindowLook*> all;
        all.reserve(keys.size());
        for (auto& look : looks.first(keys.size())) all.push_back(&look);
        return keys.empty() || fill_light(all, keys, facts, replies.back());
    }
    const std::size_t each = replies_per_key(facts);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (!fill(looks[i], keys[i], depth, replies[(i + 1) * each - 1])) return false;
    }
    return true;
}

std::vector<redis::ScriptCall> SingleKeyScheme::script_look_calls(std::span<const std::string> keys) const {
    return {{.script = &kLookScript,
             .keys = {keys.begin(), keys.end()},
             .arguments = {timed_ ? "1" : ""},
             .read_only = true}};
}

void SingleKeyScheme::decode_script_looks(std::span<const std::string> keys, std::span<const Reply> replies,
                                          std::span<Look> looks) const {
    const Reply& reply = replies.front();
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const bool told = reply.is_array() && i < reply.elements.size();
        take_look(looks[i], keys[i], LookDepth::full, told ? &reply.elements[i] : nullptr);
    }
}

redis::ScriptCall SingleKeyScheme::repair_call(std::span<const domain::RepairItem* const> /*items*/,
                                               const CallHead& /*head*/) const {
    throw support::Failure(support::ExitCode::bug, "a window of one key demands no expiry, so none can be repaired");
}

std::optional<std::string_view> SingleKeyScheme::window_of(std::string_view scanned) const {
    return domain::is_reserved_key(scanned) ? std::nullopt : std::optional{scanned};
}

}  // namespace ratectl::schemes
