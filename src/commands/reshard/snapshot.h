// A window as a full look showed it: exactly what a copy has to be.
#pragma once

#include <optional>

#include "domain/window.h"
#include "domain/write.h"
#include "support/time.h"

namespace ratectl::commands::reshard {

struct Snapshot {
    domain::StoredWindow window;
    bool strings = true;  // false: a half of another type, which cannot be copied
    /// False: before Redis 7, reckoned from what is left of the TTL; or it was, when its slot came from another node.
    bool exact_expiry = true;
};

/// `read_at`: when the look was taken. Before Redis 7 the expiry is the one that the application's script sets, a
/// second after the reset, if what is left of the TTL fits that to within two seconds; else it is read_at plus that.
/// `has_slots`: of a Redis Cluster.
Snapshot snapshot_of(const domain::WindowLook& look, support::WallTime read_at, bool has_slots = false);
/// The same bytes in both halves, and the same expiries; to two seconds where they were reckoned.
bool is_same(const Snapshot& a, const Snapshot& b);

}  // namespace ratectl::commands::reshard
