// Lets each shard's batches of writes follow one another.
// A turn that had to wait connects anew: to the channel that the one before it has just given back.
#include "store/writes/write_turns.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "store/writes/write_results.h"

namespace ratectl::store {
namespace {

void answer_all(const WriteTurn& turn, const WriteResult& result) {
    for (const Slice* slice : turn.slices) {
        for (const std::size_t item : slice->items) turn.job->results[item] = result;
    }
}

// What was recorded names the process that was found fit then.
WriteResult another_process(const Core& core, const WriteTarget& target) {
    return not_written(
        core, target.node,
        {{support::ExitCode::unavailable,
          fmt::format(
              "{}: another process answers by now: it was restarted, or a failover has put another server in its place",
              where(target.node)),
          ""},
         false,
         true});
}

asio::awaitable<void> prepare_again(std::shared_ptr<Core> core, const WriteTurn& turn) {
    WriteTarget& target = *turn.target;
    const auto recorded = target.run_id;
    co_await prepare(core, turn.target, !turn.job->request->order->operation.id.empty());
    if (target.fit() && target.run_id != recorded) target.refusal = another_process(*core, target);
    if (target.fit()) co_return;
    target.channel = {};
    if (target.refusal) answer_all(turn, *target.refusal);
}

// Whether the turn may write; if not, its items know why.
asio::awaitable<bool> is_ready(const std::shared_ptr<Core>& core, const WriteTurn& turn) {
    std::optional<support::Error> broken;
    try {
        if (!turn.target->channel) co_await prepare_again(core, turn);
        co_return turn.target->fit();
    } catch (const support::Failure& failure) {
        broken = failure.error();
    } catch (const std::exception& e) {
        broken =
            support::Error{support::ExitCode::bug, where(turn.target->node) + ": " + e.what(), "please report this"};
    }
    answer_all(turn, not_written(*core, turn.target->node, {*broken, false, false}));
    co_return false;
}

}  // namespace

void WriteTurns::add(WriteTurn turn) {
    const auto shard = turn.target->shard;
    auto& here = shards_[shard];
    if (here.closed) return;
    if (here.turns.size() == 1 && here.writer != nullptr && here.writer->takes_more(*turn.job->request->order)) {
        here.writer->add(std::move(turn.job), turn.slices);
        return;
    }
    here.turns.push_back(std::make_shared<WriteTurn>(std::move(turn)));
    if (here.turns.size() == 1) start(shard);
}

const WriteTarget* WriteTurns::last_on(std::size_t shard) const {
    const auto found = shards_.find(shard);
    return found == shards_.end() || found->second.turns.empty() ? nullptr : found->second.turns.back()->target.get();
}

bool WriteTurns::closed(std::size_t shard) const {
    const auto found = shards_.find(shard);
    return found != shards_.end() && found->second.closed;
}

bool WriteTurns::idle() const {
    return std::ranges::all_of(shards_, [](const auto& each) { return each.second.turns.empty(); });
}

void WriteTurns::start(std::size_t shard) {
    const auto self = shared_from_this();
    core_->loop.spawn([self, shard](const std::exception_ptr&) { self->end(shard); }, &WriteTurns::run, self,
                      shards_[shard].turns.front());
}

asio::awaitable<void> WriteTurns::run(std::shared_ptr<WriteTurn> turn) {
    bool ready = !core_->stopping() && !closed(turn->target->shard);
    if (ready) ready = co_await is_ready(core_, *turn);
    if (!ready) co_return;
    auto& here = shards_[turn->target->shard];
    ShardWriter writer(core_, turn->target);
    writer.add(std::move(turn->job), turn->slices);
    here.writer = &writer;
    co_await writer.run();
    here.writer = nullptr;
    here.closed = writer.left_unknown();
}

void WriteTurns::end(std::size_t shard) {
    auto& here = shards_[shard];
    here.writer = nullptr;
    here.turns.pop_front();
    if (!here.turns.empty()) start(shard);
}

}  // namespace ratectl::store
