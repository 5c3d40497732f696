// Where a replay counts: the servers, or memory for a dry run.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "commands/write/write_order.h"
#include "domain/limiter.h"
#include "domain/write.h"
#include "store/store.h"

namespace ratectl::commands::replay {

/// A key at most once a call; one answer an item, in order. Throws Failure where a call was not sent because it could
/// not be recorded.
class Target {
public:
    virtual ~Target() = default;
    virtual std::vector<store::LookAnswer> look(std::span<const domain::KeyAt> keys) = 0;
    virtual std::vector<store::WriteResult> count(std::span<const domain::CountItem> items) = 0;
    virtual std::vector<store::WriteResult> refund(std::span<const domain::RefundItem> items) = 0;
};

/// The operations that a replay is: requests are counted under one, given back under the other. To take a replay back,
/// undo the refunds first.
struct Operations {
    Orders counts;
    Orders refunds;
};
/// Looks at and writes to the primaries; every write is recorded, a row a request.
std::unique_ptr<Target> make_store_target(const Operations& operations, Context& context);
/// Begins without any window and forgets everything at its end.
std::unique_ptr<Target> make_memory_target(const domain::Limiter& limiter);

}  // namespace ratectl::commands::replay
