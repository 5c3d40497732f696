// Replies to looks -> what a window's halves hold; total over any reply.
#include <utility>

#include "schemes/window/window_scheme.h"

namespace ratectl::schemes::window {
namespace {

using domain::HalfLook;
using domain::WindowLook;
using redis::Reply;
using support::ExitCode;

support::Result<WindowLook> odd(std::string_view what) {
    return support::failure(ExitCode::protocol, "odd reply to a look: " + std::string(what) + "; nothing was read");
}

bool take_value(Reply& reply, std::optional<std::string>& value) {
    if (reply.is_nil()) return true;
    if (!reply.is_text()) return false;
    value = std::move(reply.text);
    return true;
}

// type, value, pttl [, pexpiretime]: the order in which both the transaction and the script answer.
bool take_half(std::span<Reply> parts, HalfLook& half) {
    Reply& type = parts[0];
    if (!type.is_text() && type.kind != Reply::Kind::status) return false;
    if (parts[2].kind != Reply::Kind::integer) return false;
    half.ttl_ms = parts[2].integer;
    if (parts.size() > 3) {
        if (parts[3].kind != Reply::Kind::integer) return false;
        if (parts[3].integer >= 0) half.expires_at_ms = parts[3].integer;
    }
    // Of an absent key GETRANGE gives an empty string, of a list an error.
    const bool readable = type.text == "string";
    half.type = std::move(type.text);
    return !readable || (take_value(parts[1], half.value) && half.value);
}

support::Result<WindowLook> take_window(const std::string& key, std::span<Reply> parts) {
    WindowLook look{.key = key, .depth = domain::LookDepth::full, .counter = {}, .expiry = {}};
    if (parts.size() != 6 && parts.size() != 8) return odd("wrong number of facts");
    const std::size_t half = parts.size() / 2;
    if (!take_half(parts.first(half), look.counter) || !take_half(parts.subspan(half), look.expiry)) {
        return odd("a fact of the wrong type");
    }
    return look;
}

Scheme::Looks all_odd(std::size_t keys, std::string_view what) { return Scheme::Looks(keys, odd(what)); }

Scheme::Looks decode_light(std::span<const std::string> keys, std::span<Reply> replies) {
    if (replies.size() != 1 || !replies[0].is_array() || replies[0].elements.size() != 2 * keys.size()) {
        return all_odd(keys.size(), "not two values a key");
    }
    auto& values = replies[0].elements;
    Scheme::Looks looks;
    looks.reserve(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        WindowLook look{.key = keys[i], .depth = domain::LookDepth::light, .counter = {}, .expiry = {}};
        if (take_value(values[2 * i], look.counter.value) && take_value(values[2 * i + 1], look.expiry.value)) {
            looks.emplace_back(std::move(look));
        } else {
            looks.push_back(odd("neither a value nor nil"));
        }
    }
    return looks;
}

}  // namespace

Scheme::Looks WindowScheme::decode_looks(std::span<const std::string> keys, std::span<redis::Reply> replies,
                                         domain::LookDepth depth) const {
    if (keys.empty()) return {};
    if (depth == domain::LookDepth::light) return decode_light(keys, replies);
    const std::size_t each = replies.size() / keys.size();
    if (each == 0 || replies.size() != each * keys.size()) return all_odd(keys.size(), "wrong number of replies");
    Looks looks;
    looks.reserve(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        Reply& executed = replies[(i + 1) * each - 1];
        looks.push_back(executed.is_array() ? take_window(keys[i], executed.elements) : odd("no transaction's result"));
    }
    return looks;
}

Scheme::Looks WindowScheme::decode_script_looks(std::span<const std::string> keys, redis::Reply reply) const {
    if (!reply.is_array() || reply.elements.size() != keys.size()) return all_odd(keys.size(), "not one array a key");
    Looks looks;
    looks.reserve(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        Reply& window = reply.elements[i];
        looks.push_back(window.is_array() ? take_window(keys[i], window.elements) : odd("not one array a key"));
    }
    return looks;
}

}  // namespace ratectl::schemes::window
