// Reasons of errors that concern one key, or one slot of a Redis Cluster, for those who do something about them.
#pragma once

#include <string_view>

#include "support/error.h"

namespace ratectl::domain {

/// What was asked for together is neither all at the node that the slot leaves nor at the one that it goes to.
inline constexpr std::string_view kKeysApart = "keys-apart";
/// A replica of the node that a slot leaves does not know which of its keys have left.
inline constexpr std::string_view kMayHaveLeft = "may-have-left";
/// The slot, or the key before it, is at another node, as the one that was asked says.
inline constexpr std::string_view kSlotElsewhere = "slot-elsewhere";

/// In a moment it is found: its slot moves.
inline bool is_of_moving_slot(const support::Error& error) {
    return error.reason == kKeysApart || error.reason == kMayHaveLeft || error.reason == kSlotElsewhere;
}

/// No node has the slot: the one that says so is not to blame.
inline constexpr std::string_view kOwnerlessSlot = "ownerless-slot";

/// What it means, and what can be done about it.
inline constexpr std::string_view kNoNodeHasSlot = "no node of the Redis Cluster has the key's slot";
inline constexpr std::string_view kGiveSlotANode =
    "`ratectl nodes` names slots without a node, and `ratectl doctor` the nodes that have windows of theirs; where all "
    "nodes agree (`redis-cli --cluster check`), CLUSTER ADDSLOTS gives one to such a node";

inline bool is_ownerless(const support::Error& error) { return error.reason == kOwnerlessSlot; }
template <class T>
bool is_ownerless(const support::Result<T>& answer) {
    return !answer && is_ownerless(answer.error());
}

/// The servers have no such key: it was not sent.
inline constexpr std::string_view kBadKey = "bad-key";

inline bool is_bad_key(const support::Error& error) { return error.reason == kBadKey; }
template <class T>
bool is_bad_key(const support::Result<T>& answer) {
    return !answer && is_bad_key(answer.error());
}

/// The node that was to be asked is not to blame.
inline bool blames_no_node(const support::Error& error) { return is_ownerless(error) || is_bad_key(error); }
template <class T>
bool blames_no_node(const support::Result<T>& answer) {
    return !answer && blames_no_node(answer.error());
}

/// At no place is it found: its keys are at two of them, or no node has its slot.
inline bool is_nowhere(const support::Error& error) { return error.reason == kKeysApart || is_ownerless(error); }

/// What can be done about a change that a slot on its way refuses.
inline constexpr std::string_view kWaitForSlot =
    "try again when the slot has arrived; those who run the cluster end a move that is stuck (`redis-cli --cluster "
    "fix`)";
/// Behind it, where the key of an operation, which is new and so at neither end, or a second window is in the way.
inline constexpr std::string_view kAloneMeanwhile =
    "; until then a window that is whole at one of the two nodes can be changed alone, without an operation key: "
    "increment, refund and reset take --no-op-key";

}  // namespace ratectl::domain
