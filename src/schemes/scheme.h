// What a limiter's keys mean: one implementation per layout of keys behind this interface. `window` is the default.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/window.h"
#include "redis/channel.h"
#include "redis/script.h"
#include "redis/server_facts.h"
#include "support/error.h"
#include "support/time.h"

namespace ratectl::schemes {

/// The layout-specific half of every operation: requests out, replies in. Pure: no sockets, no clock.
class Scheme {
public:
    virtual ~Scheme() = default;

    // ---- looks
    /// Appends the commands that look at one key in one atomic unit.
    virtual void ask_look(redis::Request& request, std::string_view key, domain::LookDepth depth, const redis::ServerFacts& facts) const = 0;
    /// How many replies ask_look() brings for one key.
    virtual std::size_t look_replies(domain::LookDepth depth) const = 0;
    /// Total over any replies: never throws, an error says what was wrong with them.
    virtual support::Result<domain::WindowLook> decode_look(std::string_view key, std::span<const redis::Reply> replies, domain::LookDepth depth) const = 0;

    // ---- sweeps
    /// The SCAN pattern that finds one key of every window whose K matches the glob; orphans: of both halves.
    virtual std::string scan_pattern(std::string_view glob, bool orphans) const = 0;
    /// K for a key that SCAN returned; null when that key is no half of a window here (an operation key, or another layout's).
    virtual std::optional<std::string> window_of(std::string_view scanned) const = 0;
    /// True when this scanned key is the half that sweeps start from.
    virtual bool is_anchor(std::string_view scanned) const = 0;
};

std::unique_ptr<Scheme> make_window_scheme(std::string expiry_suffix);

}  // namespace ratectl::schemes
