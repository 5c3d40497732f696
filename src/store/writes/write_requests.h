// Each kind of item as a list of writes that the rest of the store need not tell apart.
#pragma once

#include <span>

#include "store/writes/writes.h"

namespace ratectl::store {

/// The items outlive the request.
WriteRequest request_for(const std::shared_ptr<Core>& core, std::span<const CountItem> items);
WriteRequest request_for(const std::shared_ptr<Core>& core, std::span<const RefundItem> items);
WriteRequest request_for(const std::shared_ptr<Core>& core, std::span<const ResetItem> items);
WriteRequest request_for(const std::shared_ptr<Core>& core, std::span<const RestoreItem> items);
WriteRequest request_for(const std::shared_ptr<Core>& core, std::span<const RepairItem> items);

}  // namespace ratectl::store
