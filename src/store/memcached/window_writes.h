// Writes of many windows on memcached servers: told to the observer before and after, some windows at once.
#pragma once

#include <memory>
#include <vector>

#include "store/backend.h"
#include "store/memcached/servers.h"

namespace ratectl::store::memcached {

/// As Store::count() and its like. No operation key is left, and nothing waits for replicas: Failure (usage) where that
/// was asked for, and for repairs and puts, which these servers have no use for.
std::vector<WriteResult> write(const std::shared_ptr<Servers>& servers, const WriteSpans& items,
                               const WriteOrder& order);
/// Each batch is carried out as it is submitted.
std::unique_ptr<WriteStream> start_writes(std::shared_ptr<Servers> servers);

}  // namespace ratectl::store::memcached
