// What the nodes of a Redis Cluster are asked beside looks and writes: values of keys, each where it is, whatever way
// its slot goes meanwhile; and slots that are on their way from one node to another, or that no node has.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <asio/awaitable.hpp>

#include "store/cluster/cluster_view.h"
#include "store/core.h"
#include "store/stranded.h"

namespace ratectl::store {

/// What strings hold, in the order of their names; null: there is no such key.
using Values = std::vector<std::optional<std::string>>;

/// An error as soon as one of them cannot be had within one exchange's time.
support::Result<Values> get_keys(const std::shared_ptr<Core>& core, std::span<const std::string> names);
/// The same on the loop; a wish to stop does not end it, a second one does.
asio::awaitable<support::Result<Values>> read_keys(std::shared_ptr<Core> core, std::span<const std::string> names);

/// CLUSTER SHARDS, and where a server does not know that, or says no word of use, CLUSTER SLOTS; and CLUSTER NODES,
/// which names what SLOTS does not. Three replies, nil where another one serves.
asio::awaitable<redis::Outcome<std::vector<redis::Reply>>> ask_for_view(redis::Channel& channel,
                                                                        support::Deadline deadline);
/// What this node says of its own slots; null: it does not answer, or not that.
asio::awaitable<std::optional<OwnSlots>> ask_own_slots(std::shared_ptr<Core> core, domain::Node node);
/// And how often it has sent keys away; or why it does not say.
asio::awaitable<support::Result<OwnSlots>> ask_slots_and_counts(std::shared_ptr<Core> core, domain::Node node);
/// Of a node that answers, but not that.
support::Error tells_no_slots(const domain::Node& node);
/// Of a node that sends clients back which the one that the slot leaves has sent to it.
support::Error takes_no_slot_in(const domain::Node& node, std::uint16_t slot);

/// As the primaries tell it, all of them asked at once; none where keys have no slots.
OpenSlots find_open_slots(const std::shared_ptr<Core>& core);
/// See Store::stranded(); all primaries at once, those without slots, too.
StrandedWindows find_stranded(const std::shared_ptr<Core>& core, std::span<const std::uint16_t> slots);

}  // namespace ratectl::store
