// The sweep of one node: SCAN and the looks at what it found, one step ahead of itself, page by page into the stream's queue.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>

#include "store/conversation.h"
#include "store/core.h"
#include "store/key_ring.h"
#include "store/sources.h"

namespace ratectl::store {

class Sweep;

/// What the stream and its sweeps share.
struct ScanState {
    struct Ready {
        ScanPage page;
        std::shared_ptr<Sweep> from;
        std::string cursor;         // behind it
        std::uint64_t restart = 0;  // how often its sweep had started over
    };

    std::shared_ptr<Core> core;
    ScanQuestion question;
    std::string pattern;
    std::deque<Ready> ready;
    std::vector<NodeFailure> failures;
    std::vector<ShardProgress> progress;  // one a sweep
    /// How long nobody ran the loop: what timed out meanwhile did so for our own reasons.
    std::chrono::steady_clock::duration paused{};
    bool cancelled = false;  // the stream is gone

    bool over() const { return cancelled || core->stopping(); }
};

class Sweep : public std::enable_shared_from_this<Sweep> {
public:
    /// `node` is null where a healthy replica is to be chosen first.
    Sweep(std::shared_ptr<ScanState> state, std::size_t shard, std::optional<domain::Node> node, std::size_t index);

    /// To the end of the key space, or until the node is lost; then it is among the failures.
    asio::awaitable<void> run();
    /// The stream has handed one of our pages on.
    void page_taken();
    /// Whoever had it has asked for the one after.
    void page_done(const ScanState::Ready& ready);
    void wake() { room_.cancel(); }

private:
    /// Keys of one SCAN reply, not yet looked at.
    struct Found {
        std::vector<std::string> keys;
        std::vector<bool> anchor;  // false: shown only if it is an orphan counter
        std::string next_cursor;
        bool last() const { return next_cursor == "0"; }
    };
    using Done = redis::Outcome<void>;

    asio::awaitable<bool> choose_source();
    asio::awaitable<Done> sweep_from_cursor();
    asio::awaitable<Done> send_step(const Found* to_look_at, const std::string* cursor);
    asio::awaitable<redis::Outcome<Found>> receive_found();
    asio::awaitable<Done> receive_looks(Found& found);
    asio::awaitable<void> await_room();
    Done take_facts();
    void deliver(ScanPage page, const std::string& next_cursor);
    bool shows(const domain::WindowLook& look, bool anchor);
    void restart();
    ShardProgress& progress() { return state_->progress[index_]; }
    std::size_t look_replies(const Found& found) const;

    std::shared_ptr<ScanState> state_;
    std::size_t shard_;
    std::size_t index_;
    std::optional<Source> source_;
    std::optional<domain::Node> asked_node_;
    Lease channel_;
    support::Deadline deadline_;
    std::optional<std::string> run_id_;
    std::string cursor_ = "0";  // everything before it has been delivered
    KeyRing shown_;
    std::size_t waiting_pages_ = 0;
    int attempt_ = 0;
    asio::steady_timer room_;
};

}  // namespace ratectl::store
