// The words for each class of finding: what it means, what the application sees of it, and what to do.
#include <algorithm>
#include <array>

#include "domain/diagnosis/finding.h"

namespace ratectl::domain {
namespace {

constexpr auto kFindingKinds = [] {
    using enum FindingClass;
    // clang-format off
    return std::array<FindingKind, 27>{{
        {corrupt, "corrupt", "a half is not a string, or holds no integer",
         "requests of this client fail, or the window is taken for none", "find the writer; `ratectl reset --state corrupt KEY` removes the window if both halves are strings, and no command of ratectl removes another type"},
        {orphan_counter, "orphan-counter", "a counter without an expiry half",
         "it counts as no window: what it holds is forgotten with the next request; without a TTL it stays for ever", "doctor --fix orphan-counter removes it", Repair::remove_if_named},
        {orphan_expiry, "orphan-expiry", "an expiry half without a counter",
         "reads see no window; the next request makes a counter that some limiters give no TTL", "doctor --fix orphan-expiry removes it", Repair::remove_if_named},
        {expiry_absurd, "expiry-absurd", "the window ends in years, or in more than ten periods of its policy, or is yet to begin",
         "it never ends: a client that has used it up stays limited", "find the writer (milliseconds?), then doctor --fix expiry-absurd removes it", Repair::remove_if_named},
        {expiry_past, "expiry-past", "the window is over, and yet its keys do not expire when they should",
         "nothing, it is ignored; it takes memory", "doctor --fix removes it", Repair::remove},
        {leaked, "leaked", "a half has no TTL",
         "nothing until the window ends; then it takes memory for ever", "doctor --fix sets both to expire one second after the window's end", Repair::set_expiries},
        {endless, "endless", "a counter without a TTL, which alone would end its window",
         "what is used is not forgotten: a client that has used up its limit is refused until the key goes, or gets a TTL", "find what takes the TTL away; doctor --fix endless removes the counter, and the next request begins a window", Repair::remove_if_named},
        {ttl_short, "ttl-short", "a half expires more than a second before it should",
         "the client gets a fresh window too early", "doctor --fix sets both to expire one second after the window's end", Repair::set_expiries},
        {ttl_long, "ttl-long", "a half expires more than a second after it should",
         "nothing, it is ignored once the window is over; it takes memory until then", "doctor --fix sets both to expire one second after the window's end", Repair::set_expiries},
        {negative, "negative", "an open window counts below zero",
         "the client has more than its limit left", "an application refunds more than was counted; `ratectl reset KEY` starts anew"},
        {suffix_clash, "suffix-clash", "a client's key ends as expiry halves do, so two windows share a key",
         "each request of the one changes the end of the other", "keep such client ids out of keys, or choose another expiry suffix"},
        {misplaced, "misplaced", "the window is on a shard where the application does not look for it",
         "the client has a fresh window elsewhere; this one is lost to it", "`ratectl sharding verify` tells whether the sharding and the order of the shards are right; if they are, `ratectl reset KEY --all-shards --shard NAME` removes it there, and what a change of shards left behind is moved by reshard apply OLD NEW; of a Redis Cluster each finding says how its keys are brought home"},
        {duplicate, "duplicate", "the key is on several shards",
         "the application counts on one of them only, or on several in turn", "`ratectl sharding verify`, then `ratectl reset KEY --all-shards --shard NAME` on the wrong one"},
        {wrong_role, "wrong-role", "the server does not act in the role that it is known in, or follows another primary",
         "writes to a replica fail; reads from an old primary are old", "was there a failover? Name the new primary in the configuration; sentinels and the nodes of a Redis Cluster tell of it by themselves"},
        {two_primaries, "two-primaries", "two servers of one shard act as its primary",
         "what is counted on one of them is unknown to the other", "find out which one the applications write to; make the other its replica (what was counted there is lost)"},
        {link_down, "link-down", "a replica has lost its primary",
         "reads from it show old windows", "repair the link; until then read from the primary"},
        {replica_lag, "replica-lag", "a replica's link is up, and yet it stays behind its primary",
         "reads from it show old windows", "is the network or the replica overloaded? Until then read from the primary"},
        {clock_skew, "clock-skew", "the server's clock and ours are more than a second apart",
         "windows end early or late by that much, or are deleted as they are made", "run NTP on both"},
        {can_evict, "can-evict", "the server may evict windows when its memory is full",
         "windows vanish before their end, and their clients begin anew", "maxmemory-policy noeviction, or more memory"},
        {memory_near_limit, "memory-near-limit", "used memory is at 90 % of maxmemory or more",
         "soon windows are evicted, or writes are refused", "more memory; expired windows may be piling up"},
        {not_persisting, "not-persisting", "the last save or append to disk failed",
         "Redis may refuse writes, and a restart loses windows", "look at the server's log and disk"},
        {scripts_denied, "scripts-denied", "this user may not run scripts, or the server has none",
         "ratectl cannot change windows here; an application with this user cannot count", "grant what is named; `ratectl acl operator` prints all that is needed"},
        {commands_denied, "commands-denied", "this user may not run a command that ratectl looks or changes with",
         "looks, sweeps or changes fail, or say less", "grant what is named; `ratectl acl reader` and `acl operator` print all that is needed"},
        {old_version, "old-version", "the server is older than Redis 6.0",
         "ratectl only reads there", "upgrade"},
        {cluster_node, "cluster-node", "a node of a Redis Cluster stands in a list of shards",
         "keys without hash tags are refused or not found", "list stand-alone servers"},
        {same_server, "same-server", "two nodes of the configuration are one server",
         "its windows are counted twice, and a write may happen twice", "name each server once"},
        {masked_keys, "masked-keys", "the server counts keys that it no longer shows: expired, not yet removed",
         "nothing; they take memory", "is active expiry off, or the primary of this replica cut off?"},
    }};
    // clang-format on
}();

}  // namespace

std::string_view name_of(Repair repair) {
    switch (repair) {
        case Repair::none: return "no";
        case Repair::set_expiries: return "set-expiries";
        case Repair::remove: return "remove";
        case Repair::remove_if_named: return "remove-if-named";
    }
    return "no";
}

std::span<const FindingKind> finding_kinds() { return kFindingKinds; }

const FindingKind& kind_of(FindingClass what) { return kFindingKinds.at(static_cast<std::size_t>(what)); }

std::optional<FindingClass> finding_class_from(std::string_view name) {
    const auto* found = std::find_if(kFindingKinds.begin(), kFindingKinds.end(),
                                     [name](const auto& kind) { return kind.name == name; });
    return found == kFindingKinds.end() ? std::nullopt : std::optional{found->what};
}

}  // namespace ratectl::domain
