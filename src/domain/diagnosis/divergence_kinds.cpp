// The words for each cause of a divergence: what it means for the application's answers, and what to do.
#include <algorithm>
#include <array>

#include "domain/cluster/slot_faults.h"
#include "domain/diagnosis/divergence.h"

namespace ratectl::domain {
namespace {

constexpr std::string_view kNoPrimary =
    "bring the primary back, or make a replica the primary, and name it in the configuration where that names servers: "
    "until then all answers are old";

constexpr auto kCauseKinds = [] {
    using enum Cause;
    // clang-format off
    return std::array<CauseKind, 15>{{
        {none, "none", "it answers as the node that counts does", ""},
        {lag, "lag", "the replica is behind: it has yet to apply what the primary has counted, so reads from it show too few requests, or a window that was reset",
         "read limits from the primary; `ratectl nodes --probe` measures the delay", kNoPrimary},
        {cut_off, "cut-off", "the replica has lost its primary and answers with what it had then, for as long as that is not expired",
         "repair the link; until then read from the primary", kNoPrimary},
        {clock, "clock", "two clocks disagree: near its end a window is open by the one and over by the other",
         "run NTP on the servers, on the application's hosts and here"},
        {missing_ttl, "missing-ttl", "what has no TTL is never removed: it stays until it is overwritten or deleted",
         "`ratectl doctor` names such windows where the primary has them, and `ratectl doctor --fix` gives them their TTL or removes what is over; what is so on a replica alone goes when that replica is synchronised anew"},
        {masked_expiry, "masked-expiry", "the keys are expired: plain reads hide them, scripts on a replica before Redis 7 still see the old values",
         "compare the end of the window with the clock in scripts, as CHECK does; Redis 7 hides them from scripts too"},
        {two_primaries, "two-primaries", "two servers take writes: what is counted on the one is unknown to the other",
         "make the old primary a replica of the new one (REPLICAOF); what only it has counted is lost by that"},
        {wrong_role, "wrong-role", "the server does not act in the role that it is known in",
         "was there a failover? Name the new primary in the configuration; sentinels and the nodes of a Redis Cluster tell of it by themselves"},
        {changing, "changing", "the window is being counted: the nodes show the same figures a moment apart",
         ""},
        {unreachable, "unreachable", "the server gave no answer, so what an application would get from it is unknown",
         "`ratectl nodes` says more"},
        {moving, "moving", "the window's slot is on its way to another node of the Redis Cluster: no node could show it as a whole, or a replica shows no key that came before the slot",
         kWaitForSlot},
        {ownerless, "ownerless-slot", "no node of the Redis Cluster has the window's slot, so no application gets an answer about it",
         kGiveSlotANode},
        {bad_key, "bad-key", "the servers take no such key, or not both keys of such a window, so no application has one",
         "name the key as the application writes it"},
        {misplaced, "misplaced", "the application does not look there: the client has a fresh window elsewhere, or none",
         "was a shard added, or their order changed? `ratectl doctor --only misplaced` finds all of them"},
        {unknown, "unknown", "links, offsets, clocks and TTLs explain nothing of it: was something written to the replica itself?",
         "`ratectl nodes -o wide`; a replica that is not read-only keeps what is written to it"},
    }};
    // clang-format on
}();

}  // namespace

std::span<const CauseKind> cause_kinds() { return kCauseKinds; }

const CauseKind& kind_of(Cause what) {
    const auto* found =
        std::find_if(kCauseKinds.begin(), kCauseKinds.end(), [&](const auto& kind) { return kind.what == what; });
    return *found;
}

Cause cause_of_silence(const support::Error& error) {
    if (is_bad_key(error)) return Cause::bad_key;
    if (is_ownerless(error)) return Cause::ownerless;
    return is_of_moving_slot(error) ? Cause::moving : Cause::unreachable;
}

std::string_view advice_for(Cause what, Standing standing) {
    const auto& kind = kind_of(what);
    const bool has_primary = standing == Standing::configured_primary || standing == Standing::promoted_replica;
    return has_primary || kind.advice_without_primary.empty() ? kind.advice : kind.advice_without_primary;
}

}  // namespace ratectl::domain
