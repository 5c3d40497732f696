// WAIT: how many replicas have what a connection wrote.
#pragma once

#include <memory>
#include <optional>

#include <asio/awaitable.hpp>

#include "redis/channel.h"
#include "store/core.h"

namespace ratectl::store {

/// Waits until `replicas` have everything that was written over this channel, at most for `timeout`, and says how many
/// have. Null, with a notice, when the server would not say; a write is what it is all the same.
asio::awaitable<std::optional<int>> wait_for_replicas(std::shared_ptr<Core> core, redis::Channel& channel, int replicas,
                                                      support::Milliseconds timeout);

}  // namespace ratectl::store
