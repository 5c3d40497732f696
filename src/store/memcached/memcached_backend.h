// The backend for memcached servers: looks, listings, guarded writes, and what a server says of itself.
#pragma once

#include <memory>

#include "store/backend.h"

namespace ratectl::store {

/// The windows of a topology whose every server speaks memcached's text protocol. What only Redis has (scripts,
/// replicas, operation keys, values of other types) ends in a Failure (usage), or there is none of it.
std::unique_ptr<Backend> memcached_backend(const Topology& topology, Options options,
                                           std::shared_ptr<redis::EventLoop> loop);

}  // namespace ratectl::store
