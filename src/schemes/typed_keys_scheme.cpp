// Asks for what keys hold, their TTLs, and the server's clock where that is wanted, and reads the answers.
#include "schemes/typed_keys_scheme.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "domain/diagnosis/finding.h"
#include "domain/operation.h"
#include "schemes/packed.h"

namespace ratectl::schemes {
namespace {

using domain::LookDepth;
using domain::StoredKey;
using domain::WindowLook;
using redis::Reply;

bool knows_expiretime(const redis::ServerFacts& facts) { return facts.tells_moments(); }

/// How one key of this type is read.
struct Reading {
    std::string_view type;
    std::string_view command;
    std::vector<std::string_view> behind;  // the key
    bool pairs = false;                    // of a member and its score
};

const Reading& reading_of(std::string_view type) {
    // GETRANGE and not GET: a foreign value of 500 MB under a window's name must not travel.
    static const std::array<Reading, 4> all{{{"string", "GETRANGE", {"0", "65536"}},
                                             {"hash", "HMGET", {}},
                                             {"list", "LRANGE", {"0", "10000"}},
                                             {"zset", "ZRANGE", {"0", "10000", "WITHSCORES"}, true}}};
    static_assert(kMostOfValue == 65537 && kMostElements == 10'000);
    return *std::ranges::find(all, type, &Reading::type);
}

/// What TypedKeysScheme says that a look shows; false: no such reply. `there`: the key is.
bool take_value(const Reply& reply, const domain::Limiter::Part& part, bool there, StoredKey& stored) {
    const auto type = part.type;
    if (type == "string") {
        if (there && reply.is_text()) stored.value = reply.text;
        return reply.is_text() || reply.is_nil();
    }
    if (!reply.is_array()) return reply.is_nil();
    if (!there) return true;
    const auto& reading = reading_of(type);
    const auto& all = reply.elements;
    const std::size_t each = reading.pairs ? 2 : 1;
    if (all.size() % each != 0) return false;
    if (type != "hash" && all.size() / each > kMostElements) {
        stored.type =
            type == "list" ? "a list of more than 10,000 elements" : "a sorted set of more than 10,000 elements";
        return true;
    }
    std::string value;
    for (std::size_t i = 0; i < all.size(); i += each) {
        if (!all[i].is_text() && !all[i].is_nil()) return false;
        const auto text = all[i].is_text() ? OptionalView(all[i].text) : std::nullopt;
        if (!reading.pairs) {
            append_packed(value, text);
            continue;
        }
        append_packed(value, all[i + 1].text);
        append_packed(value, text == all[i + 1].text ? std::nullopt : text);
    }
    const bool is_foreign = type == "hash" && !part.shared && std::ranges::all_of(all, &Reply::is_nil);
    if (is_foreign && part.sparse) {
        stored = {};
        stored.type = "none";
        stored.ttl_ms = domain::kAbsent;
        return true;
    }
    if (is_foreign) {
        stored.type = "a hash of other fields";
        return true;
    }
    stored.value = std::move(value);
    return true;
}

/// Of a full look at one key: TYPE, value, PTTL, and PEXPIRETIME where Redis 7 has it; without it the server's clock
/// says when the key expires.
bool take(std::span<const Reply> facts, const domain::Limiter::Part& part, std::optional<std::int64_t> server_ms,
          StoredKey& stored) {
    const Reply& ttl = facts[2];
    stored = {};
    stored.type = facts[0].text;
    if (ttl.kind != Reply::Kind::integer) return false;
    stored.ttl_ms = ttl.integer;
    if (facts.size() > 3) {
        if (facts[3].kind != Reply::Kind::integer) return false;
        if (facts[3].integer >= 0) stored.expires_at_ms = facts[3].integer;
    } else if (ttl.integer >= 0) {
        stored.expires_at_ms = *server_ms + ttl.integer;
    }
    return facts[0].text != part.type || take_value(facts[1], part, true, stored);
}

/// Of a light look: the value, and when it expires, in milliseconds since then.
bool take_light(const Reply& value, const Reply& expires, const domain::Limiter::Part& part, std::int64_t since_ms,
                StoredKey& stored) {
    if (expires.kind != Reply::Kind::integer) return false;
    stored = {};
    if (expires.integer < 0) stored.ttl_ms = expires.integer;
    if (expires.integer >= 0) stored.expires_at_ms = expires.integer + since_ms;
    if (!value.is_error()) return take_value(value, part, expires.integer != domain::kAbsent, stored);
    stored.type = "not a " + std::string(part.type);
    return true;
}

/// Where nothing came, or something else.
Scheme::Look no_look() {
    return support::failure(support::ExitCode::protocol, "unexpected reply to a look; nothing was read");
}

}  // namespace

bool TypedKeysScheme::looks_sound(const WindowLook& look, const domain::Circumstances& around) const {
    return diagnose(look, around).empty();
}

bool TypedKeysScheme::asks_time(const redis::ServerFacts& facts) const { return timed_ || !knows_expiretime(facts); }

void TypedKeysScheme::ask_value(redis::Request& request, const std::string& key, std::size_t part) const {
    const auto& asked = parts()[part];
    const auto& reading = reading_of(asked.type);
    std::vector<std::string_view> command{reading.command, key};
    command.insert(command.end(), asked.fields.begin(), asked.fields.end());
    command.insert(command.end(), reading.behind.begin(), reading.behind.end());
    request.add(command);
}

void TypedKeysScheme::ask_looks(redis::Request& request, std::span<const std::string> keys, LookDepth depth,
                                const redis::ServerFacts& facts) const {
    const bool light = depth == LookDepth::light;
    const std::string_view expires = knows_expiretime(facts) ? "PEXPIRETIME" : "PTTL";
    if (light && keys.empty()) return;
    if (light) request.add({"MULTI"});
    for (const auto& key : keys) {
        if (!light) request.add({"MULTI"});
        for (std::size_t part = 0; part < parts().size(); ++part) {
            const auto name = part_key(key, part);
            if (!light) request.add({"TYPE", name});
            ask_value(request, name, part);
            if (!light) request.add({"PTTL", name});
            if (light || knows_expiretime(facts)) request.add({expires, name});
        }
        if (!light && asks_time(facts)) request.add({"TIME"});
        if (!light) request.add({"EXEC"});
    }
    if (!light) return;
    if (asks_time(facts)) request.add({"TIME"});
    request.add({"EXEC"});
}

/// Of a full look: the commands, between MULTI and EXEC.
std::size_t TypedKeysScheme::replies_per_key(const redis::ServerFacts& facts) const {
    return 2 + parts().size() * (3 + (knows_expiretime(facts) ? 1 : 0)) + (asks_time(facts) ? 1 : 0);
}

std::size_t TypedKeysScheme::look_replies(std::span<const std::string> keys, LookDepth depth,
                                          const redis::ServerFacts& facts) const {
    const std::size_t time = asks_time(facts) ? 1 : 0;
    if (depth != LookDepth::light) return keys.size() * replies_per_key(facts);
    return keys.empty() ? 0 : 2 * parts().size() * keys.size() + 2 + time;
}

void TypedKeysScheme::begin(WindowLook& look, const std::string& key, LookDepth depth) const {
    look.key = key;
    look.limiter = this;
    look.depth = depth;
    look.parts.resize(parts().size());
    look.server_ms.reset();
}

bool TypedKeysScheme::fill(WindowLook& look, const std::string& key, LookDepth depth, const Reply& facts) const {
    begin(look, key, depth);
    const std::size_t count = parts().size();
    const auto& all = facts.elements;
    if (!facts.is_array() || all.size() < 3 * count + 1 || all.size() > 4 * count + 1) return false;
    const bool timed = all.back().is_array();
    const auto now = timed ? redis::parse_time(all.back()) : std::nullopt;
    const std::size_t told = all.size() - (timed ? 1 : 0);
    if ((timed && !now) || (told != 4 * count && !(timed && told == 3 * count))) return false;
    if (now) look.server_ms = now->time_since_epoch().count();
    const std::size_t each = told / count;
    for (std::size_t i = 0; i < count; ++i) {
        if (!take({&all[i * each], each}, parts()[i], look.server_ms, look.parts[i])) return false;
    }
    return true;
}

/// All keys of a light look: one transaction of two commands a part, and TIME where that was asked.
bool TypedKeysScheme::fill_light(std::span<WindowLook* const> looks, std::span<const std::string> keys,
                                 const redis::ServerFacts& facts, const Reply& executed) const {
    const std::size_t size = executed.is_array() ? executed.elements.size() : 0;
    const std::size_t told = 2 * parts().size() * keys.size();
    const bool has_time = size == told + 1;
    if (!has_time && (timed_ || size != told)) return false;
    const auto now = has_time ? redis::parse_time(executed.elements.back()) : std::nullopt;
    if (has_time && !now) return false;
    const bool relative = now && !(timed_ && knows_expiretime(facts));
    const auto since = relative ? now->time_since_epoch().count() : 0;
    std::size_t next = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        begin(*looks[i], keys[i], LookDepth::light);
        if (now) looks[i]->server_ms = now->time_since_epoch().count();
        for (std::size_t part = 0; part < parts().size(); ++part, next += 2) {
            if (!take_light(executed.elements[next], executed.elements[next + 1], parts()[part], since,
                            looks[i]->parts[part]))
                return false;
        }
    }
    return true;
}

/// `facts`: null where none came.
void TypedKeysScheme::take_look(Look& look, const std::string& key, LookDepth depth, const Reply* facts) const {
    look = WindowLook();
    if (facts != nullptr && fill(*look, key, depth, *facts)) return;
    look = no_look();
}

void TypedKeysScheme::decode_looks(std::span<const std::string> keys, std::span<const Reply> replies, LookDepth depth,
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

bool TypedKeysScheme::decode_looks(std::span<const std::string> keys, std::span<const Reply> replies, LookDepth depth,
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

void TypedKeysScheme::add_keys(const std::string& key, std::vector<std::string>& keys) const {
    for (std::size_t part = 0; part < own_parts(); ++part) keys.push_back(part_key(key, part));
}

std::vector<redis::ScriptCall> TypedKeysScheme::script_look_calls(std::span<const std::string> keys) const {
    redis::ScriptCall call{.script = &kLookScript, .keys = {}, .arguments = {timed_ ? "1" : ""}, .read_only = true};
    for (const auto& key : keys) {
        for (std::size_t part = 0; part < parts().size(); ++part) call.keys.push_back(part_key(key, part));
    }
    for (const auto& part : parts()) {
        const auto& reading = reading_of(part.type);
        std::vector<std::string_view> behind(part.fields.begin(), part.fields.end());
        behind.insert(behind.end(), reading.behind.begin(), reading.behind.end());
        call.arguments.insert(call.arguments.end(),
                              {std::string(part.type), std::string(reading.command), std::to_string(behind.size())});
        call.arguments.insert(call.arguments.end(), behind.begin(), behind.end());
    }
    return {std::move(call)};
}

void TypedKeysScheme::decode_script_looks(std::span<const std::string> keys, std::span<const Reply> replies,
                                          std::span<Look> looks) const {
    const Reply& reply = replies.front();
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const bool told = reply.is_array() && i < reply.elements.size();
        take_look(looks[i], keys[i], LookDepth::full, told ? &reply.elements[i] : nullptr);
    }
}

redis::ScriptCall TypedKeysScheme::repair_call(std::span<const domain::RepairItem* const> /*items*/,
                                               const CallHead& /*head*/) const {
    throw support::Failure(support::ExitCode::bug,
                           "no layout but pairs with an end of their own has expiries that can be repaired");
}

// What a look says of a type in words is none that TYPE names.
std::string TypedKeysScheme::type_words(std::string_view name, std::string_view type) {
    const bool in_words = type.find(' ') != std::string_view::npos;
    return fmt::format("the {}{} {}", name, in_words ? " is" : "'s type is", type);
}

std::optional<Scheme::Scanned> TypedKeysScheme::scanned_as(std::string_view name) const {
    return domain::is_reserved_key(name) ? std::nullopt : std::optional{Scanned{name, true}};
}

}  // namespace ratectl::schemes
