// Work that waits for a disk, done by another thread while this one goes on talking to the servers.
#pragma once

#include <functional>

#include "redis/event_loop.h"

namespace ratectl::store {

/// Returns when the work is done; throws what it throws. The caller runs nothing but the loop meanwhile.
void run_off_loop(redis::EventLoop& loop, const std::function<void()>& work);

}  // namespace ratectl::store
