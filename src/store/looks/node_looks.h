// The looks at one node: keys gathered into batches, a few batches on the wire at any time, answers left where the
// stream finds them.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>

#include "store/core.h"
#include "store/nodes/conversation.h"
#include "store/nodes/freshness.h"

namespace ratectl::store {

/// Keys of one place that one command asks for, and what became of it. Used again and again: the strings keep their
/// memory.
struct LookBatch {
    std::vector<std::string> keys;  // the first `size`
    std::size_t size = 0;
    Place place;
    std::vector<schemes::Scheme::Look> looks;  // one a key, once it is done
    domain::LookDepth depth = domain::LookDepth::light;
    const domain::Node* node = nullptr;  // that answered, in the role it said it has, or should have
    bool done = false;
    std::optional<support::Error> error;  // done, and in place of all looks; before, why they may not come at all
    support::WallTime read_at{};
    std::optional<support::WallTime> server_now;  // its clock then
    domain::Asked left;                           // when it was sent last
    bool stale = false;
    std::size_t owed = 0;  // answers that have not been handed on

    // ---- of a slot that was not where it was looked for, or not to be had
    int detours = 0;
    int follows = 0;                               // of them to where the slot was said to be
    std::chrono::steady_clock::time_point wake{};  // not asked for again before
    std::optional<support::Deadline> patience;     // nor after
    bool asking = false;                           // at a node that the slot is still on its way to
    bool at_primary = false;                       // also where replicas are chosen
    std::vector<LookBatch*> pieces;                // has been taken apart: one for each key, and they have the answers

    std::size_t bytes = 0;  // of the keys, each of which a look names up to eight times

    std::span<const std::string> asked() const { return std::span(keys).first(size); }
    /// In windows; long names weigh as much as many.
    std::size_t weight() const { return size + bytes / 4096; }
};

/// What the stream and the looks at its nodes share.
struct LookState {
    std::shared_ptr<Core> core;
    LookOrder order;
    std::deque<LookBatch> batches;  // all there are
    std::vector<LookBatch*> free;
    std::deque<domain::Node> nodes;  // that batches refer to
    std::vector<NodeFailure> failures;
    bool cancelled = false;  // the stream is gone

    bool over() const { return cancelled || core->stopping(); }
    LookBatch& new_batch();
    const domain::Node& keep(const domain::Node& node);
    /// Those that are not known yet.
    void note(std::vector<NodeFailure> more);
};

class NodeLooks {
public:
    /// `node` is null where a healthy replica is to be chosen.
    NodeLooks(std::shared_ptr<LookState> state, std::size_t shard, const domain::Node* node);

    /// Every key fails like this; no server is asked.
    void refuse(support::Error error) { refusal_ = std::move(error); }
    /// The batch in which the key will be answered, as its last one.
    LookBatch& add(std::string_view key, Place place);
    /// The same for a key that no server is asked for.
    LookBatch& add_refused(std::string_view key, Place place, support::Error error);
    asio::awaitable<void> run();
    void wake() {
        asleep_ = false;
        wake_.cancel();
    }
    /// No key comes any more.
    void retire() {
        retired_ = true;
        wake();
    }

private:
    using Done = redis::Outcome<void>;

    bool is_idle() const { return queue_.empty(); }
    asio::awaitable<void> sleep();
    asio::awaitable<void> choose_node();
    asio::awaitable<void> open();
    asio::awaitable<Done> converse();
    asio::awaitable<Done> send_batches();
    asio::awaitable<Done> receive_batches();
    void decode(LookBatch& batch, std::span<const redis::Reply> replies);
    asio::awaitable<Done> look_through_lua();
    asio::awaitable<Done> look_through_proxy(LookBatch& batch);
    asio::awaitable<Done> look_asking();
    asio::awaitable<void> take_replies(LookBatch& batch, std::span<const redis::Reply> replies,
                                       std::optional<redis::Fault> refused);
    asio::awaitable<bool> keep_fresh();
    asio::awaitable<bool> follow(const redis::Fault& fault);
    asio::awaitable<bool> leave_for_successor(redis::Redirect::Kind why);
    asio::awaitable<std::optional<Place>> place_after(LookBatch& batch, const redis::Redirect& redirect);
    bool is_doubtful(const LookBatch& batch) const;
    void take_or_doubt(LookBatch& batch);
    asio::awaitable<void> settle_doubts();
    void take_doubted(LookBatch& batch, bool is_whole);
    support::Error sent_away(const LookBatch& batch, support::Error error) const;
    void ask_again(LookBatch& batch);
    void take_apart(LookBatch& batch);
    void leave_queue(const LookBatch& batch);
    asio::awaitable<void> find_due();
    bool may_choose() const;
    /// Where a slot has moved, or is on its way, its keys are asked for there; replicas beside a primary do not.
    bool follows() const;
    asio::awaitable<bool> take_by_parts(LookBatch& batch);
    bool is_succeeded() const;
    bool is_left_behind();
    bool is_here(const LookBatch& batch) const {
        return batch.place.shard == shard_ && batch.at_primary == at_primary_;
    }
    bool may_go(const LookBatch& batch) const {
        const bool due =
            batch.wake == std::chrono::steady_clock::time_point{} || batch.wake <= std::chrono::steady_clock::now();
        return is_here(batch) && !batch.asking && due;
    }
    /// For as much as one command asks for: less is not worth a system call.
    bool has_room() const;
    /// Its answer may be of a key that has left this node.
    bool is_read_at_replica(const LookBatch& batch) const {
        return batch.place.slot &&
               (node_->role == domain::Role::replica || channel_->facts().role == domain::Role::replica);
    }
    void leave_node();
    bool is_too_old(const LookBatch& batch);
    asio::awaitable<void> settle(redis::Fault fault);
    bool try_without(const redis::Fault& fault);
    void begin_step();
    void take(LookBatch& batch, std::optional<support::Error> error = {});
    void note_time();
    void take_now(LookBatch& batch, std::optional<support::Error> error = {});
    asio::awaitable<void> give_up(const redis::Fault& fault);
    void fail_all(const support::Error& error, const domain::Node& node);
    void fail_those_here(const support::Error& error, const domain::Node& node);

    std::shared_ptr<LookState> state_;
    std::size_t shard_;  // of the oldest batch, once it is asked for
    bool chooses_;
    bool is_beside_;  // a replica that is asked beside its primary
    const domain::Node* node_;
    struct Said {
        const domain::Node* of = nullptr;
        std::optional<domain::Role> role = {};
        const domain::Node* answered = nullptr;  // it, in that role
    };
    Said said_;
    bool stale_ = false;
    Freshness fresh_;
    std::optional<std::chrono::steady_clock::time_point> shown_from_;  // when the node was chosen
    bool as_script_;
    std::optional<support::Error> refusal_;
    std::deque<LookBatch*> queue_;  // the first `sent_` are on the wire
    std::size_t sent_ = 0;
    std::size_t windows_sent_ = 0;
    std::vector<LookBatch*> doubted_;  // have left the queue, and are answered once their primary has been asked
    Lease channel_;
    redis::Request request_;
    std::vector<redis::Reply> replies_;
    support::Deadline until_{};
    std::chrono::steady_clock::duration paused_before_{};
    support::WallTime heard_at_{};
    std::optional<support::WallTime> server_now_;
    int attempt_ = 0;
    std::size_t changes_ = 0;  // of the node, since one last answered
    bool at_primary_ = false;  // as the batch wants it that the node was chosen for
    int odd_ = 0;              // batches in a row that got no sensible reply
    std::uint64_t epoch_ = 0;  // of the directory, when the node was one of its place in that role
    bool asleep_ = false;
    bool retired_ = false;
    asio::steady_timer wake_;
};

}  // namespace ratectl::store
