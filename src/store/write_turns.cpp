// A turn that had to wait connects anew: to the channel that the one before it has just given back.
#include "store/write_turns.h"

#include <utility>

#include <fmt/format.h>
#include <asio/co_spawn.hpp>

#include "store/write_results.h"

namespace ratectl::store {
namespace {

void answer_all(const WriteTurn& turn, const WriteResult& result) {
    for (const Slice* slice : turn.slices) {
        for (const std::size_t item : slice->items) turn.job->results[item] = result;
    }
}

// What was recorded names the process that was found fit then.
WriteResult another_process(const WriteTarget& target) {
    return not_written(
        target.node,
        {{support::ExitCode::unavailable,
          fmt::format("{}: it was restarted, or another server answers at its address", where(target.node)), ""},
         false,
         true});
}

asio::awaitable<void> prepare_again(std::shared_ptr<Core> core, const WriteTurn& turn) {
    WriteTarget& target = *turn.target;
    const auto recorded = target.run_id;
    co_await prepare(core, turn.target, !turn.job->request->order->operation.id.empty());
    if (target.fit() && target.run_id != recorded) target.refusal = another_process(target);
    if (target.fit()) co_return;
    target.channel = {};
    if (target.refusal) answer_all(turn, *target.refusal);
}

asio::awaitable<void> run(std::shared_ptr<Core> core, std::shared_ptr<WriteTurn> turn) {
    if (core->stopping()) co_return;
    if (!turn->target->channel) co_await prepare_again(core, *turn);
    if (!turn->target->fit()) co_return;
    ShardWriter writer(turn->job, turn->target, turn->slices);
    co_await writer.run();
}

}  // namespace

void WriteTurns::add(WriteTurn turn) {
    const auto shard = turn.target->shard;
    ++turn.job->running;
    auto& waiting = turns_[shard];
    waiting.push_back(std::make_shared<WriteTurn>(std::move(turn)));
    if (waiting.size() == 1) start(shard);
}

const WriteTarget* WriteTurns::last_on(std::size_t shard) const {
    const auto found = turns_.find(shard);
    return found == turns_.end() || found->second.empty() ? nullptr : found->second.back()->target.get();
}

void WriteTurns::start(std::size_t shard) {
    asio::co_spawn(core_->loop.context(), run(core_, turns_[shard].front()),
                   [self = shared_from_this(), shard](const std::exception_ptr& error) { self->end(shard, error); });
}

void WriteTurns::end(std::size_t shard, const std::exception_ptr& error) {
    auto& waiting = turns_[shard];
    const auto ended = std::move(waiting.front());
    waiting.pop_front();
    --ended->job->running;
    if (error && !ended->job->error) ended->job->error = error;
    if (!waiting.empty()) start(shard);
}

}  // namespace ratectl::store
