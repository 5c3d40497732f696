// Connect to all, tell the observer, send to all, tell the observer.
#include "store/writes.h"

#include <map>
#include <utility>

#include "store/shard_writer.h"
#include "store/slices.h"
#include "store/tasks.h"
#include "store/write_target.h"

namespace ratectl::store {
namespace {

using Targets = std::vector<std::shared_ptr<WriteTarget>>;

// The same list of writes again gets the same slices, numbers and fingerprints.
std::vector<Slice> cut(const WriteRequest& request) {
    auto slices = cut_slices(request.items, request.at);
    for (auto& part : slices) {
        std::vector<std::string> asked;
        for (const std::size_t item : part.items) asked.push_back(request.asked(item));
        std::vector<std::string_view> words{domain::name_of(request.kind)};
        for (std::size_t i = 0; i < part.items.size(); ++i) {
            words.insert(words.end(), {request.at(part.items[i]).key, asked[i]});
        }
        part.fingerprint = fingerprint_of(words);
    }
    return slices;
}

std::size_t shard_of(const WriteRequest& request, const Slice& slice) { return request.at(slice.items.front()).shard; }

// False when a wish to stop came first; what is still on its way then leaves us alone.
bool prepare_all(const std::shared_ptr<Core>& core, const Targets& targets, bool with_marks) {
    Tasks tasks(core);
    for (const auto& target : targets) tasks.add(prepare(core, target, with_marks));
    const bool finished = tasks.finish_or_stop();
    return finished && !core->stopping();
}

class Write {
public:
    Write(std::shared_ptr<Core> core, const WriteRequest& request, std::span<const Slice> slices)
        : job_(std::make_shared<WriteJob>()), slices_(slices) {
        job_->core = std::move(core);
        job_->request = &request;
        job_->results.resize(request.items);
        for (std::size_t i = 0; i < request.items; ++i)
            job_->results[i].node = job_->core->primary(request.at(i).shard);
        std::map<std::size_t, std::shared_ptr<WriteTarget>> by_shard;
        for (const auto& slice : slices_) {
            if (slice.items.empty()) continue;
            auto& target = by_shard[shard_of(request, slice)];
            if (target) continue;
            target = std::make_shared<WriteTarget>();
            target->shard = shard_of(request, slice);
            target->node = job_->core->primary(target->shard);
        }
        for (auto& [shard, target] : by_shard) targets_.push_back(std::move(target));
    }

    std::vector<WriteResult> run() {
        auto& core = job_->core;
        const WriteOrder& order = *job_->request->order;
        if (core->stopping() || !prepare_all(core, targets_, !order.operation.id.empty())) return take_results();
        refuse_twins(*core, targets_);
        const auto to_send = slices_to_send();
        if (to_send.empty()) return take_results();
        if (order.observer != nullptr) order.observer->before(to_send);
        send(to_send);
        if (order.observer != nullptr) order.observer->after(to_send, job_->results);
        return take_results();
    }

private:
    std::vector<WriteResult> take_results() { return std::move(job_->results); }

    const std::shared_ptr<WriteTarget>& target_of(const Slice& slice) const {
        const auto shard = shard_of(*job_->request, slice);
        for (const auto& target : targets_) {
            if (target->shard == shard) return target;
        }
        throw support::Failure(support::ExitCode::bug, "a slice without a target", "please report this");
    }

    std::vector<SliceAt> slices_to_send() {
        std::vector<SliceAt> to_send;
        for (const auto& slice : slices_) {
            if (slice.items.empty()) continue;
            const auto& target = target_of(slice);
            if (target->fit()) {
                to_send.push_back({&slice, target->node, target->run_id});
            } else if (target->refusal) {
                for (const std::size_t item : slice.items) job_->results[item] = *target->refusal;
            }
        }
        return to_send;
    }

    void send(std::span<const SliceAt> to_send) {
        Tasks tasks(job_->core);
        std::vector<std::unique_ptr<ShardWriter>> writers;
        for (const auto& target : targets_) {
            if (!target->fit()) continue;
            std::vector<const Slice*> of_shard;
            for (const auto& at : to_send) {
                if (shard_of(*job_->request, *at.slice) == target->shard) of_shard.push_back(at.slice);
            }
            writers.push_back(std::make_unique<ShardWriter>(job_, target, std::move(of_shard)));
            tasks.add(writers.back()->run());
        }
        tasks.finish();
    }

    std::shared_ptr<WriteJob> job_;
    std::span<const Slice> slices_;
    Targets targets_;
};

}  // namespace

std::vector<WriteResult> write(const std::shared_ptr<Core>& core, const WriteRequest& request) {
    std::vector<Slice> own;
    std::span<const Slice> slices = request.order->slices;
    if (slices.empty()) {
        own = cut(request);
        slices = own;
    } else {
        check_slices(slices, request.items, request.at);
    }
    return Write(core, request, slices).run();
}

}  // namespace ratectl::store
