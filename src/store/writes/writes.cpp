// Writes: connect to all, tell the observer, send to all, tell the observer; batch behind batch, if the caller likes.
#include "store/writes/writes.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <asio/executor_work_guard.hpp>
#include <asio/post.hpp>

#include "domain/cluster/slot_faults.h"
#include "redis/event_loop.h"
#include "store/tasks.h"
#include "store/writes/shard_writer.h"
#include "store/writes/slices.h"
#include "store/writes/write_target.h"
#include "store/writes/write_turns.h"

namespace ratectl::store {
namespace {

using Targets = std::vector<std::shared_ptr<WriteTarget>>;

// The loop would sleep forever if it were not told, so this does not give up.
template <class Handler>
void tell(redis::EventLoop& loop, Handler handler) {
    for (;;) {
        try {
            return asio::post(loop.context(), handler);
        } catch (const std::bad_alloc&) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }
}

/// Work that waits for a disk, done by a thread of its own, which costs less than a hundredth of what the disk does,
/// while this one goes on talking to the servers. Returns when the work is done; throws what it throws. The caller runs
/// nothing but the loop meanwhile.
void run_off_loop(redis::EventLoop& loop, const std::function<void()>& work) {
    const auto stays_awake = asio::make_work_guard(loop.context());
    std::exception_ptr error;
    const auto done = std::make_shared<bool>(false);  // the loop's handlers may outlive this call
    std::jthread worker;
    try {
        worker = std::jthread([&] {
            try {
                work();
            } catch (...) {
                error = std::current_exception();
            }
            tell(loop, [done] { *done = true; });
        });
    } catch (const std::system_error&) {  // no thread is to be had
        return work();
    }
    loop.run_until([&done] { return *done; });
    worker.join();
    if (error) std::rethrow_exception(error);
}

// The same list of writes again gets the same slices, numbers and fingerprints.
std::vector<Slice> cut(const WriteRequest& request, const domain::Limiter& limiter, std::size_t most) {
    auto slices = cut_slices(request.items, request.at, limiter, 1, most);
    for (auto& part : slices) {
        CallFingerprint fingerprint;
        fingerprint.add(domain::name_of(request.kind));
        for (const std::size_t item : part.items) {
            fingerprint.add(request.at(item).key);
            fingerprint.add(request.asked(item));
        }
        part.fingerprint = fingerprint.text();
    }
    return slices;
}

std::size_t shard_of(const WriteRequest& request, const Slice& slice) {
    return request.at(slice.items.front()).place.shard;
}

// False when a wish to stop came first; what is still on its way then leaves us alone.
bool prepare_all(const std::shared_ptr<Core>& core, const Targets& targets, bool with_marks) {
    Tasks tasks(core);
    for (const auto& target : targets) tasks.add(prepare, core, target, with_marks);
    const bool finished = tasks.finish_or_stop();
    return finished && !core->stopping();
}

/// One list of writes on its way.
class WriteBatch {
public:
    /// What the request and the order point at outlives it.
    WriteBatch(const std::shared_ptr<Core>& core, WriteRequest request, const WriteOrder& order)
        : core_(core), request_(std::move(request)), order_(order), job_(std::make_shared<WriteJob>()) {
        request_.order = &order_;
        if (core_->directory->has_slots()) place_items();
        const auto most = windows_per_call(*core_->directory);
        if (order_.slices.empty()) {
            own_ = cut(request_, *core_->scheme, most);
        } else {
            check_slices(order_.slices, request_.items, request_.at, *core_->scheme, most);
        }
        job_->core = core_;
        job_->request = &request_;
        job_->results.resize(request_.items);
        find_targets();
    }

    /// Connects, tells the observer, and leaves the rest to the loop.
    void begin(WriteTurns& turns) {
        std::vector<std::shared_ptr<WriteTarget>> idle;
        for (const auto& target : targets_) {
            if (turns.closed(target->shard)) continue;
            const auto* last = turns.last_on(target->shard);
            if (last == nullptr) {
                idle.push_back(target);
            } else {
                target->run_id = last->run_id;
                waiting_.insert(target->shard);
            }
        }
        if (core_->stopping() || !prepare_all(core_, idle, !order_.operation.id.empty())) return;
        refuse_same_server(*core_, idle);
        take_slices_to_send();
        if (to_send_.empty()) return;
        tell_before(turns);
        for (const auto& target : targets_) {
            if (may_send_to(*target)) turns.add({JobClaim(job_), target, slices_of(*target)});
        }
    }

    bool ended() const { return job_->running == 0; }

    std::vector<WriteResult> finish(const WriteTurns& turns) {
        core_->loop.run_until([this] { return ended(); });
        for (std::size_t i = 0; i < request_.items; ++i) {
            auto& result = job_->results[i];
            const bool untold = result.status == WriteStatus::not_attempted && result.reason.empty();
            if (untold && turns.closed(request_.at(i).place.shard)) result.reason = kAfterUnknown;
        }
        if (told_ && order_.observer != nullptr) order_.observer->after(to_send_, job_->results);
        return std::move(job_->results);
    }

private:
    std::span<const Slice> slices() const { return order_.slices.empty() ? own_ : order_.slices; }

    /// What is on its way to the servers goes on while the disk works.
    void tell_before(const WriteTurns& turns) {
        told_ = true;
        if (order_.observer == nullptr) return;
        const auto tell = [this] { order_.observer->before(to_send_); };
        if (turns.idle()) return tell();
        run_off_loop(core_->loop, tell);
    }

    /// Where they are is known here better than to the caller.
    void place_items() {
        places_.reserve(request_.items);
        for (std::size_t i = 0; i < request_.items; ++i) {
            const auto& at = request_.at(i);
            places_.push_back({at.key, core_->directory->place_of(at.key).value_or(at.place)});
        }
        request_.at = [this](std::size_t i) -> const KeyAt& { return places_[i]; };
    }

    /// Of a window whose keys are in different slots no script can take hold.
    void refuse_scattered(const Slice& slice) {
        for (const std::size_t item : slice.items) {
            auto error = core_->scattered(request_.at(item).key);
            if (!error) continue;
            error->message += "; nothing was written to it";
            for (const std::size_t each : slice.items) {
                auto& result = job_->results[each];
                result.status = WriteStatus::refused;
                result.reason = domain::kBadKey;
                result.error = error;
            }
            refused_.insert(&slice);
            return;
        }
    }

    void find_targets() {
        std::map<std::size_t, domain::Node> primaries;
        for (std::size_t i = 0; i < request_.items; ++i) {
            const auto shard = request_.at(i).place.shard;
            const auto known = primaries.find(shard);
            const auto& node = known != primaries.end()
                                   ? known->second
                                   : primaries.emplace(shard, core_->directory->primary(shard)).first->second;
            job_->results[i].node = node;
        }
        for (auto& [shard, node] : primaries) {
            targets_.push_back(std::make_shared<WriteTarget>());
            targets_.back()->shard = shard;
            targets_.back()->node = std::move(node);
            targets_.back()->epoch = core_->directory->epoch();
        }
    }

    /// Not yet connected counts where the shard is busy with an earlier batch: it was found fit for that.
    bool may_send_to(const WriteTarget& target) const { return target.fit() || waiting_.contains(target.shard); }

    const WriteTarget& target_of(const Slice& slice) const {
        const auto shard = shard_of(request_, slice);
        for (const auto& target : targets_) {
            if (target->shard == shard) return *target;
        }
        throw support::Failure(support::ExitCode::bug, "a slice without a target", "please report this");
    }

    void take_slices_to_send() {
        for (const auto& slice : slices()) {
            if (slice.items.empty()) continue;
            refuse_scattered(slice);
            if (refused_.contains(&slice)) continue;
            const auto& target = target_of(slice);
            if (may_send_to(target)) {
                name_node(slice, target.node);
                to_send_.push_back({&slice, target.node, target.run_id});
            } else if (target.refusal) {
                for (const std::size_t item : slice.items) job_->results[item] = *target.refusal;
            }
        }
    }

    /// Another one may have been told since the results were made.
    void name_node(const Slice& slice, const domain::Node& node) {
        if (job_->results[slice.items.front()].node.endpoint.same_server(node.endpoint)) return;
        for (const std::size_t item : slice.items) job_->results[item].node = node;
    }

    std::vector<const Slice*> slices_of(const WriteTarget& target) const {
        std::vector<const Slice*> of_shard;
        for (const auto& at : to_send_) {
            if (shard_of(request_, *at.slice) == target.shard) of_shard.push_back(at.slice);
        }
        return of_shard;
    }

    std::shared_ptr<Core> core_;
    WriteRequest request_;
    const WriteOrder& order_;
    std::vector<Slice> own_;
    std::vector<KeyAt> places_;  // where keys have slots: of each item
    std::set<const Slice*> refused_;
    std::shared_ptr<WriteJob> job_;
    Targets targets_;
    std::set<std::size_t> waiting_;  // shards that are busy with an earlier batch
    std::vector<SliceAt> to_send_;
    bool told_ = false;
};

class Writes final : public WriteStream {
public:
    explicit Writes(std::shared_ptr<Core> core) : core_(std::move(core)), turns_(std::make_shared<WriteTurns>(core_)) {}
    Writes(const Writes&) = delete;
    Writes& operator=(const Writes&) = delete;
    ~Writes() override {
        try {
            core_->loop.run_until(
                [this] { return std::ranges::all_of(batches_, [](const auto& each) { return each->batch.ended(); }); });
        } catch (const std::exception&) {  // no caller is left who could be told
        }
    }

    void submit(WriteItems items, WriteOrder order) override {
        auto held = std::make_unique<Held>(core_, std::move(items), std::move(order));
        held->batch.begin(*turns_);
        batches_.push_back(std::move(held));
    }
    void poll() override { core_->loop.poll(); }
    std::vector<WriteResult> take() override {
        const auto oldest = std::move(batches_.front());
        batches_.pop_front();
        return oldest->batch.finish(*turns_);
    }
    std::size_t batches() const override { return batches_.size(); }

private:
    /// A batch with all that it points at.
    struct Held {
        Held(const std::shared_ptr<Core>& core, WriteItems its_items, WriteOrder its_order)
            : items(std::move(its_items)),
              order(std::move(its_order)),
              batch(core, std::visit([&core](const auto& list) { return request_for(core, std::span(list)); }, items),
                    order) {}

        WriteItems items;
        WriteOrder order;
        WriteBatch batch;
    };

    std::shared_ptr<Core> core_;
    std::shared_ptr<WriteTurns> turns_;
    std::deque<std::unique_ptr<Held>> batches_;
};

template <class Item>
using CallMaker = redis::ScriptCall (schemes::Scheme::*)(std::span<const Item* const>, const schemes::CallHead&) const;

template <class Item, class Asked>
WriteRequest request_of(const std::shared_ptr<Core>& core, domain::WriteKind kind, std::span<const Item> items,
                        CallMaker<Item> make_call, Asked asked) {
    WriteRequest request;
    request.kind = kind;
    request.items = items.size();
    request.at = [items](std::size_t i) -> const KeyAt& { return items[i].at; };
    request.asked = [items, asked](std::size_t i) -> std::string { return asked(items[i]); };
    request.call = [core, items, make_call](std::span<const std::size_t> chosen, const schemes::CallHead& head) {
        std::vector<const Item*> of_call;
        of_call.reserve(chosen.size());
        for (const std::size_t i : chosen) of_call.push_back(&items[i]);
        return (*core->scheme.*make_call)(of_call, head);
    };
    return request;
}

}  // namespace

std::vector<WriteResult> write(const std::shared_ptr<Core>& core, WriteRequest request, const WriteOrder& order) {
    WriteBatch batch(core, std::move(request), order);
    const auto turns = std::make_shared<WriteTurns>(core);
    batch.begin(*turns);
    return batch.finish(*turns);
}

std::unique_ptr<WriteStream> start_writes(std::shared_ptr<Core> core) {
    return std::make_unique<Writes>(std::move(core));
}

WriteRequest request_for(const std::shared_ptr<Core>& core, std::span<const CountItem> items) {
    return request_of(core, domain::WriteKind::count, items, &schemes::Scheme::count_call,
                      [](const CountItem& item) { return fmt::format("{}", item.amount); });
}

WriteRequest request_for(const std::shared_ptr<Core>& core, std::span<const RefundItem> items) {
    return request_of(
        core, domain::WriteKind::refund, items, &schemes::Scheme::refund_call,
        [](const RefundItem& item) { return fmt::format("{} {}", item.amount, item.clamp ? "clamp" : "exact"); });
}

WriteRequest request_for(const std::shared_ptr<Core>& core, std::span<const ResetItem> items) {
    return request_of(core, domain::WriteKind::reset, items, &schemes::Scheme::reset_call,
                      [](const ResetItem&) { return std::string(); });
}

WriteRequest request_for(const std::shared_ptr<Core>& core, std::span<const RestoreItem> items) {
    return request_of(core, domain::WriteKind::restore, items, &schemes::Scheme::restore_call,
                      [](const RestoreItem& item) { return std::string(item.merge ? "merge" : "exact"); });
}

WriteRequest request_for(const std::shared_ptr<Core>& core, std::span<const RepairItem> items) {
    auto request =
        request_of(core, domain::WriteKind::repair, items, &schemes::Scheme::repair_call, [](const RepairItem& item) {
            return fmt::format("{} {}", item.wanted[0].value_or(-1), item.wanted[1].value_or(-1));
        });
    request.wanted = [items](std::size_t i) { return items[i].wanted; };
    return request;
}

WriteRequest request_for(const std::shared_ptr<Core>& core, std::span<const PutItem> items) {
    return request_of(core, domain::WriteKind::put, items, &schemes::Scheme::put_call,
                      [](const PutItem& item) { return item.state.value_or("nothing"); });
}

}  // namespace ratectl::store
