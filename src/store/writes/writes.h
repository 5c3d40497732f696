// Writes in script calls, all shards at once: each applied exactly once, or honest about what is not known.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "domain/operation.h"
#include "redis/script.h"
#include "schemes/scheme.h"
#include "store/core.h"

namespace ratectl::store {

/// One kind of write over a list of items.
struct WriteRequest {
    domain::WriteKind kind = domain::WriteKind::count;
    std::size_t items = 0;
    std::function<const KeyAt&(std::size_t item)> at;
    std::function<std::string(std::size_t item)> asked;  // beside the key: what makes one such write another one
    /// What halves expire at once the item is applied, which no answer repeats; empty: the kind is not about that.
    std::function<domain::Expiries(std::size_t item)> wanted;
    std::function<redis::ScriptCall(std::span<const std::size_t> items, const schemes::CallHead& head)> call;
    const WriteOrder* order = nullptr;
};

/// One result an item, in order.
std::vector<WriteResult> write(const std::shared_ptr<Core>& core, WriteRequest request, const WriteOrder& order);
std::unique_ptr<WriteStream> start_writes(std::shared_ptr<Core> core);

/// Each kind of item as a list of writes that the rest of the store need not tell apart. The items outlive the request.
WriteRequest request_for(const std::shared_ptr<Core>& core, std::span<const CountItem> items);
WriteRequest request_for(const std::shared_ptr<Core>& core, std::span<const RefundItem> items);
WriteRequest request_for(const std::shared_ptr<Core>& core, std::span<const ResetItem> items);
WriteRequest request_for(const std::shared_ptr<Core>& core, std::span<const RestoreItem> items);
WriteRequest request_for(const std::shared_ptr<Core>& core, std::span<const RepairItem> items);
WriteRequest request_for(const std::shared_ptr<Core>& core, std::span<const PutItem> items);

}  // namespace ratectl::store
