// Replicas and what was written on their primary: WAIT, and one counter asked for again and again until they show it.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include <asio/awaitable.hpp>

#include "redis/channel.h"
#include "store/core.h"
#include "store/replica_sightings.h"

namespace ratectl::store {

/// Returns when every replica of these shards has answered once, or has failed to.
std::unique_ptr<ReplicaWatch> start_watch(const std::shared_ptr<Core>& core, std::span<const AwaitedCount> counts);

/// Waits until `replicas` have everything that was written over this channel, at most for `timeout`, and says how many
/// have. Null, with a notice, when the server would not say, or a stop signal ended the wait, and the channel; a write
/// is what it is all the same.
asio::awaitable<std::optional<int>> wait_for_replicas(std::shared_ptr<Core> core, redis::Channel& channel, int replicas,
                                                      support::Milliseconds timeout);
/// The notice.
void say_replicas_unknown(Core& core, support::Error why);

}  // namespace ratectl::store
