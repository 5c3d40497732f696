// The public face: hands each question to the part that answers it.
#include "store/store.h"

#include <utility>

#include <fmt/format.h>

#include "redis/connection.h"
#include "redis/event_loop.h"
#include "store/core.h"
#include "store/discover.h"
#include "store/look.h"
#include "store/node_facts.h"
#include "store/operations.h"
#include "store/scan_stream.h"
#include "store/writes.h"

namespace ratectl::store {

class Store::Impl {
public:
    Impl(Topology topology, Options options, std::shared_ptr<redis::EventLoop> its_loop,
         std::shared_ptr<redis::Connector> connector)
        : loop(std::move(its_loop)),
          core(std::make_shared<Core>(std::move(topology), std::move(options), *loop, std::move(connector))) {}
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

template <class Item>
using CallMaker = redis::ScriptCall (schemes::Scheme::*)(std::span<const Item* const>, const schemes::CallHead&) const;

template <class Item>
std::vector<WriteResult> write_items(const std::shared_ptr<Core>& core, domain::WriteKind kind,
                                     std::span<const Item> items, const WriteOrder& order, CallMaker<Item> make_call,
                                     const std::function<std::string(const Item&)>& asked) {
    WriteRequest request;
    request.kind = kind;
    request.items = items.size();
    request.order = &order;
    request.at = [items](std::size_t i) -> const KeyAt& { return items[i].at; };
    request.asked = [items, &asked](std::size_t i) { return asked(items[i]); };
    request.call = [&core, items, make_call](std::span<const std::size_t> chosen, const schemes::CallHead& head) {
        std::vector<const Item*> of_call;
        of_call.reserve(chosen.size());
        for (const std::size_t i : chosen) of_call.push_back(&items[i]);
        return (*core->scheme.*make_call)(of_call, head);
    };
    return write(core, request);
}

}  // namespace

Store::Store(Topology topology, Options options) {
    auto loop = std::make_shared<redis::EventLoop>(options.stop);
    auto connector = real_connector(*loop, topology, options);
    impl_ = std::make_unique<Impl>(std::move(topology), std::move(options), std::move(loop), std::move(connector));
}

Store::Store(Topology topology, Options options, std::shared_ptr<redis::EventLoop> loop,
             std::shared_ptr<redis::Connector> connector)
    : impl_(std::make_unique<Impl>(std::move(topology), std::move(options), std::move(loop), std::move(connector))) {}

Store::~Store() = default;

const std::vector<domain::Node>& Store::nodes(std::size_t shard) {
    const std::size_t asked[] = {shard};
    discover(impl_->core, asked);
    return impl_->core->nodes.at(shard);
}

std::vector<LookAnswer> Store::look(const LookQuestion& question) {
    auto result = look_at(impl_->core, question);
    impl_->look_failures = std::move(result.failures);
    return std::move(result.answers);
}

const std::vector<NodeFailure>& Store::look_failures() const { return impl_->look_failures; }

std::unique_ptr<LookStream> Store::look_stream(LookOrder order) { return start_looks(impl_->core, std::move(order)); }

std::unique_ptr<ScanStream> Store::scan(ScanQuestion question) { return start_scan(impl_->core, std::move(question)); }

std::vector<WriteResult> Store::count(std::span<const CountItem> items, const WriteOrder& order) {
    return write_items<CountItem>(impl_->core, domain::WriteKind::count, items, order, &schemes::Scheme::count_call,
                                  [](const CountItem& item) { return fmt::format("{}", item.amount); });
}

std::vector<WriteResult> Store::refund(std::span<const RefundItem> items, const WriteOrder& order) {
    return write_items<RefundItem>(
        impl_->core, domain::WriteKind::refund, items, order, &schemes::Scheme::refund_call,
        [](const RefundItem& item) { return fmt::format("{} {}", item.amount, item.clamp ? "clamp" : "exact"); });
}

std::vector<WriteResult> Store::reset(std::span<const ResetItem> items, const WriteOrder& order) {
    return write_items<ResetItem>(impl_->core, domain::WriteKind::reset, items, order, &schemes::Scheme::reset_call,
                                  [](const ResetItem&) { return std::string(); });
}

std::vector<WriteResult> Store::restore(std::span<const RestoreItem> items, const WriteOrder& order) {
    return write_items<RestoreItem>(
        impl_->core, domain::WriteKind::restore, items, order, &schemes::Scheme::restore_call,
        [](const RestoreItem& item) { return std::string(item.merge ? "merge" : "exact"); });
}

std::vector<WriteResult> Store::repair(std::span<const RepairItem> items, const WriteOrder& order) {
    return write_items<RepairItem>(impl_->core, domain::WriteKind::repair, items, order,
                                   &schemes::Scheme::repair_call, [](const RepairItem& item) {
                                       return fmt::format("{} {}", item.wanted.counter_ms.value_or(-1),
                                                          item.wanted.expiry_ms.value_or(-1));
                                   });
}

support::Result<std::vector<std::optional<domain::OperationRecord>>> Store::recall(
    std::size_t shard, std::span<const domain::SliceId> slices) {
    return recall_operations(impl_->core, shard, slices);
}

FoundOperations Store::find_operations(const std::optional<std::string>& operation) {
    return sweep_for_operations(impl_->core, operation);
}

std::vector<NodeReport> Store::node_reports(std::span<const std::size_t> shards, bool rights) {
    return report_nodes(impl_->core, shards, rights);
}

}  // namespace ratectl::store
