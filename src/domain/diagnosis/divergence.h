// Why nodes answer differently about one window: which of them counts, what each other one says, and what explains the
// difference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/node.h"
#include "domain/window.h"
#include "support/error.h"
#include "support/time.h"

namespace ratectl::domain {

/// What a node showed at one of the looks before the last.
struct EarlierLook {
    WindowLook look;
    support::WallTime read_at{};
    std::optional<std::int64_t> offset;  // replication offset, read after the look
};

/// One node's side of one window.
struct NodeView {
    Node node;
    support::Result<WindowLook> look = WindowLook();  // the last full look, plain
    std::optional<WindowLook> through_lua;            // as a script sees it; null: not asked, or refused
    support::WallTime read_at{};                      // of `look`
    bool stale = false;                               // a replica whose link was down when it was connected to
    std::optional<NodeFacts> facts;                   // read after the look; null: it did not answer
    std::vector<EarlierLook> earlier;                 // oldest first; empty: one look was enough
};

/// What is to be said about a node's answer. With a difference: its reason. Without one: what could soon make one.
enum class Cause {
    none,
    lag,            // the link is up, and the replica has not applied what the primary showed
    cut_off,        // the link is down: an old state is served
    clock,          // the node's clock and ours, or two nodes' clocks, disagree where it matters
    missing_ttl,    // a half that never expires, so it stays
    masked_expiry,  // expired: a plain read hides what a script still sees
    two_primaries,  // two nodes take writes
    wrong_role,     // it acts in another role than it is known in, or follows a server of no concern to this shard
    changing,       // counted this very moment: every look shows what the other node showed just before or after
    unreachable,    // it gave no answer
    moving,         // the window's slot is on its way to another node of the Redis Cluster
    ownerless,      // no node has the window's slot
    bad_key,        // the servers take no such key
    misplaced,  // the window is on another shard than the one where the application looks; told by who knows the shards
    unknown,    // none of these explains the difference
};

/// One cause, as the manual tells it.
struct CauseKind {
    Cause what;
    std::string_view name;                         // stable: `lag`, `cut-off`, ...
    std::string_view meaning;                      // what it means for the application's answers
    std::string_view advice;                       // what to do
    std::string_view advice_without_primary = {};  // the same where no server acts as primary; empty: the other holds
};
std::span<const CauseKind> cause_kinds();
const CauseKind& kind_of(Cause what);
inline std::string_view name_of(Cause what) { return kind_of(what).name; }
/// Of a node that failed so: what it says of the key or its slot, or unreachable.
Cause cause_of_silence(const support::Error& error);

/// One view beside the one that counts.
struct Difference {
    Cause cause = Cause::none;
    /// It shows something else than the node that counts, or its answer depends on whose clock is right. Null: it gave
    /// no answer.
    std::optional<bool> differs = false;
    std::string detail;  // one line for people, with figures; empty: nothing to say
    std::optional<std::int64_t>
        used_delta;  // used here less used there, of windows that are open; an open one beside none: all of it
    std::optional<std::int64_t> lag_bytes;  // offset of the node that counts less its own; a replica only
};

/// How the view that counts came to be it.
enum class Standing {
    none,                // no node answered
    configured_primary,  // it acts as primary, and is known as one
    promoted_replica,    // known as a replica, and the only one that acts as primary
    best_replica,        // no node that answers acts as primary: the replica that is least behind
};

/// What an application gets from some of the nodes at `now`.
struct Answer {
    std::optional<std::int64_t> used;  // null: no window, or one that no script can read
    std::optional<support::Instant> reset_at;
    std::optional<std::int64_t> limit;      // of that window: some limiters have another one than policies say
    std::optional<std::int64_t> remaining;  // null: no limit is known, or the window is corrupt
    bool passes = false;                    // the next request is let through, although none is left
    bool corrupt = false;
    std::vector<std::size_t> from;     // views
    bool through_lua_only = false;     // a plain read of those nodes hides it
    bool by_their_clock_only = false;  // at the servers' time, not at `now`

    /// `7 of 5000 used, 4993 left, resets at 2026-01-01T00:00:00Z`, `no window: all 5000 left`.
    std::string words() const;
};

/// What to do about it on a shard whose answer that counts came to be so. Empty: nothing.
std::string_view advice_for(Cause what, Standing standing);

struct Divergence {
    std::optional<std::size_t> reference;  // the view that counts
    Standing standing = Standing::none;
    std::vector<std::size_t> primaries;  // views that act as primary; more than one is a split
    std::vector<Difference> views;       // parallel to what was given
    bool differ = false;                 // some view differs
    bool silent = false;                 // some node gave no answer, so that it cannot be said that all agree
    std::vector<Answer> answers;         // each distinct one, that of the view that counts first
};

/// What is known around the views.
struct Comparison {
    support::Moment now{};  // the application's clock, the same for all nodes
    std::optional<std::int64_t> limit;
    std::int64_t min_delta = 1;  // smaller differences of `used` are none
    bool now_is_ours = true;     // no --now: the servers' clocks are expected to agree with it
};

/// Total over any views, of any number of nodes.
Divergence compare_views(std::span<const NodeView> views, const Comparison& around);

/// True where the plain look hides halves that the look through Lua shows: the one difference that is worth a row of
/// its own.
bool hides_from_plain_reads(const NodeView& view);

/// True when a further look can tell more: nodes differ and what explains it may pass, or nothing explains it yet.
bool is_worth_another_look(std::span<const NodeView> views, const Comparison& around);

/// True when counting does not explain the difference: the view was ahead at every look, which a node that only follows
/// never is, or, once it has what was written, its distance stays the same for three looks or more. Both views have a
/// look; `arrived_at`: index of the earlier look after which its offset said so.
bool stays_apart(const NodeView& view, const NodeView& reference, std::optional<std::size_t> arrived_at,
                 std::int64_t min_delta);

}  // namespace ratectl::domain
