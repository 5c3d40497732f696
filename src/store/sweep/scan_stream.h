// The sweep over every window: one coroutine a node that is read, pages through a small queue.
#pragma once

#include <memory>

#include "store/core.h"

namespace ratectl::store {

std::unique_ptr<ScanStream> start_scan(const std::shared_ptr<Core>& core, ScanQuestion question);

}  // namespace ratectl::store
