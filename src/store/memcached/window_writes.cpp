// Cuts writes into slices, tells the observer, and writes the windows of a slice a few at a time.
#include "store/memcached/answers.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "store/memcached/window_writer.h"
#include "store/tasks.h"
#include "store/writes/slices.h"
#include "store/writes/write_results.h"

namespace ratectl::store::memcached {

// A coroutine holds it, so it is no file's own.
/// The windows of one slice, and those who write them: each takes the next one.
template <class Item>
struct SliceWork {
    std::shared_ptr<Servers> servers;
    std::vector<std::pair<std::size_t, Item>> items;
    std::string what;
    std::vector<std::optional<WriteResult>> results;
    std::size_t next = 0;
};

namespace {

using domain::WriteKind;

constexpr std::size_t kWritersAtOnce = 8;

template <class Item>
inline constexpr bool kIsWritten = std::is_same_v<Item, CountItem> || std::is_same_v<Item, RefundItem> ||
                                   std::is_same_v<Item, ResetItem> || std::is_same_v<Item, RestoreItem>;

template <class Item>
constexpr WriteKind kind_of_items() {
    if constexpr (std::is_same_v<Item, CountItem>) return WriteKind::count;
    if constexpr (std::is_same_v<Item, RefundItem>) return WriteKind::refund;
    if constexpr (std::is_same_v<Item, ResetItem>) return WriteKind::reset;
    return WriteKind::restore;
}

template <class Item>
asio::awaitable<void> write_next(std::shared_ptr<SliceWork<Item>> work) {
    while (work->next < work->items.size() && !work->servers->core().stopping()) {
        const auto i = work->next++;
        Task task{work->servers, work->what};
        auto result = co_await write_window(std::move(task), work->items[i].second);
        work->results[i] = std::move(result);
    }
}

template <class Item>
class Batch {
public:
    Batch(std::shared_ptr<Servers> servers, std::span<const Item> items, const WriteOrder& order)
        : servers_(std::move(servers)), items_(items), order_(order), results_(items.size()) {
        const auto at = [this](std::size_t i) -> const KeyAt& { return items_[i].at; };
        const auto& limiter = *servers_->core().scheme;
        if (order_.slices.empty()) {
            own_ = cut_slices(items_.size(), at, limiter);
        } else {
            check_slices(order_.slices, items_.size(), at, limiter);
        }
        for (std::size_t i = 0; i < items_.size(); ++i) results_[i].node = servers_->node(at(i).place.shard);
    }

    std::vector<WriteResult> run() {
        auto& core = servers_->core();
        if (core.stopping()) return std::move(results_);
        prepare();
        if (to_send_.empty() || core.stopping()) return std::move(results_);
        if (order_.observer != nullptr) order_.observer->before(to_send_);
        for (const auto& at : to_send_) {
            if (core.stopping()) break;
            if (lost_.contains(shard_of(*at.slice))) {
                for (const auto item : at.slice->items) results_[item].reason = kAfterUnknown;
            } else {
                write_slice(*at.slice);
            }
        }
        if (order_.observer != nullptr) order_.observer->after(to_send_, results_);
        return std::move(results_);
    }

private:
    std::span<const Slice> slices() const { return order_.slices.empty() ? own_ : order_.slices; }
    std::size_t shard_of(const Slice& slice) const { return items_[slice.items.front()].at.place.shard; }

    /// Who is there: nothing is sent to a server that does not answer.
    void prepare() {
        std::map<std::size_t, std::shared_ptr<std::optional<Outcome<ServerSelf>>>> selves;
        Tasks tasks(servers_->shared_core());
        for (const auto& slice : slices()) {
            if (slice.items.empty() || selves.contains(shard_of(slice))) continue;
            auto& self = selves[shard_of(slice)];
            self = std::make_shared<std::optional<Outcome<ServerSelf>>>();
            tasks.add(ask, servers_, shard_of(slice), self);
        }
        if (!tasks.finish_or_stop()) return;
        for (const auto& slice : slices()) {
            if (slice.items.empty()) continue;
            const auto shard = shard_of(slice);
            const auto& self = **selves.at(shard);
            if (self) {
                to_send_.push_back({&slice, servers_->node(shard), self->run_id});
                continue;
            }
            for (const auto item : slice.items)
                results_[item] = not_written(servers_->core(), servers_->node(shard), self.error());
        }
    }

    static asio::awaitable<void> ask(std::shared_ptr<Servers> servers, std::size_t shard,
                                     std::shared_ptr<std::optional<Outcome<ServerSelf>>> self) {
        *self = co_await servers->ask_self(shard);
    }

    void write_slice(const Slice& slice) {
        auto work = std::make_shared<SliceWork<Item>>();
        work->servers = servers_;
        work->what = std::string(domain::name_of(kind_of_items<Item>()));
        for (const auto item : slice.items) work->items.emplace_back(item, items_[item]);
        work->results.resize(work->items.size());
        Tasks tasks(servers_->shared_core());
        for (std::size_t i = 0; i < std::min(kWritersAtOnce, work->items.size()); ++i)
            tasks.add(write_next<Item>, work);
        // A window is finished, or its two keys would not fit together.
        tasks.finish();
        for (std::size_t i = 0; i < work->items.size(); ++i) {
            if (!work->results[i]) continue;
            auto& result = results_[work->items[i].first] = std::move(*work->results[i]);
            // What comes later for this server is not attempted: it would only be unknown, too.
            if (result.status == WriteStatus::unknown) lost_.insert(shard_of(slice));
        }
    }

    std::shared_ptr<Servers> servers_;
    std::span<const Item> items_;
    const WriteOrder& order_;
    std::vector<Slice> own_;
    std::vector<SliceAt> to_send_;
    std::vector<WriteResult> results_;
    std::set<std::size_t> lost_;
};

class DoneWrites final : public WriteStream {
public:
    explicit DoneWrites(std::shared_ptr<Servers> servers) : servers_(std::move(servers)) {}

    void submit(WriteItems items, WriteOrder order) override {
        done_.push_back(std::visit(
            [&](const auto& list) { return memcached::write(servers_, WriteSpans(std::span(list)), order); }, items));
    }
    void poll() override {}
    std::vector<WriteResult> take() override {
        auto oldest = std::move(done_.front());
        done_.pop_front();
        return oldest;
    }
    std::size_t batches() const override { return done_.size(); }

private:
    std::shared_ptr<Servers> servers_;
    std::deque<std::vector<WriteResult>> done_;
};

}  // namespace

std::vector<WriteResult> write(const std::shared_ptr<Servers>& servers, const WriteSpans& items,
                               const WriteOrder& order) {
    const auto refuse = [](const std::string& what, const std::string& hint) {
        throw support::Failure(support::ExitCode::usage, what + "; nothing was written", hint);
    };
    if (order.wait_replicas > 0) refuse("--wait-replicas: a memcached has no replicas", "leave --wait-replicas out");
    return std::visit(
        [&]<class Item>(std::span<const Item> list) -> std::vector<WriteResult> {
            if constexpr (kIsWritten<Item>) {
                return Batch<Item>(servers, list, order).run();
            } else {
                refuse("on memcached servers counts are changed, and windows removed and put back, and nothing else",
                       "expiries there are the application's own: see ratectl.toml(5), kind");
                return {};
            }
        },
        items);
}

std::unique_ptr<WriteStream> start_writes(std::shared_ptr<Servers> servers) {
    return std::make_unique<DoneWrites>(std::move(servers));
}

}  // namespace ratectl::store::memcached
