// Replies to looks -> what a window's halves hold; total over any reply, and without a new string where an old one has
// room.
#include <utility>

#include "schemes/window/window_scheme.h"

namespace ratectl::schemes::window {
namespace {

using domain::StoredKey;
using domain::WindowLook;
using redis::Reply;
using support::ExitCode;
using Look = Scheme::Look;

/// What is odd about a reply; empty: nothing.
using Oddity = std::string_view;

void set_odd(Look& look, Oddity what) {
    look =
        support::failure(ExitCode::protocol, "unexpected reply to a look: " + std::string(what) + "; nothing was read");
}

void set_all_odd(std::span<Look> looks, Oddity what) {
    for (Look& look : looks) set_odd(look, what);
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

void reset_facts(StoredKey& half) {
    half.type.reset();
    half.ttl_ms.reset();
    half.expires_at_ms.reset();
}

bool take_light_half(const Reply& reply, StoredKey& half) {
    reset_facts(half);
    return take_value(reply, half.value);
}

// type, value, pttl [, pexpiretime]: the order in which both the transaction and the script answer.
bool take_half(std::span<const Reply> parts, StoredKey& half) {
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

Oddity take_window(const Reply& facts, WindowLook& window) {
    const std::span<const Reply> parts = facts.elements;
    if (parts.size() != 6 && parts.size() != 8) return "wrong number of facts";
    const std::size_t half = parts.size() / 2;
    const bool sound =
        take_half(parts.first(half), window.parts[kCounter]) && take_half(parts.subspan(half), window.parts[kExpiry]);
    return sound ? Oddity() : "a fact of the wrong type";
}

Oddity take_values(const Reply& counter, const Reply& expiry, WindowLook& window) {
    const bool sound =
        take_light_half(counter, window.parts[kCounter]) && take_light_half(expiry, window.parts[kExpiry]);
    return sound ? Oddity() : "neither a value nor nil";
}

/// PEXPIRETIME's answer, or PTTL's where the server's time has to be added.
bool take_expiry(const Reply& reply, std::optional<support::WallTime> server_now, StoredKey& half) {
    if (reply.kind != Reply::Kind::integer) return false;
    if (reply.integer < 0) {
        half.ttl_ms = reply.integer;
    } else {
        half.expires_at_ms = reply.integer + server_now.value_or(support::WallTime{}).time_since_epoch().count();
    }
    return true;
}

// Each of these says what is odd about the replies as a whole, or calls each(i, fill) for every key: fill(window) then
// says what is odd about that one.

bool are_values(const Reply& reply, std::size_t keys) { return reply.is_array() && reply.elements.size() == 2 * keys; }

template <class Each>
Oddity decode_light(std::size_t keys, std::span<const Reply> replies, Each each) {
    if (replies.size() != 1 || !are_values(replies[0], keys)) return "not two values a key";
    const Reply* values = replies[0].elements.data();
    for (std::size_t i = 0; i < keys; ++i, values += 2) {
        each(i, [values](WindowLook& window) { return take_values(values[0], values[1], window); });
    }
    return {};
}

// A MGET, two expiries a key, and the time where they are relative to it.
template <class Each>
Oddity decode_expiries(std::size_t keys, std::span<const Reply> replies, Each each) {
    const std::size_t expiries = 2 * keys;
    const bool relative = replies.size() == 2 + expiries;
    if (!relative && replies.size() != 1 + expiries) return "wrong number of replies";
    const auto server_now = relative ? redis::parse_time(replies.back()) : std::nullopt;
    if (relative && !server_now) return "no time";
    if (!are_values(replies[0], keys)) return "not two values a key";
    for (std::size_t i = 0; i < keys; ++i) {
        each(i, [&](WindowLook& window) {
            const std::span<const Reply> values = std::span(replies[0].elements).subspan(2 * i, 2);
            const Oddity odd = take_values(values[0], values[1], window);
            if (!odd.empty()) return odd;
            const bool sound = take_expiry(replies[1 + 2 * i], server_now, window.parts[kCounter]) &&
                               take_expiry(replies[2 + 2 * i], server_now, window.parts[kExpiry]);
            return sound ? Oddity() : Oddity("a fact of the wrong type");
        });
    }
    return {};
}

template <class Each>
Oddity decode_full(std::size_t keys, std::span<const Reply> replies, Each each) {
    const std::size_t every = replies.size() / keys;
    if (every == 0 || replies.size() != every * keys) return "wrong number of replies";
    for (std::size_t i = 0; i < keys; ++i) {
        const Reply& executed = replies[(i + 1) * every - 1];
        each(i, [&executed](WindowLook& window) {
            return executed.is_array() ? take_window(executed, window) : "no transaction's result";
        });
    }
    return {};
}

template <class Each>
Oddity decode(std::size_t keys, std::span<const Reply> replies, domain::LookDepth depth, Each each) {
    if (keys == 0) return {};
    if (depth == domain::LookDepth::light) return decode_light(keys, replies, each);
    if (depth == domain::LookDepth::expiries) return decode_expiries(keys, replies, each);
    return decode_full(keys, replies, each);
}

void begin(WindowLook& look, const domain::Limiter& limiter, domain::LookDepth depth) {
    look.limiter = &limiter;
    look.depth = depth;
    look.parts.resize(kParts);
}

void begin_look(WindowLook& look, const std::string& key, const domain::Limiter& limiter, domain::LookDepth depth) {
    look.key = key;
    begin(look, limiter, depth);
}

/// The window of one key, or what is odd about its reply.
template <class Fill>
void fill_look(Look& look, const std::string& key, const domain::Limiter& limiter, domain::LookDepth depth, Fill fill) {
    if (!look) look = WindowLook();
    begin_look(*look, key, limiter, depth);
    if (const Oddity odd = fill(*look); !odd.empty()) set_odd(look, odd);
}

/// The values come in pairs.
class Pairs final : public Scheme::LightLooks {
public:
    Pairs(const domain::Limiter& limiter, std::span<WindowLook> looks) : limiter_(limiter), looks_(looks) {}

    void text(std::string_view text) override {
        if (StoredKey* half = next()) half->value = text;
    }
    void nil() override {
        if (StoredKey* half = next()) half->value.reset();
    }
    void other() override { sound_ = false; }
    bool complete() const override { return sound_ && values_ == 2 * looks_.size(); }

private:
    StoredKey* next() {
        const std::size_t value = values_++;
        if (value / 2 >= looks_.size()) return nullptr;
        WindowLook& look = looks_[value / kParts];
        if (value % kParts == 0) begin(look, limiter_, domain::LookDepth::light);
        StoredKey& half = look.parts[value % kParts];
        reset_facts(half);
        return &half;
    }

    const domain::Limiter& limiter_;
    std::span<WindowLook> looks_;
    std::size_t values_ = 0;
    bool sound_ = true;
};

}  // namespace

std::unique_ptr<Scheme::LightLooks> WindowScheme::receive_light_looks(std::span<WindowLook> looks) const {
    return std::make_unique<Pairs>(*this, looks);
}

void WindowScheme::decode_looks(std::span<const std::string> keys, std::span<const redis::Reply> replies,
                                domain::LookDepth depth, const redis::ServerFacts& /*facts*/,
                                std::span<Look> looks) const {
    const Oddity odd = decode(keys.size(), replies, depth,
                              [&](std::size_t i, auto fill) { fill_look(looks[i], keys[i], *this, depth, fill); });
    if (!odd.empty()) set_all_odd(looks, odd);
}

bool WindowScheme::decode_looks(std::span<const std::string> keys, std::span<const redis::Reply> replies,
                                domain::LookDepth depth, const redis::ServerFacts& /*facts*/,
                                std::span<WindowLook> looks) const {
    bool sound = true;
    const Oddity odd = decode(keys.size(), replies, depth, [&](std::size_t i, auto fill) {
        begin_look(looks[i], keys[i], *this, depth);
        sound = fill(looks[i]).empty() && sound;
    });
    return sound && odd.empty();
}

void WindowScheme::decode_script_looks(std::span<const std::string> keys, std::span<const redis::Reply> replies,
                                       std::span<Look> looks) const {
    constexpr Oddity shapeless = "not one array a key";
    const Reply& reply = replies.front();
    if (!reply.is_array() || reply.elements.size() != keys.size()) return set_all_odd(looks, shapeless);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const Reply& facts = reply.elements[i];
        fill_look(looks[i], keys[i], *this, domain::LookDepth::full,
                  [&](WindowLook& window) { return facts.is_array() ? take_window(facts, window) : shapeless; });
    }
}

}  // namespace ratectl::schemes::window
