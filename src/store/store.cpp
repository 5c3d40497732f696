// The Store: hands each question to the backend of the servers' protocol.
#include "store/store.h"

#include <algorithm>
#include <utility>

#include <asio/steady_timer.hpp>

#include "redis/connection.h"
#include "redis/event_loop.h"
#include "store/backend.h"
#include "store/replica_sightings.h"

namespace ratectl::store {

class Store::Impl {
public:
    std::unique_ptr<Backend> backend;
    std::vector<NodeFailure> look_failures;
};

namespace {

std::shared_ptr<redis::Connector> real_connector(redis::EventLoop& loop, const Topology& topology,
                                                 const Options& options) {
    redis::ConnectionOptions connection;
    connection.tls = topology.tls;
    connection.shard_tls = topology.shard_tls;
    if (topology.directory->has_slots()) connection.wanted = redis::Peer::cluster_node;
    connection.wall_clock = options.wall_clock;
    connection.notice = options.notice;
    return redis::make_connector(loop, std::move(connection));
}

bool speaks_memcached(const Topology& topology) {
    const auto& places = topology.directory->places();
    return !places.empty() && places.front().primary.protocol == domain::Protocol::memcached;
}

}  // namespace

Store::Store(const Topology& topology, Options options) : impl_(std::make_unique<Impl>()) {
    auto loop = std::make_shared<redis::EventLoop>(options.stop);
    loop->end_by(options.deadline);
    if (speaks_memcached(topology)) {
        impl_->backend = memcached_backend(topology, std::move(options), std::move(loop));
        return;
    }
    auto connector = real_connector(*loop, topology, options);
    impl_->backend = redis_backend(topology, std::move(options), std::move(loop), std::move(connector));
}

Store::Store(const Topology& topology, Options options, std::shared_ptr<redis::EventLoop> loop,
             std::shared_ptr<redis::Connector> connector)
    : impl_(std::make_unique<Impl>()) {
    impl_->backend = redis_backend(topology, std::move(options), std::move(loop), std::move(connector));
}

Store::~Store() = default;

const Directory& Store::directory() const { return *impl_->backend->core()->directory; }

const std::vector<domain::Node>& Store::nodes(std::size_t shard) {
    impl_->backend->find_replicas(shard);
    return impl_->backend->core()->directory->nodes(shard);
}

std::vector<FoundKey> Store::find_keys(std::span<const KeyAt> keys) { return impl_->backend->find_keys(keys); }

std::optional<support::Error> Store::unfit(std::string_view key) const { return impl_->backend->unfit(key); }

std::vector<LookAnswer> Store::look(const LookQuestion& question) {
    auto result = impl_->backend->look(question);
    impl_->look_failures = std::move(result.failures);
    return std::move(result.answers);
}

const std::vector<NodeFailure>& Store::look_failures() const { return impl_->look_failures; }

std::unique_ptr<LookStream> Store::look_stream(LookOrder order) {
    return impl_->backend->look_stream(std::move(order));
}

std::vector<HoldingAnswer> Store::hold(const HoldingQuestion& question) {
    auto result = impl_->backend->hold(question);
    impl_->look_failures = std::move(result.failures);
    return std::move(result.answers);
}

std::vector<NameSample> Store::sample_names(std::span<const std::size_t> shards, const domain::ReadFrom& from,
                                            std::size_t most) {
    return impl_->backend->sample_names(shards, from, most);
}

std::unique_ptr<ScanStream> Store::scan(ScanQuestion question) { return impl_->backend->scan(std::move(question)); }

std::vector<WriteResult> Store::count(std::span<const CountItem> items, const WriteOrder& order) {
    return impl_->backend->write(items, order);
}

std::vector<WriteResult> Store::refund(std::span<const RefundItem> items, const WriteOrder& order) {
    return impl_->backend->write(items, order);
}

std::vector<WriteResult> Store::reset(std::span<const ResetItem> items, const WriteOrder& order) {
    return impl_->backend->write(items, order);
}

std::vector<WriteResult> Store::restore(std::span<const RestoreItem> items, const WriteOrder& order) {
    return impl_->backend->write(items, order);
}

std::vector<WriteResult> Store::repair(std::span<const RepairItem> items, const WriteOrder& order) {
    return impl_->backend->write(items, order);
}

std::vector<WriteResult> Store::put(std::span<const PutItem> items, const WriteOrder& order) {
    return impl_->backend->write(items, order);
}

support::Result<domain::governor::LeaseAnswer> Store::lease(std::size_t shard,
                                                            const domain::governor::LeaseCall& call) {
    return impl_->backend->lease(shard, call);
}

std::unique_ptr<ReplicaWatch> Store::watch_replicas(std::span<const AwaitedCount> counts) {
    return impl_->backend->watch_replicas(counts);
}

void Store::pause(support::Milliseconds length, const std::function<bool()>& enough) {
    const auto& core = *impl_->backend->core();
    auto until = std::chrono::steady_clock::now() + length;
    if (core.options.deadline) until = std::min(until, *core.options.deadline);
    asio::steady_timer timer(core.loop.executor(), until);
    const auto passed = std::make_shared<bool>(false);  // the handler may run when we are gone
    timer.async_wait([passed](std::error_code) { *passed = true; });
    core.loop.run_until([&] { return *passed || core.stopping() || (enough && enough()); });
}

std::unique_ptr<WriteStream> Store::write_stream() { return impl_->backend->write_stream(); }

support::Result<std::vector<std::optional<domain::OperationRecord>>> Store::recall(
    std::size_t shard, std::span<const domain::SliceId> slices) {
    return impl_->backend->recall(shard, slices);
}

support::Result<std::vector<std::optional<domain::OperationRecord>>> Store::recall_undone(
    std::size_t shard, std::span<const domain::SliceId> slices) {
    return impl_->backend->recall_undone(shard, slices);
}

FoundOperations Store::find_operations(const std::optional<std::string>& operation) {
    return impl_->backend->find_operations(operation);
}

std::vector<NodeReport> Store::node_reports(std::span<const std::size_t> shards, Trials trials) {
    return impl_->backend->node_reports(shards, trials);
}

std::vector<std::optional<int>> Store::await_replicas(std::span<const KeyAt> keys, const WriteOrder& order) {
    return impl_->backend->await_replicas(keys, order);
}

OpenSlots Store::open_slots() { return impl_->backend->open_slots(); }

StrandedWindows Store::stranded(std::span<const std::uint16_t> slots) { return impl_->backend->stranded(slots); }

}  // namespace ratectl::store
