// Takes a window's exact state, expiries included, from a look.
// PEXPIRETIME is one number on every server; a TTL has to be reckoned.
#include "commands/reshard/snapshot.h"

#include <algorithm>
#include <cstdlib>

#include "domain/diagnosis/finding.h"

namespace ratectl::commands::reshard {
namespace {

constexpr std::int64_t kSlackMs = 2000;

std::optional<std::int64_t> expires_at(const domain::StoredKey& part, std::optional<std::int64_t> usual_ms,
                                       support::WallTime read_at, bool& exact) {
    if (part.expires_at_ms) return part.expires_at_ms;
    if (!part.value || !part.ttl_ms || *part.ttl_ms <= domain::kNoTtl) return std::nullopt;
    exact = false;
    const std::int64_t reckoned = read_at.time_since_epoch().count() + *part.ttl_ms;
    return usual_ms && std::abs(reckoned - *usual_ms) <= kSlackMs ? usual_ms : reckoned;
}

bool same_expiry(std::optional<std::int64_t> a, std::optional<std::int64_t> b, bool exact) {
    if (!a || !b) return a == b;
    return exact ? *a == *b : std::abs(*a - *b) <= kSlackMs;
}

}  // namespace

Snapshot snapshot_of(const domain::WindowLook& look, support::WallTime read_at, bool has_slots) {
    Snapshot snapshot;
    snapshot.exact_expiry = !has_slots;
    snapshot.window = domain::stored_window(look);
    const auto usual = domain::right_expiry_ms(look);
    for (std::size_t i = 0; i < domain::kMostParts && !look.parts.empty(); ++i) {
        const auto& part = look.parts[std::min(i, look.parts.size() - 1)];
        snapshot.window.expires[i] = expires_at(part, usual, read_at, snapshot.exact_expiry);
    }
    snapshot.strings = !domain::has_wrong_type(look);
    return snapshot;
}

bool is_same(const Snapshot& a, const Snapshot& b) {
    const bool exact = a.exact_expiry && b.exact_expiry;
    return same_bytes(a.window, b.window) &&
           std::equal(a.window.expires.begin(), a.window.expires.end(), b.window.expires.begin(),
                      [&](const auto& one, const auto& other) { return same_expiry(one, other, exact); });
}

}  // namespace ratectl::commands::reshard
