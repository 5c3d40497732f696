// The public face: hands each question to the part that answers it.
#include "store/store.h"

#include <utility>

#include "redis/connection.h"
#include "redis/event_loop.h"
#include "store/core.h"
#include "store/discover.h"
#include "store/look.h"
#include "store/node_facts.h"
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
WriteRequest write_request(std::string_view name, std::span<const Item> items, const WriteOrder& order,
                           std::function<redis::ScriptCall(std::span<const Item* const>)> make_call) {
    WriteRequest request;
    request.name = name;
    request.items = items.size();
    request.order = &order;
    request.at = [items](std::size_t i) -> const KeyAt& { return items[i].at; };
    request.call = [items, make_call = std::move(make_call)](std::span<const std::size_t> chosen) {
        std::vector<const Item*> of_call;
        of_call.reserve(chosen.size());
        for (const std::size_t i : chosen) of_call.push_back(&items[i]);
        return make_call(of_call);
    };
    return request;
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

std::unique_ptr<ScanStream> Store::scan(ScanQuestion question) { return start_scan(impl_->core, std::move(question)); }

std::vector<WriteResult> Store::count(std::span<const CountItem> items, const WriteOrder& order) {
    const auto& scheme = *impl_->core->scheme;
    return write(impl_->core, write_request<CountItem>("RATE", items, order,
                                                       [&](auto of_call) { return scheme.count_call(of_call, {}); }));
}

std::vector<WriteResult> Store::refund(std::span<const RefundItem> items, const WriteOrder& order) {
    const auto& scheme = *impl_->core->scheme;
    return write(impl_->core, write_request<RefundItem>("REFUND", items, order,
                                                        [&](auto of_call) { return scheme.refund_call(of_call, {}); }));
}

std::vector<WriteResult> Store::reset(std::span<const ResetItem> items, const WriteOrder& order) {
    const auto& scheme = *impl_->core->scheme;
    return write(impl_->core, write_request<ResetItem>("RESET", items, order,
                                                       [&](auto of_call) { return scheme.reset_call(of_call, {}); }));
}

std::vector<NodeReport> Store::node_reports(std::span<const std::size_t> shards) {
    return report_nodes(impl_->core, shards);
}

}  // namespace ratectl::store
