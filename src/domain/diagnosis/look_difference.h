// Two looks at one window side by side: what is not the same, and how to say so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/node.h"
#include "domain/window.h"
#include "support/time.h"

namespace ratectl::domain {

/// When a key expires by a server's clock.
struct ExpiryMoment {
    std::int64_t at_ms = 0;
    support::Milliseconds doubt{0};  // 0: PEXPIRETIME; else TTL added to a clock that was read from afar
};
/// Null: never, there is nothing, or it was not asked. `facts` are of the node that was looked at, at `read_at`.
std::optional<ExpiryMoment> expires_at(const StoredKey& stored, support::WallTime read_at, const NodeFacts* facts);

/// The server's clock at a moment of ours, and how wrong that can be; null: unknown.
struct ServerMoment {
    support::WallTime at{};
    support::Milliseconds doubt{0};
};
std::optional<ServerMoment> server_time(support::WallTime ours, const NodeFacts* facts);

/// A look with what it takes to compare it.
struct SeenAt {
    const WindowLook& look;
    support::WallTime read_at{};
    const NodeFacts* facts = nullptr;
};

/// What two looks do not have in common.
struct LookDifference {
    bool presence = false;  // a key is there at one and not at the other, or of another type
    bool used = false;
    bool reset = false;
    bool expiry = false;  // the keys are there, and expire at other moments
    explicit operator bool() const { return presence || used || reset || expiry; }
};
/// In one and the same window a difference of `used` below min_delta is none.
LookDifference look_difference(const SeenAt& a, const SeenAt& b, std::int64_t min_delta);

/// What an application counts with: 0 where no window is open; null where it is corrupt.
std::optional<std::int64_t> counted(const WindowLook& look, support::Moment now);
/// a - b, held within what 64 bits can say.
std::int64_t difference_of(std::int64_t a, std::int64_t b);

/// `7 used until 2026-01-01T00:00:00Z`, `no window`, as its limiter says it.
std::string words_of(const WindowLook& look, support::Moment now);
/// `3 used where 10.0.0.7:6379 has 10`, `the counter never expires; on 10.0.0.7:6379 it does at ...`.
std::string words_of(const SeenAt& view, const SeenAt& reference, const LookDifference& difference,
                     std::string_view name, support::Moment now);

}  // namespace ratectl::domain
