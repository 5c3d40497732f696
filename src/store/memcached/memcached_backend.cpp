// Hands each question to the part that answers it; what a memcached has no notion of is refused, or there is none.
#include "store/backend.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "store/memcached/answers.h"
#include "store/memcached/looks.h"
#include "store/replica_sightings.h"
#include "store/tasks.h"

namespace ratectl::store {
namespace {

[[noreturn]] void refuse_of_memcached(const std::string& what, const std::string& hint) {
    throw support::Failure(support::ExitCode::usage, what, hint);
}

asio::awaitable<void> report_one(std::shared_ptr<memcached::Servers> servers, std::shared_ptr<NodeReport> report,
                                 std::size_t server) {
    auto self = co_await servers->ask_self(server);
    if (self) {
        report->facts = std::move(self->facts);
    } else {
        report->facts = tl::make_unexpected(std::move(self.error().error));
    }
}

class MemcachedBackend final : public Backend {
public:
    MemcachedBackend(const Topology& topology, Options options, std::shared_ptr<redis::EventLoop> loop)
        : loop_(std::move(loop)),
          core_(std::make_shared<Core>(topology, std::move(options), *loop_, nullptr)),
          servers_(std::make_shared<memcached::Servers>(core_)) {}
    MemcachedBackend(const MemcachedBackend&) = delete;
    MemcachedBackend& operator=(const MemcachedBackend&) = delete;
    // Connections must die before the loop does; coroutines that were left behind die with the loop.
    ~MemcachedBackend() override {
        servers_->shut();
        loop_.reset();
    }

    const std::shared_ptr<Core>& core() const override { return core_; }
    void find_replicas(std::size_t /*shard*/) override {}
    std::optional<support::Error> unfit(std::string_view key) const override {
        return memcached::unfit_window(*servers_, key);
    }
    LookResult look(const LookQuestion& question) override { return memcached::look_once(servers_, question); }
    std::unique_ptr<LookStream> look_stream(LookOrder order) override {
        return memcached::stream_looks(servers_, std::move(order));
    }
    Holdings hold(const HoldingQuestion& /*question*/) override {
        refuse_of_memcached("a memcached has values of one type alone, which says nothing of what wrote them",
                            "`ratectl check KEY` shows what the predecessor's window holds");
    }
    std::vector<NameSample> sample_names(std::span<const std::size_t> shards, const domain::ReadFrom& /*from*/,
                                         std::size_t most) override {
        return memcached::sample_names(servers_, shards, most);
    }
    std::unique_ptr<ScanStream> scan(ScanQuestion question) override {
        return memcached::list_windows(servers_, std::move(question));
    }
    std::vector<WriteResult> write(const WriteSpans& items, const WriteOrder& order) override {
        return memcached::write(servers_, items, order);
    }
    std::unique_ptr<WriteStream> write_stream() override { return memcached::start_writes(servers_); }
    support::Result<domain::governor::LeaseAnswer> lease(std::size_t /*shard*/,
                                                         const domain::governor::LeaseCall& /*call*/) override {
        refuse_of_memcached("a memcached keeps no throttles that could be governed",
                            "name the Redis deployment of the throttles with -d or -u");
    }
    std::unique_ptr<ReplicaWatch> watch_replicas(std::span<const AwaitedCount> /*counts*/) override {
        refuse_of_memcached("a memcached has no replicas whose delay could be measured", "leave --probe out");
    }
    Records recall(std::size_t /*shard*/, std::span<const domain::SliceId> slices) override {
        return std::vector<std::optional<domain::OperationRecord>>(slices.size());
    }
    Records recall_undone(std::size_t /*shard*/, std::span<const domain::SliceId> slices) override {
        return std::vector<std::optional<domain::OperationRecord>>(slices.size());
    }
    FoundOperations find_operations(const std::optional<std::string>& /*operation*/) override {
        refuse_of_memcached("on memcached servers no write leaves an operation key",
                            "`ratectl history` shows what the journal of this machine has");
    }
    std::vector<NodeReport> node_reports(std::span<const std::size_t> shards, Trials /*trials*/) override {
        std::vector<std::size_t> asked(shards.begin(), shards.end());
        for (std::size_t i = 0; shards.empty() && i < core_->directory->places().size(); ++i) asked.push_back(i);
        std::vector<std::shared_ptr<NodeReport>> reports;
        Tasks tasks(core_);
        for (const auto shard : asked) {
            reports.push_back(std::make_shared<NodeReport>(
                NodeReport{core_->directory->primary(shard), tl::make_unexpected(core_->interrupted())}));
            tasks.add(report_one, servers_, reports.back(), shard);
        }
        tasks.finish_or_stop();
        std::vector<NodeReport> all;
        all.reserve(reports.size());
        for (const auto& report : reports) all.push_back(*report);
        return all;
    }

private:
    std::shared_ptr<redis::EventLoop> loop_;
    std::shared_ptr<Core> core_;
    std::shared_ptr<memcached::Servers> servers_;
};

}  // namespace

std::unique_ptr<Backend> memcached_backend(const Topology& topology, Options options,
                                           std::shared_ptr<redis::EventLoop> loop) {
    return std::make_unique<MemcachedBackend>(topology, std::move(options), std::move(loop));
}

}  // namespace ratectl::store
