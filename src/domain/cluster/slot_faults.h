// Reasons of errors that concern one slot of a Redis Cluster, for those who do something about them.
#pragma once

#include <string_view>

namespace ratectl::domain {

/// What was asked for together is neither all at the node that the slot leaves nor at the one that it goes to.
inline constexpr std::string_view kKeysApart = "keys-apart";
/// A replica of the node that a slot leaves does not know which of its keys have left.
inline constexpr std::string_view kMayHaveLeft = "may-have-left";
/// No node has the slot: the one that says so is not to blame.
inline constexpr std::string_view kOwnerlessSlot = "ownerless-slot";

}  // namespace ratectl::domain
