// Replies to looks -> what a window's halves hold; total over any reply, and without a new string where an old one has room.
#include <utility>

#include "schemes/window/window_scheme.h"
#include "support/decimal.h"

namespace ratectl::schemes::window {
namespace {

using domain::HalfLook;
using domain::WindowLook;
using redis::Reply;
using support::ExitCode;
using Look = Scheme::Look;

void set_odd(Look& look, std::string_view what) {
    look = support::failure(ExitCode::protocol, "odd reply to a look: " + std::string(what) + "; nothing was read");
}

void set_all_odd(std::span<Look> looks, std::string_view what) {
    for (Look& look : looks) set_odd(look, what);
}

/// The look as it is before anything is known but its key.
WindowLook& begin_look(Look& look, const std::string& key, domain::LookDepth depth) {
    if (!look) look = WindowLook();
    look->key = key;
    look->depth = depth;
    return *look;
}

bool take_value(const Reply& reply, std::optional<std::string>& value) {
    if (reply.is_nil()) {
        value.reset();
        return true;
    }
    if (!reply.is_text()) return false;
    value = reply.text;
    return true;
}

bool take_light_half(const Reply& reply, HalfLook& half) {
    half.type.reset();
    half.ttl_ms.reset();
    half.expires_at_ms.reset();
    return take_value(reply, half.value);
}

// type, value, pttl [, pexpiretime]: the order in which both the transaction and the script answer.
bool take_half(std::span<const Reply> parts, HalfLook& half) {
    const Reply& type = parts[0];
    if (!type.is_text() && type.kind != Reply::Kind::status) return false;
    if (parts[2].kind != Reply::Kind::integer) return false;
    half.ttl_ms = parts[2].integer;
    half.expires_at_ms.reset();
    if (parts.size() > 3) {
        if (parts[3].kind != Reply::Kind::integer) return false;
        if (parts[3].integer >= 0) half.expires_at_ms = parts[3].integer;
    }
    half.type = type.text;
    // Of an absent key GETRANGE gives an empty string, of a list an error.
    half.value.reset();
    return type.text != "string" || (take_value(parts[1], half.value) && half.value);
}

void take_window(const std::string& key, std::span<const Reply> parts, Look& look) {
    if (parts.size() != 6 && parts.size() != 8) return set_odd(look, "wrong number of facts");
    WindowLook& window = begin_look(look, key, domain::LookDepth::full);
    const std::size_t half = parts.size() / 2;
    if (!take_half(parts.first(half), window.counter) || !take_half(parts.subspan(half), window.expiry)) {
        set_odd(look, "a fact of the wrong type");
    }
}

void decode_light(std::span<const std::string> keys, std::span<const Reply> replies, std::span<Look> looks) {
    if (replies.size() != 1 || !replies[0].is_array() || replies[0].elements.size() != 2 * keys.size()) {
        return set_all_odd(looks, "not two values a key");
    }
    const auto& values = replies[0].elements;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        WindowLook& window = begin_look(looks[i], keys[i], domain::LookDepth::light);
        if (!take_light_half(values[2 * i], window.counter) || !take_light_half(values[2 * i + 1], window.expiry)) {
            set_odd(looks[i], "neither a value nor nil");
        }
    }
}

/// PEXPIRETIME's answer, or PTTL's where the server's time has to be added.
bool take_expiry(const Reply& reply, std::optional<std::int64_t> server_ms, HalfLook& half) {
    if (reply.kind != Reply::Kind::integer) return false;
    if (reply.integer < 0) {
        half.ttl_ms = reply.integer;
    } else {
        half.expires_at_ms = reply.integer + server_ms.value_or(0);
    }
    return true;
}

std::optional<std::int64_t> server_time_ms(const Reply& reply) {
    if (!reply.is_array() || reply.elements.size() != 2) return std::nullopt;
    const Reply& seconds = reply.elements[0];
    const Reply& micros = reply.elements[1];
    if (!seconds.is_text() || !micros.is_text()) return std::nullopt;
    const auto whole = support::parse_decimal(seconds.text);
    const auto part = support::parse_decimal(micros.text);
    if (!whole || !part) return std::nullopt;
    return *whole * 1000 + *part / 1000;
}

// A MGET, two expiries a key, and the time where they are relative to it.
void decode_expiries(std::span<const std::string> keys, std::span<const Reply> replies, std::span<Look> looks) {
    const std::size_t expiries = 2 * keys.size();
    const bool relative = replies.size() == 2 + expiries;
    if (!relative && replies.size() != 1 + expiries) return set_all_odd(looks, "wrong number of replies");
    const auto server_ms = relative ? server_time_ms(replies.back()) : std::nullopt;
    if (relative && !server_ms) return set_all_odd(looks, "no time");
    decode_light(keys, replies.first(1), looks);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (!looks[i]) continue;
        looks[i]->depth = domain::LookDepth::expiries;
        if (!take_expiry(replies[1 + 2 * i], server_ms, looks[i]->counter) ||
            !take_expiry(replies[2 + 2 * i], server_ms, looks[i]->expiry)) {
            set_odd(looks[i], "a fact of the wrong type");
        }
    }
}

}  // namespace

void WindowScheme::decode_looks(std::span<const std::string> keys, std::span<const redis::Reply> replies,
                                domain::LookDepth depth, std::span<Look> looks) const {
    if (keys.empty()) return;
    if (depth == domain::LookDepth::light) return decode_light(keys, replies, looks);
    if (depth == domain::LookDepth::expiries) return decode_expiries(keys, replies, looks);
    const std::size_t each = replies.size() / keys.size();
    if (each == 0 || replies.size() != each * keys.size()) return set_all_odd(looks, "wrong number of replies");
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const Reply& executed = replies[(i + 1) * each - 1];
        if (executed.is_array()) {
            take_window(keys[i], executed.elements, looks[i]);
        } else {
            set_odd(looks[i], "no transaction's result");
        }
    }
}

void WindowScheme::decode_script_looks(std::span<const std::string> keys, const redis::Reply& reply,
                                       std::span<Look> looks) const {
    if (!reply.is_array() || reply.elements.size() != keys.size()) return set_all_odd(looks, "not one array a key");
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const Reply& window = reply.elements[i];
        if (window.is_array()) {
            take_window(keys[i], window.elements, looks[i]);
        } else {
            set_odd(looks[i], "not one array a key");
        }
    }
}

}  // namespace ratectl::schemes::window
