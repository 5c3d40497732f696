// The stream that commands pull: starts a sweep for each node to be read, runs the loop while the caller waits.
#include "store/redis_answers.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "store/cluster/cluster_view.h"
#include "store/cluster/slot_watch.h"
#include "store/nodes/sources.h"
#include "store/sweep/doubtful_looks.h"
#include "store/sweep/late_slots.h"
#include "store/sweep/sightings.h"
#include "store/sweep/sweep.h"
#include "store/tasks.h"
#include "support/number_text.h"

namespace ratectl::store {
namespace {

constexpr std::chrono::milliseconds kLongestSilence{100};

const SlotsThen* find_slots_then(const SlotRecord& record, const std::string& shard) {
    const auto found = std::ranges::find(record.shards, shard, &SlotsThen::shard);
    return found == record.shards.end() ? nullptr : &*found;
}

SlotRecord slot_record(const ScanState& state, const std::set<std::uint16_t>& owed) {
    SlotRecord record;
    std::vector<SlotRange> moved;
    for (const auto slot : owed) {
        if (moved.empty() || moved.back().second + 1 != slot) moved.emplace_back(slot, slot);
        moved.back().second = slot;
    }
    record.moved = ranges_text(moved);
    const auto& directory = *state.core->directory;
    for (std::size_t place = 0; place < directory.places().size(); ++place) {
        const auto* own = state.slots->silent().contains(place) ? nullptr : state.slots->heard_of(place);
        auto& then = record.shards.emplace_back(SlotsThen{directory.name_of(place), {}, {}, {}});
        if (own == nullptr) continue;
        then.node_id = own->id;
        then.epoch = own->epoch;
        then.slots = ranges_text(own->slots);
    }
    return record;
}

/// A shard whose cursor is of no use is read from its beginning: what was there before does not matter.
void remember_slots(const ScanState& state) {
    const auto& record = state.question.resume_slots;
    for (const auto& [first, last] : ranges_in(record.moved)) {
        for (std::size_t slot = first; slot <= last; ++slot) state.slots->mark(static_cast<std::uint16_t>(slot));
    }
    for (const auto& cursor : state.question.resume) {
        const auto place = state.core->directory->find(cursor.shard);
        const auto* then = find_slots_then(record, cursor.shard);
        if (!place || then == nullptr) continue;
        OwnSlots own;
        own.id = then->node_id;
        own.epoch = then->epoch;
        own.slots = ranges_in(then->slots);
        state.slots->remember(*place, std::move(own));
    }
}

void say_what_moved(const ScanState& state) {
    const auto& question = state.question;
    if (question.resume.empty()) return;
    std::set<std::string> gone;
    for (const auto& cursor : question.resume) {
        if (!state.core->directory->find(cursor.shard)) gone.insert(cursor.shard);
    }
    if (!gone.empty()) {
        state.core->notice(
            {support::ExitCode::done,
             fmt::format("{} of the Redis Cluster {} no primary any more: those that have come in {} place are read "
                         "from their beginning, and rows come again",
                         gone.size() == 1 ? "'" + *gone.begin() + "'" : support::counted(gone.size(), "shard"),
                         gone.size() == 1 ? "is" : "are", gone.size() == 1 ? "its" : "their"),
             ""});
    }
    if (const auto moved = state.slots->restless().size(); moved > 0) {
        state.core->notice(
            {support::ExitCode::done,
             fmt::format("{} of the Redis Cluster {} moved since the scan began, or may have: {} windows are listed "
                         "at the end, those that were listed before once more",
                         support::counted(moved, "slot"), moved == 1 ? "has" : "have", moved == 1 ? "its" : "their"),
             ""});
    }
}

class MergedSweeps final : public ScanStream {
public:
    explicit MergedSweeps(std::shared_ptr<ScanState> state) : state_(std::move(state)), tasks_(state_->core) {}
    MergedSweeps(const MergedSweeps&) = delete;
    MergedSweeps& operator=(const MergedSweeps&) = delete;
    // The sweeps see it when the loop runs next; until then they are asleep.
    ~MergedSweeps() override {
        state_->cancelled = true;
        if (state_->slots) state_->slots->end();
        state_->question.is_meant = nullptr;  // these may refer to the caller
        state_->question.orphan_counters = nullptr;
        state_->question.worth_a_look = nullptr;
        if (state_->question.by_name) state_->question.by_name.emplace();
        state_->ready.clear();
        for (const auto& sweep : sweeps_) sweep->wake();
    }

    void add(std::size_t shard, std::optional<domain::Node> node) {
        auto& progress = state_->progress.emplace_back();
        progress.shard = shard;
        progress.node = node;
        auto resume = cursor_of(shard, node);
        if (resume && resume->complete) return conclude(progress, *resume);
        sweeps_.push_back(
            std::make_shared<Sweep>(state_, shard, std::move(node), state_->progress.size() - 1, std::move(resume)));
        tasks_.add(&Sweep::run, sweeps_.back());
    }

    const ScanPage* next() override {
        const auto until = std::chrono::steady_clock::now() + kLongestSilence;
        do {
            give_back();
            if (const auto* page = state_->doubtful ? state_->doubtful->next() : nullptr) return page;
            tasks_.run_until([&] { return !state_->ready.empty(); });
            if (state_->core->stopping()) return nullptr;
            if (state_->ready.empty()) return next_late();
            current_ = std::move(state_->ready.front());
            state_->ready.pop_front();
            current_->from->page_taken();
        } while (current_->page->page.looks.empty() && ready() && std::chrono::steady_clock::now() < until);
        return &current_->page->page;
    }
    bool ready() const override { return !state_->ready.empty() || tasks_.ended() || state_->core->stopping(); }

    const std::vector<NodeFailure>& failures() const override { return state_->failures; }
    const std::vector<ShardProgress>& progress() const override { return state_->progress; }
    /// Of a Redis Cluster: what all primaries say of their slots behind the pages that the cursors tell of. What was
    /// away when a page was read is away, or was seen to be, or has come from elsewhere since.
    std::optional<ScanMark> mark() override {
        if (!state_->slots) return ScanStream::mark();
        auto shards = state_->progress;
        const bool finished = all_shown_ && std::ranges::all_of(shards, &ShardProgress::complete);
        SlotWatch::look_once_more(state_->slots);
        auto owed = late_ ? late_->owed() : state_->slots->restless();
        state_->doubtful->add_owed(owed);
        const auto& silent = state_->slots->silent();
        std::erase_if(shards, [&](const auto& each) { return silent.contains(each.shard); });
        return ScanMark{std::move(shards), slot_record(*state_, owed), finished};
    }
    void take_back() override { give_back(); }
    bool may_stop() const override { return !late_ || late_->is_between_slots(); }

private:
    /// Of a Redis Cluster: what the sweeps may have missed.
    const ScanPage* next_late() {
        if (!state_->slots) return nullptr;
        if (!late_) {
            known_failures_ = state_->failures.size();
            late_ = std::make_unique<LateSlots>(state_);
        }
        if (const auto* page = state_->doubtful->next()) return page;
        const auto* page = late_->next();
        if (page == nullptr && state_->first_scattered) {
            auto error = *std::exchange(state_->first_scattered, std::nullopt);
            const auto more = state_->scattered.size() - 1;
            if (more > 0) error.message += fmt::format("; nor {} {} more", more == 1 ? "is" : "are", more);
            state_->core->notice(error);
        }
        all_shown_ = page == nullptr && state_->failures.size() == known_failures_ && !state_->core->stopping();
        return page;
    }

    /// The caller has finished with its page.
    void give_back() {
        if (late_) late_->page_done();
        if (state_->doubtful) state_->doubtful->page_done();
        if (!current_) return;
        current_->from->page_done(*current_);
        if (current_->page->is_worth_keeping()) state_->free.push_back(std::move(current_->page));
        current_.reset();
    }

    std::optional<ScanCursor> cursor_of(std::size_t shard, const std::optional<domain::Node>& node) const {
        const auto& name = state_->core->directory->name_of(shard);
        if (state_->slots && find_slots_then(state_->question.resume_slots, name) == nullptr) return std::nullopt;
        for (const auto& cursor : state_->question.resume) {
            if (cursor.shard == name && (!node || cursor.node == node->name())) return cursor;
        }
        return std::nullopt;
    }

    /// An earlier sweep has been through it.
    void conclude(ShardProgress& progress, const ScanCursor& cursor) const {
        for (const auto& node : state_->core->directory->nodes(progress.shard)) {
            if (node.name() == cursor.node) progress.node = node;
        }
        progress.complete = true;
        progress.windows = cursor.windows;
        progress.run_id = cursor.run_id;
    }

    std::shared_ptr<ScanState> state_;
    Tasks tasks_;
    std::vector<std::shared_ptr<Sweep>> sweeps_;
    std::optional<ScanState::Ready> current_;  // the caller's
    std::unique_ptr<LateSlots> late_;
    std::size_t known_failures_ = 0;  // before it
    bool all_shown_ = false;
};

/// From before the first window is met.
void watch_slots(const std::shared_ptr<ScanState>& state) {
    state->slots = std::make_shared<SlotWatch>(state->core);
    state->doubtful = std::make_shared<DoubtfulLooks>(*state);
    remember_slots(*state);
    SlotWatch::look(state->slots);
    say_what_moved(*state);
    state->core->loop.spawn([](const std::exception_ptr&) {}, &SlotWatch::go_on, state->slots);
}

}  // namespace

std::unique_ptr<ScanStream> start_scan(const std::shared_ptr<Core>& core, ScanQuestion question) {
    auto shards = question.shards;
    if (shards.empty()) {
        shards.resize(core->directory->places().size());
        std::iota(shards.begin(), shards.end(), std::size_t{0});
    }
    const auto from = question.from;
    find_nodes(core, shards, from.which != domain::ReadFrom::Which::primary);

    auto state = std::make_shared<ScanState>();
    state->core = core;
    state->pattern = core->scheme->scan_pattern(question.glob, question.orphan_counters || question.by_name);
    state->question = std::move(question);
    if (core->directory->has_slots()) watch_slots(state);
    auto stream = std::make_unique<MergedSweeps>(state);
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
