// What answers the questions that the backend for Redis hands on; each is in the file that has its name.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "domain/governor/lease.h"
#include "store/backend.h"

namespace ratectl::store {

/// The sweep over every window: one coroutine a node that is read, pages through a small queue.
std::unique_ptr<ScanStream> start_scan(const std::shared_ptr<Core>& core, ScanQuestion question);

/// What keys hold, whatever wrote them: bounded reads of their type, their time to live and the beginning of their
/// value.
Backend::Holdings hold_keys(const std::shared_ptr<Core>& core, const HoldingQuestion& question);
std::vector<NameSample> sample_names(const std::shared_ptr<Core>& core, std::span<const std::size_t> shards,
                                     const domain::ReadFrom& from, std::size_t most);

/// One report a node of these shards (empty: of all), in their order, primary first; asked all at once.
std::vector<NodeReport> report_nodes(const std::shared_ptr<Core>& core, std::span<const std::size_t> shards,
                                     Trials trials);

/// Of governors; see Store::lease().
support::Result<domain::governor::LeaseAnswer> call_lease(const std::shared_ptr<Core>& core, std::size_t shard,
                                                          const domain::governor::LeaseCall& call);

// ---- operation keys on the servers: those of one operation, or all there are

/// operation_key() or undone_key().
using RecordName = std::string (*)(const domain::SliceId&);

/// See Store::recall() and recall_undone().
support::Result<std::vector<std::optional<domain::OperationRecord>>> recall_operations(
    const std::shared_ptr<Core>& core, std::size_t shard, std::span<const domain::SliceId> slices, RecordName name_of);

/// See Store::find_operations().
FoundOperations sweep_for_operations(const std::shared_ptr<Core>& core, const std::optional<std::string>& operation);

}  // namespace ratectl::store
