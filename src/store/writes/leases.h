// Leases of governors.
#pragma once

#include <memory>

#include "domain/governor/lease.h"
#include "store/core.h"

namespace ratectl::store {

/// See Store::lease().
support::Result<domain::governor::LeaseAnswer> call_lease(const std::shared_ptr<Core>& core, std::size_t shard,
                                                          const domain::governor::LeaseCall& call);

}  // namespace ratectl::store
