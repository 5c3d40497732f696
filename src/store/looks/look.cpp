// Looks at keys: they go to the queues of their nodes; a queue of slots remembers the order of the answers.
#include "store/looks/look.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "domain/cluster/slot_faults.h"
#include "store/looks/node_looks.h"
#include "store/nodes/sources.h"
#include "store/tasks.h"

namespace ratectl::store {
namespace {

constexpr std::size_t kWindowsAheadPerShard = 400;
constexpr std::size_t kMostWindowsAhead = 16'384;
constexpr std::size_t kMostBytesAhead = std::size_t{4} << 20;
constexpr std::size_t kWindowsAtOnce = 50;  // between two looks at the network
constexpr std::chrono::seconds kKeepsUpEvery{2};
constexpr std::size_t kLargeBatch = 256u << 10;  // its memory is not kept

/// Where the answer of one node to one key will be.
struct Slot {
    LookBatch* batch = nullptr;
    std::size_t index = 0;
    std::uint64_t key = 0;
    bool first_of_shard = false;
    std::size_t bytes = 0;
    std::optional<std::size_t> primary_of = {};  // asked of the primary of this place, with all its other nodes
    const domain::Node* primary = nullptr;       // that was the primary then; null: it is not asked once more

    LookBatch& answer() const { return batch->pieces.empty() ? *batch : *batch->pieces[index]; }
    std::size_t index_in(const LookBatch& answer) const { return &answer == batch ? index : 0; }
};

/// The nodes of a place as they were when they were first asked.
struct Opened {
    std::uint64_t epoch = 0;  // of the directory when that was last compared
    std::vector<domain::Node> nodes = {};
    const domain::Node* primary = nullptr;
    std::vector<std::shared_ptr<NodeLooks>> looks = {};  // primary first
};

class MergedLooks final : public LookStream {
public:
    MergedLooks(const std::shared_ptr<Core>& core, LookOrder order)
        : state_(std::make_shared<LookState>()), tasks_(core) {
        with_replicas_ = order.from.which != domain::ReadFrom::Which::primary;
        find_nodes(core, order.shards, with_replicas_);
        const auto shards = order.shards.empty() ? core->directory->places().size() : order.shards.size();
        most_ahead_ = std::min(kWindowsAheadPerShard * shards, kMostWindowsAhead);
        epoch_ = core->directory->epoch();
        asks_all_ = order.from.which == domain::ReadFrom::Which::all;
        state_->core = core;
        state_->order = std::move(order);
    }
    MergedLooks(const MergedLooks&) = delete;
    MergedLooks& operator=(const MergedLooks&) = delete;
    // The coroutines see it when the loop runs next; until then they are asleep.
    ~MergedLooks() override {
        state_->cancelled = true;
        for (const auto& opened : opened_) {
            for (const auto& node : opened.looks) node->wake();
        }
    }

    // Not for a few at a time: batches shall be full.
    std::size_t room() const override {
        if (slots_.size() + most_ahead_ / 4 > most_ahead_ || bytes_ahead_ > kMostBytesAhead) return 0;
        return most_ahead_ - slots_.size();
    }

    void ask(std::string_view key, std::span<const Place> places) override {
        keep_up();
        for (const Place asked : places) {
            const Place place = with_slot(key, asked);
            if (auto error = state_->core->scattered(key)) {
                LookBatch& batch = nodes_of(place.shard).front()->add_refused(key, place, *std::move(error));
                slots_.push_back({&batch, 0, asked_, true, key.size()});
                bytes_ahead_ += key.size();
                continue;
            }
            const std::size_t at = slots_.size();
            ask_nodes(place, key, asked_, 0, at);
            if (!asks_all_) continue;
            slots_[at].primary_of = place.shard;
            slots_[at].primary = opened_[place.shard].primary;
        }
        ++asked_;
    }

    std::span<LookView> next() override {
        for (LookBatch* batch : spent_) recycle(*batch);
        spent_.clear();
        views_.clear();
        if (slots_.empty()) return {};
        bool asked_more = false;
        do {
            asked_more = false;
            if (is_next_ready()) {
                state_->core->loop.poll();
            } else {
                tasks_.run_until([this] { return is_next_ready(); });
            }
            const bool stopping = state_->core->stopping();
            if (stopping) interrupted_ = state_->core->interrupted();
            while (!slots_.empty() && views_.size() < kWindowsAtOnce && (stopping || is_next_ready())) {
                asked_more = asks_all_ && !stopping && (ask_successor() || ask_where_found());
                if (!asked_more) hand_on_next();
            }
        } while (views_.empty() && asked_more);
        return views_;
    }

    bool ready() const override {
        return slots_.empty() || is_next_ready() || tasks_.ended() || state_->core->stopping();
    }
    const std::vector<NodeFailure>& failures() const override { return state_->failures; }

private:
    /// Where keys have slots callers may name the shard alone, and the slot may be on another one by now.
    Place with_slot(std::string_view key, Place place) const {
        const auto& directory = *state_->core->directory;
        const bool is_sure = place.slot && !place.ahead && directory.epoch() == epoch_;
        if (!directory.has_slots() || is_sure) return place;
        const auto home = *directory.place_of(key);
        const bool is_named = state_->order.from.which == domain::ReadFrom::Which::node;
        return is_named ? Place{place.shard, home.slot, place.ahead} : home;
    }

    /// In a long life servers change their roles, come and go.
    void keep_up() {
        if (std::chrono::steady_clock::now() - kept_up_at_ < kKeepsUpEvery) return;
        kept_up_at_ = std::chrono::steady_clock::now();
        find_nodes(state_->core, state_->order.shards, with_replicas_);
    }

    const std::vector<std::shared_ptr<NodeLooks>>& nodes_of(std::size_t shard) {
        const auto& directory = *state_->core->directory;
        if (opened_.size() <= shard) opened_.resize(shard + 1);
        Opened& opened = opened_[shard];
        if (asks_all_ && !opened.looks.empty() && has_other_nodes(opened, shard)) {
            for (const auto& node : opened.looks) node->retire();
            opened = {};
            find_nodes(state_->core, {&shard, 1}, true);
        }
        if (opened.looks.empty()) {
            opened.epoch = directory.epoch();
            opened.nodes = directory.nodes(shard);
            opened.primary = &state_->keep(opened.nodes.front());
            open(shard, opened.looks);
        }
        return opened.looks;
    }

    bool has_other_nodes(Opened& opened, std::size_t place) const {
        const auto& directory = *state_->core->directory;
        if (std::exchange(opened.epoch, directory.epoch()) == directory.epoch()) return false;
        return !std::ranges::is_permutation(opened.nodes, directory.nodes(place), is_same);
    }
    /// That was the primary of a place when its nodes were asked.
    bool is_succeeded(const domain::Node& primary, std::size_t place) const {
        return state_->core->directory->epoch() != epoch_ && !is_same(primary, state_->core->directory->primary(place));
    }

    void open(std::size_t shard, std::vector<std::shared_ptr<NodeLooks>>& nodes) {
        const auto& core = *state_->core;
        const auto& from = state_->order.from;
        const auto add = [&](const domain::Node* node) {
            nodes.push_back(std::make_shared<NodeLooks>(state_, shard, node));
            tasks_.add(&NodeLooks::run, nodes.back());
        };
        if (from.which == domain::ReadFrom::Which::replica) return add(nullptr);
        for (const auto& node : named_nodes(core, shard, from)) add(&state_->keep(node));
        if (!nodes.empty()) return;
        add(opened_[shard].primary);
        nodes.back()->refuse(no_such_node(core, shard, from));
    }

    /// The nodes of a place from `first` on; their answers are awaited from `at` on.
    void ask_nodes(Place place, std::string_view name, std::uint64_t key, std::size_t first, std::size_t at) {
        const auto& nodes = nodes_of(place.shard);
        for (std::size_t node = first; node < nodes.size(); ++node, ++at) {
            LookBatch& batch = nodes[node]->add(name, place);
            const Slot slot{&batch, batch.size - 1, key, node == 0, name.size()};
            slots_.insert(std::next(slots_.begin(), static_cast<std::ptrdiff_t>(at)), slot);
            bytes_ahead_ += name.size();
        }
    }

    /// All answers to the oldest key.
    bool is_next_ready() const {
        for (const Slot& slot : slots_) {
            if (slot.key != slots_.front().key) break;
            if (!slot.answer().done) return false;
        }
        return true;
    }

    /// True: there was a failover since the oldest key was asked for, and the nodes as they are now are asked for it.
    bool ask_successor() {
        const auto& directory = *state_->core->directory;
        const auto key = slots_.front().key;
        for (std::size_t i = 0; i < slots_.size() && slots_[i].key == key; ++i) {
            const Slot& slot = slots_[i];
            if (!slot.primary_of || slot.primary == nullptr || !is_succeeded(*slot.primary, *slot.primary_of)) continue;
            const std::string name = slot.batch->keys[slot.index];
            const Place place = directory.has_slots() ? *directory.place_of(name) : Place{*slot.primary_of};
            const auto first = std::next(slots_.begin(), static_cast<std::ptrdiff_t>(i));
            const auto end = std::find_if(std::next(first), slots_.end(), [key](const Slot& other) {
                return other.key != key || other.first_of_shard;
            });
            std::for_each(first, end, [this](const Slot& of_place) { release(of_place); });
            slots_.erase(first, end);
            ask_nodes(place, name, key, 0, i);
            slots_[i].primary_of = place.shard;
            return true;
        }
        return false;
    }

    /// True: the oldest key was found at another place than where its slot was known to be, and the replicas there are
    /// asked for it, too.
    bool ask_where_found() {
        for (std::size_t i = 0; i < slots_.size() && slots_[i].key == slots_.front().key; ++i) {
            const auto known = std::exchange(slots_[i].primary_of, {});
            const LookBatch& answer = slots_[i].answer();
            if (!known || *known == answer.place.shard || !shows_a_key(slots_[i])) continue;
            Place place = answer.place;
            const auto& name = answer.keys.at(slots_[i].index_in(answer));
            place.ahead = state_->core->directory->place_of(name)->shard != place.shard;
            ask_nodes(place, name, slots_[i].key, 1, i + 1);
            return true;
        }
        return false;
    }

    static bool shows_a_key(const Slot& slot) {
        const LookBatch& answer = slot.answer();
        if (answer.error) return false;
        const auto& look = answer.looks[slot.index_in(answer)];
        return look && !domain::is_absent(*look);
    }

    // A shard whose every node failed gives one answer, its primary's.
    void hand_on_next() {
        const auto key = slots_.front().key;
        std::size_t of_shard = views_.size();
        while (!slots_.empty() && slots_.front().key == key) {
            const Slot& slot = slots_.front();
            if (slot.first_of_shard) {
                drop_failures(of_shard);
                of_shard = views_.size();
            }
            views_.push_back(view_of(slot));
            release(slot);
            slots_.pop_front();
        }
        drop_failures(of_shard);
    }

    /// What was left behind at a stop signal still has an owner.
    void release(const Slot& slot) {
        bytes_ahead_ -= slot.bytes;
        LookBatch& answer = slot.answer();
        if (&answer != slot.batch && --answer.owed == 0 && answer.done) spent_.push_back(&answer);
        if (--slot.batch->owed == 0 && slot.batch->done) spent_.push_back(slot.batch);
    }

    void drop_failures(std::size_t first) {
        const std::span<const LookView> views = std::span(views_).subspan(first);
        if (views.size() < 2) return;
        if (views.front().look != nullptr && !domain::is_absent(*views.front().look)) drop_elsewhere(first);
        if (std::none_of(views.begin(), views.end(), [](const LookView& view) { return view.look != nullptr; })) {
            views_.resize(first + 1);
        }
    }

    /// Replicas that the key may have left, where a primary has shown it.
    void drop_elsewhere(std::size_t first) {
        const auto begin = std::next(views_.begin(), static_cast<std::ptrdiff_t>(first));
        const auto end = std::remove_if(begin, views_.end(), [](const LookView& view) {
            return view.error != nullptr && view.error->reason == domain::kMayHaveLeft;
        });
        views_.erase(end, views_.end());
    }

    LookView view_of(const Slot& slot) {
        LookBatch& batch = slot.answer();
        LookView view{
            slot.key,        slot.batch->keys[slot.index], batch.node, nullptr, nullptr, batch.read_at, batch.stale,
            batch.server_now};
        if (!batch.done) {
            view.error = &interrupted_;
        } else if (batch.error) {
            view.error = &*batch.error;
        } else if (auto& look = batch.looks[slot.index_in(batch)]; look) {
            view.look = &*look;
        } else {
            view.error = &look.error();
        }
        return view;
    }

    void recycle(LookBatch& batch) {
        std::size_t bytes = 0;
        for (const auto& key : batch.keys) bytes += key.capacity();
        for (const auto& look : batch.looks) {
            if (!look) continue;
            for (const auto& part : look->parts) bytes += part.value ? part.value->capacity() : 0;
        }
        if (bytes > kLargeBatch) batch = LookBatch();
        state_->free.push_back(&batch);
    }

    std::shared_ptr<LookState> state_;
    Tasks tasks_;
    support::Error interrupted_;
    std::vector<Opened> opened_;  // by shard
    std::deque<Slot> slots_;      // of answers not yet handed on
    std::vector<LookBatch*> spent_;
    std::vector<LookView> views_;
    std::uint64_t asked_ = 0;
    std::uint64_t epoch_ = 0;  // of the directory when this began
    bool asks_all_ = false;
    bool with_replicas_ = false;
    std::chrono::steady_clock::time_point kept_up_at_ = std::chrono::steady_clock::now();
    std::size_t most_ahead_ = 0;
    std::size_t bytes_ahead_ = 0;
};

LookAnswer answer_of(LookView& view) {
    LookAnswer answer{static_cast<std::size_t>(view.key),
                      *view.node,
                      domain::WindowLook(),
                      view.read_at,
                      view.stale,
                      view.server_now};
    if (view.look != nullptr) {
        answer.look = std::move(*view.look);
    } else {
        answer.look = tl::make_unexpected(*view.error);
    }
    return answer;
}

}  // namespace

std::unique_ptr<LookStream> start_looks(const std::shared_ptr<Core>& core, LookOrder order) {
    return std::make_unique<MergedLooks>(core, std::move(order));
}

namespace {

LookResult look_once(const std::shared_ptr<Core>& core, const LookQuestion& question) {
    if (question.keys.empty()) return {};
    std::vector<std::size_t> shards;
    for (const auto& key : question.keys) shards.push_back(key.place.shard);
    std::sort(shards.begin(), shards.end());
    shards.erase(std::unique(shards.begin(), shards.end()), shards.end());

    MergedLooks stream(core, {question.from, question.depth, question.as_script, std::move(shards)});
    LookStream& looks = stream;
    for (const auto& [key, place] : question.keys) looks.ask(key, place);
    LookResult result;
    result.answers.reserve(question.keys.size());
    for (auto views = looks.next(); !views.empty(); views = looks.next()) {
        for (auto& view : views) result.answers.push_back(answer_of(view));
    }
    result.failures = looks.failures();
    return result;
}

}  // namespace

LookResult look_at(const std::shared_ptr<Core>& core, const LookQuestion& question) {
    auto result = look_once(core, question);
    if (!question.surely || question.depth == domain::LookDepth::full) return result;
    std::vector<std::size_t> again;
    std::vector<KeyAt> keys;
    for (const auto& answer : result.answers) {
        if (!(answer.look && lacks_a_value(*answer.look)) || (!again.empty() && again.back() == answer.key)) continue;
        again.push_back(answer.key);
        keys.push_back(question.keys[answer.key]);
    }
    if (keys.empty()) return result;
    auto surer = look_once(core, {keys, question.from, domain::LookDepth::full, question.as_script});
    for (auto& answer : surer.answers) answer.key = again[answer.key];
    std::erase_if(result.answers, [&](const auto& answer) { return std::ranges::binary_search(again, answer.key); });
    std::ranges::move(surer.answers, std::back_inserter(result.answers));
    std::ranges::stable_sort(result.answers, {}, &LookAnswer::key);
    std::ranges::move(surer.failures, std::back_inserter(result.failures));
    return result;
}

}  // namespace ratectl::store
