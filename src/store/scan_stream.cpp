// The stream that commands pull: starts a sweep for each node that is to be read, and runs the loop while somebody waits for a page.
#include "store/scan_stream.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

#include "store/discover.h"
#include "store/sources.h"
#include "store/sweep.h"
#include "store/tasks.h"

namespace ratectl::store {
namespace {

using Clock = std::chrono::steady_clock;

class Stream final : public ScanStream {
public:
    explicit Stream(std::shared_ptr<ScanState> state) : state_(std::move(state)), tasks_(state_->core) {}
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    // The sweeps see it when the loop runs next; until then they are asleep.
    ~Stream() override {
        state_->cancelled = true;
        state_->question.orphan_counters = nullptr;  // these may refer to whoever asked
        state_->question.worth_a_look = nullptr;
        state_->ready.clear();
        for (const auto& sweep : sweeps_) sweep->wake();
    }

    void add(std::size_t shard, std::optional<domain::Node> node) {
        auto& progress = state_->progress.emplace_back();
        progress.shard = shard;
        progress.node = node;
        sweeps_.push_back(std::make_shared<Sweep>(state_, shard, std::move(node), sweeps_.size()));
        tasks_.add(sweeps_.back()->run());
    }

    const ScanPage* next() override {
        if (left_at_) state_->paused += Clock::now() - *left_at_;
        do {
            if (current_) current_->from->page_done(*current_);
            current_.reset();
            tasks_.run_until([&] { return !state_->ready.empty(); });
            left_at_ = Clock::now();
            if (state_->ready.empty() || state_->core->stopping()) return nullptr;
            current_ = std::move(state_->ready.front());
            state_->ready.pop_front();
            current_->from->page_taken();
        } while (current_->page.looks.empty());
        return &current_->page;
    }

    const std::vector<NodeFailure>& failures() const override { return state_->failures; }
    const std::vector<ShardProgress>& progress() const override { return state_->progress; }

private:
    std::shared_ptr<ScanState> state_;
    Tasks tasks_;
    std::vector<std::shared_ptr<Sweep>> sweeps_;
    std::optional<ScanState::Ready> current_;  // the caller's
    std::optional<Clock::time_point> left_at_;
};

}  // namespace

std::unique_ptr<ScanStream> start_scan(const std::shared_ptr<Core>& core, ScanQuestion question) {
    auto shards = question.shards;
    if (shards.empty()) {
        shards.resize(core->nodes.size());
        std::iota(shards.begin(), shards.end(), std::size_t{0});
    }
    const auto from = question.from;
    if (from.which != domain::ReadFrom::Which::primary) discover(core, shards);

    auto state = std::make_shared<ScanState>();
    state->core = core;
    state->pattern = core->scheme->scan_pattern(question.glob, static_cast<bool>(question.orphan_counters));
    state->question = std::move(question);
    auto stream = std::make_unique<Stream>(state);
    for (const std::size_t shard : shards) {
        if (from.which == domain::ReadFrom::Which::replica) {
            stream->add(shard, std::nullopt);
        } else {
            for (const auto& node : named_nodes(*core, shard, from)) stream->add(shard, node);
        }
    }
    if (state->progress.empty() && !shards.empty()) {
        throw support::Failure(no_such_node(*core, shards.front(), from));
    }
    return stream;
}

}  // namespace ratectl::store
