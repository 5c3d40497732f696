// Replicas and what was written on their primary: WAIT, also for a write of long ago or over another connection, of
// which WAIT tells nothing by itself; and one counter asked for again and again until they show it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <asio/awaitable.hpp>

#include "redis/channel.h"
#include "redis/request.h"
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

/// SET of a key beside our operation keys, which nothing takes for one and which ends by itself in ten minutes.
/// Where keys have slots, `id` has the number of one that is here.
redis::Request marker_request(const domain::SliceId& id);

/// See Store::await_replicas().
std::vector<std::optional<int>> await_replicas(const std::shared_ptr<Core>& core, std::span<const KeyAt> keys,
                                               const WriteOrder& order);

}  // namespace ratectl::store
