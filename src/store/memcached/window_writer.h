// Writes one window that memcached servers hold: key by key, each only while it is what a look has just shown.
#pragma once

#include <memory>

#include <asio/awaitable.hpp>

#include "store/memcached/looks.h"

namespace ratectl::store::memcached {

/// What a write of one window shares with others: nothing.
struct Task {
    std::shared_ptr<Servers> servers;
    std::string what;  // `increment ID.3`, for messages
};

// Each step is one command that is carried out only while the key has the version that was looked at, so what another
// program does in between is never overwritten: then the window is looked at again, and judged anew. The order of the
// two steps is such that a crash between them leaves what the limiter itself puts right:
//   opening    :reset_at first, the counter last: until then nothing is counted, and a request begins at 1
//   counting   the counter alone; a window that is over gets its counter first, and the limiter ignores both until
//              :reset_at is new
//   removing   the counter first: a request in between counts from 1 in the old window
//   restoring  :reset_at first, as for opening
// A reply that is lost is cleared up where that can be done for sure: an addition of 0 under the old version is done
// only if the lost command has not been, and then never can be. Else the outcome is unknown.
asio::awaitable<WriteResult> write_window(Task task, CountItem item);
asio::awaitable<WriteResult> write_window(Task task, RefundItem item);
asio::awaitable<WriteResult> write_window(Task task, ResetItem item);
asio::awaitable<WriteResult> write_window(Task task, RestoreItem item);

}  // namespace ratectl::store::memcached
