// The Store: hands each question to the part that answers it.
#include "store/store.h"

#include <algorithm>
#include <utility>

#include <asio/steady_timer.hpp>

#include "redis/connection.h"
#include "redis/event_loop.h"
#include "schemes/operation_key.h"
#include "store/core.h"
#include "store/looks/holdings.h"
#include "store/looks/look.h"
#include "store/nodes/node_facts.h"
#include "store/nodes/replica_watch.h"
#include "store/nodes/sources.h"
#include "store/replica_sightings.h"
#include "store/sweep/scan_stream.h"
#include "store/writes/leases.h"
#include "store/writes/operations.h"
#include "store/writes/writes.h"

namespace ratectl::store {

class Store::Impl {
public:
    Impl(const Topology& topology, Options options, std::shared_ptr<redis::EventLoop> its_loop,
         std::shared_ptr<redis::Connector> connector)
        : loop(std::move(its_loop)),
          core(std::make_shared<Core>(topology, std::move(options), *loop, std::move(connector))) {}
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    // Channels must die before the loop does; coroutines that were left behind die with the loop, and hold the core.
    ~Impl() {
        core->pool.shut();
        loop.reset();
    }

    std::shared_ptr<redis::EventLoop> loop;
    std::shared_ptr<Core> core;
    std::vector<NodeFailure> look_failures;
};

namespace {

std::shared_ptr<redis::Connector> real_connector(redis::EventLoop& loop, const Topology& topology,
                                                 const Options& options) {
    redis::ConnectionOptions connection;
    connection.tls = topology.tls;
    connection.wall_clock = options.wall_clock;
    connection.notice = options.notice;
    return redis::make_connector(loop, std::move(connection));
}

}  // namespace

Store::Store(const Topology& topology, Options options) {
    auto loop = std::make_shared<redis::EventLoop>(options.stop);
    loop->end_by(options.deadline);
    auto connector = real_connector(*loop, topology, options);
    impl_ = std::make_unique<Impl>(topology, std::move(options), std::move(loop), std::move(connector));
}

Store::Store(const Topology& topology, Options options, std::shared_ptr<redis::EventLoop> loop,
             std::shared_ptr<redis::Connector> connector)
    : impl_(std::make_unique<Impl>(topology, std::move(options), std::move(loop), std::move(connector))) {}

Store::~Store() = default;

const Directory& Store::directory() const { return *impl_->core->directory; }

const std::vector<domain::Node>& Store::nodes(std::size_t shard) {
    const std::size_t asked[] = {shard};
    find_nodes(impl_->core, asked, true);
    return impl_->core->directory->nodes(shard);
}

std::vector<LookAnswer> Store::look(const LookQuestion& question) {
    auto result = look_at(impl_->core, question);
    impl_->look_failures = std::move(result.failures);
    return std::move(result.answers);
}

const std::vector<NodeFailure>& Store::look_failures() const { return impl_->look_failures; }

std::unique_ptr<LookStream> Store::look_stream(LookOrder order) { return start_looks(impl_->core, std::move(order)); }

std::vector<HoldingAnswer> Store::hold(const HoldingQuestion& question) {
    auto result = hold_keys(impl_->core, question);
    impl_->look_failures = std::move(result.failures);
    return std::move(result.answers);
}

std::vector<NameSample> Store::sample_names(std::span<const std::size_t> shards, const domain::ReadFrom& from,
                                            std::size_t most) {
    return store::sample_names(impl_->core, shards, from, most);
}

std::unique_ptr<ScanStream> Store::scan(ScanQuestion question) { return start_scan(impl_->core, std::move(question)); }

std::vector<WriteResult> Store::count(std::span<const CountItem> items, const WriteOrder& order) {
    return write(impl_->core, request_for(impl_->core, items), order);
}

std::vector<WriteResult> Store::refund(std::span<const RefundItem> items, const WriteOrder& order) {
    return write(impl_->core, request_for(impl_->core, items), order);
}

std::vector<WriteResult> Store::reset(std::span<const ResetItem> items, const WriteOrder& order) {
    return write(impl_->core, request_for(impl_->core, items), order);
}

std::vector<WriteResult> Store::restore(std::span<const RestoreItem> items, const WriteOrder& order) {
    return write(impl_->core, request_for(impl_->core, items), order);
}

std::vector<WriteResult> Store::repair(std::span<const RepairItem> items, const WriteOrder& order) {
    return write(impl_->core, request_for(impl_->core, items), order);
}

std::vector<WriteResult> Store::put(std::span<const PutItem> items, const WriteOrder& order) {
    return write(impl_->core, request_for(impl_->core, items), order);
}

support::Result<domain::governor::LeaseAnswer> Store::lease(std::size_t shard,
                                                            const domain::governor::LeaseCall& call) {
    return call_lease(impl_->core, shard, call);
}

std::unique_ptr<ReplicaWatch> Store::watch_replicas(std::span<const AwaitedCount> counts) {
    return start_watch(impl_->core, counts);
}

void Store::pause(support::Milliseconds length, const std::function<bool()>& enough) {
    const auto& core = *impl_->core;
    auto until = std::chrono::steady_clock::now() + length;
    if (core.options.deadline) until = std::min(until, *core.options.deadline);
    asio::steady_timer timer(core.loop.executor(), until);
    const auto passed = std::make_shared<bool>(false);  // the handler may run when we are gone
    timer.async_wait([passed](std::error_code) { *passed = true; });
    core.loop.run_until([&] { return *passed || core.stopping() || (enough && enough()); });
}

std::unique_ptr<WriteStream> Store::write_stream() { return start_writes(impl_->core); }

support::Result<std::vector<std::optional<domain::OperationRecord>>> Store::recall(
    std::size_t shard, std::span<const domain::SliceId> slices) {
    return recall_operations(impl_->core, shard, slices, schemes::operation_key);
}

support::Result<std::vector<std::optional<domain::OperationRecord>>> Store::recall_undone(
    std::size_t shard, std::span<const domain::SliceId> slices) {
    return recall_operations(impl_->core, shard, slices, schemes::undone_key);
}

FoundOperations Store::find_operations(const std::optional<std::string>& operation) {
    return sweep_for_operations(impl_->core, operation);
}

std::vector<NodeReport> Store::node_reports(std::span<const std::size_t> shards, bool rights) {
    return report_nodes(impl_->core, shards, rights);
}

}  // namespace ratectl::store
