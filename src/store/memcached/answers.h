// What answers the questions that the backend for memcached hands on, beside looks: listings of windows
// (`lru_crawler metadump` names the keys, `gets` shows what they hold), and writes of many of them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "store/backend.h"
#include "store/memcached/servers.h"

namespace ratectl::store::memcached {

/// One server after the other, as the crawler comes to its items: a window that is used meanwhile may be named twice,
/// and is shown once. It names what has expired, too, as long as that lies about; what a look does not find is left
/// out. A window is of the shard that has its counter, wherever its second key was named.
std::unique_ptr<ScanStream> list_windows(const std::shared_ptr<Servers>& servers, ScanQuestion question);

/// Names as the crawler comes to them; a server that fails is said so in its sample.
std::vector<NameSample> sample_names(const std::shared_ptr<Servers>& servers, std::span<const std::size_t> shards,
                                     std::size_t most);

/// As Store::count() and its like. No operation key is left, and nothing waits for replicas: Failure (usage) where that
/// was asked for, and for repairs and puts, which these servers have no use for.
std::vector<WriteResult> write(const std::shared_ptr<Servers>& servers, const WriteSpans& items,
                               const WriteOrder& order);
/// Each batch is carried out as it is submitted.
std::unique_ptr<WriteStream> start_writes(std::shared_ptr<Servers> servers);

}  // namespace ratectl::store::memcached
