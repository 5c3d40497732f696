// The backend for Redis: hands each question to the part that answers it.
#include <utility>

#include "redis/channel.h"
#include "redis/event_loop.h"
#include "schemes/operation_key.h"
#include "store/backend.h"
#include "store/cluster/questions.h"
#include "store/looks/look.h"
#include "store/nodes/replica_watch.h"
#include "store/nodes/sources.h"
#include "store/redis_answers.h"
#include "store/replica_sightings.h"
#include "store/tasks.h"
#include "store/writes/writes.h"

namespace ratectl::store {
namespace {

class RedisBackend final : public Backend {
public:
    RedisBackend(const Topology& topology, Options options, std::shared_ptr<redis::EventLoop> loop,
                 std::shared_ptr<redis::Connector> connector)
        : loop_(std::move(loop)),
          core_(std::make_shared<Core>(topology, std::move(options), *loop_, std::move(connector))) {
        if (!core_->directory->knows_places()) find_places();
        find_nodes(core_, {}, false);  // where another server tells of primaries, before any of them is named
    }
    RedisBackend(const RedisBackend&) = delete;
    RedisBackend& operator=(const RedisBackend&) = delete;
    // Channels must die before the loop does; coroutines that were left behind die with the loop, and hold the core.
    ~RedisBackend() override {
        core_->pool.shut();
        loop_.reset();
    }

    const std::shared_ptr<Core>& core() const override { return core_; }
    void find_replicas(std::size_t shard) override {
        const std::size_t asked[] = {shard};
        find_nodes(core_, asked, true);
    }
    std::optional<support::Error> unfit(std::string_view key) const override { return core_->scattered(key); }
    LookResult look(const LookQuestion& question) override { return look_at(core_, question); }
    std::unique_ptr<LookStream> look_stream(LookOrder order) override { return start_looks(core_, std::move(order)); }
    Holdings hold(const HoldingQuestion& question) override { return hold_keys(core_, question); }
    std::vector<NameSample> sample_names(std::span<const std::size_t> shards, const domain::ReadFrom& from,
                                         std::size_t most) override {
        return store::sample_names(core_, shards, from, most);
    }
    std::unique_ptr<ScanStream> scan(ScanQuestion question) override { return start_scan(core_, std::move(question)); }
    std::vector<WriteResult> write(const WriteSpans& items, const WriteOrder& order) override {
        return store::write(core_, std::visit([this](const auto& list) { return request_for(core_, list); }, items),
                            order);
    }
    std::unique_ptr<WriteStream> write_stream() override { return start_writes(core_); }
    support::Result<domain::governor::LeaseAnswer> lease(std::size_t shard,
                                                         const domain::governor::LeaseCall& call) override {
        return call_lease(core_, shard, call);
    }
    std::unique_ptr<ReplicaWatch> watch_replicas(std::span<const AwaitedCount> counts) override {
        return start_watch(core_, counts);
    }
    Records recall(std::size_t shard, std::span<const domain::SliceId> slices) override {
        return recall_operations(core_, shard, slices, schemes::operation_key);
    }
    Records recall_undone(std::size_t shard, std::span<const domain::SliceId> slices) override {
        return recall_operations(core_, shard, slices, schemes::undone_key);
    }
    FoundOperations find_operations(const std::optional<std::string>& operation) override {
        return sweep_for_operations(core_, operation);
    }
    std::vector<NodeReport> node_reports(std::span<const std::size_t> shards, Trials trials) override {
        return report_nodes(core_, shards, trials);
    }
    std::vector<std::optional<int>> await_replicas(std::span<const KeyAt> keys, const WriteOrder& order) override {
        return store::await_replicas(core_, keys, order);
    }
    OpenSlots open_slots() override { return find_open_slots(core_); }
    StrandedWindows stranded(std::span<const std::uint16_t> slots) override { return find_stranded(core_, slots); }
    std::vector<FoundKey> find_keys(std::span<const KeyAt> keys) override { return store::find_keys(core_, keys); }

private:
    void find_places() const {
        Tasks tasks(core_);
        tasks.add(&Directory::find_places, core_->directory, core_);
        if (!tasks.finish_or_stop()) throw support::Failure(core_->interrupted());
    }

    std::shared_ptr<redis::EventLoop> loop_;
    std::shared_ptr<Core> core_;
};

}  // namespace

std::unique_ptr<Backend> redis_backend(const Topology& topology, Options options,
                                       std::shared_ptr<redis::EventLoop> loop,
                                       std::shared_ptr<redis::Connector> connector) {
    return std::make_unique<RedisBackend>(topology, std::move(options), std::move(loop), std::move(connector));
}

}  // namespace ratectl::store
