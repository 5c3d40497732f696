// What a store is made of: the answers to its questions, in the protocol of the servers that hold the windows.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "store/core.h"
#include "store/found_operations.h"
#include "store/looks/look.h"
#include "store/store.h"
#include "store/stranded.h"

namespace ratectl::store {

/// The items of one write, all of one kind, where they are.
using WriteSpans = std::variant<std::span<const CountItem>, std::span<const RefundItem>, std::span<const ResetItem>,
                                std::span<const RestoreItem>, std::span<const RepairItem>, std::span<const PutItem>>;

/// Each function is as Store has it. What its servers have no notion of ends in a Failure (usage) that says so.
class Backend {
public:
    using Records = support::Result<std::vector<std::optional<domain::OperationRecord>>>;

    virtual ~Backend() = default;

    /// As long as the backend.
    virtual const std::shared_ptr<Core>& core() const = 0;
    virtual void find_replicas(std::size_t shard) = 0;
    virtual std::optional<support::Error> unfit(std::string_view /*key*/) const { return std::nullopt; }
    virtual LookResult look(const LookQuestion& question) = 0;
    virtual std::unique_ptr<LookStream> look_stream(LookOrder order) = 0;
    struct Holdings {
        std::vector<HoldingAnswer> answers;
        std::vector<NodeFailure> failures;  // nodes in whose place another one answered
    };
    virtual Holdings hold(const HoldingQuestion& question) = 0;
    virtual std::vector<NameSample> sample_names(std::span<const std::size_t> shards, const domain::ReadFrom& from,
                                                 std::size_t most) = 0;
    virtual std::unique_ptr<ScanStream> scan(ScanQuestion question) = 0;
    virtual std::vector<WriteResult> write(const WriteSpans& items, const WriteOrder& order) = 0;
    virtual std::unique_ptr<WriteStream> write_stream() = 0;
    virtual support::Result<domain::governor::LeaseAnswer> lease(std::size_t shard,
                                                                 const domain::governor::LeaseCall& call) = 0;
    virtual std::unique_ptr<ReplicaWatch> watch_replicas(std::span<const AwaitedCount> counts) = 0;
    virtual Records recall(std::size_t shard, std::span<const domain::SliceId> slices) = 0;
    virtual Records recall_undone(std::size_t shard, std::span<const domain::SliceId> slices) = 0;
    virtual FoundOperations find_operations(const std::optional<std::string>& operation) = 0;
    virtual std::vector<NodeReport> node_reports(std::span<const std::size_t> shards, Trials trials) = 0;
    virtual std::vector<std::optional<int>> await_replicas(std::span<const KeyAt> keys, const WriteOrder& /*order*/) {
        return std::vector<std::optional<int>>(keys.size());
    }
    virtual OpenSlots open_slots() { return {}; }
    virtual StrandedWindows stranded(std::span<const std::uint16_t> /*slots*/) { return {}; }
    virtual std::vector<FoundKey> find_keys(std::span<const KeyAt> keys) {
        std::vector<FoundKey> found;
        for (const KeyAt& key : keys) found.push_back({key, {}});
        return found;
    }
};

/// The loop outlives the backend's last coroutine: it dies with it.
std::unique_ptr<Backend> redis_backend(const Topology& topology, Options options,
                                       std::shared_ptr<redis::EventLoop> loop,
                                       std::shared_ptr<redis::Connector> connector);

/// The windows of a topology whose every server speaks memcached's text protocol. What only Redis has (scripts,
/// replicas, operation keys, values of other types) ends in a Failure (usage), or there is none of it.
std::unique_ptr<Backend> memcached_backend(const Topology& topology, Options options,
                                           std::shared_ptr<redis::EventLoop> loop);

}  // namespace ratectl::store
