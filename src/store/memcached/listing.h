// Lists the windows of memcached servers: `lru_crawler metadump` names the keys, `gets` shows what they hold.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "store/memcached/servers.h"

namespace ratectl::store::memcached {

/// One server after the other, as the crawler comes to its items: a window that is used meanwhile may be named twice,
/// and is shown once. It names what has expired, too, as long as that lies about; what a look does not find is left
/// out. A window is of the shard that has its counter, wherever its second key was named.
std::unique_ptr<ScanStream> list_windows(const std::shared_ptr<Servers>& servers, ScanQuestion question);

/// Names as the crawler comes to them; a server that fails is said so in its sample.
std::vector<NameSample> sample_names(const std::shared_ptr<Servers>& servers, std::span<const std::size_t> shards,
                                     std::size_t most);

}  // namespace ratectl::store::memcached
