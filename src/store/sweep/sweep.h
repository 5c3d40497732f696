// The sweep of one node from its first cursor to its last: whom to read, what to do when the connection breaks, pages
// into the stream's queue.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>

#include "store/cursor_guard.h"
#include "store/nodes/conversation.h"
#include "store/nodes/freshness.h"
#include "store/nodes/sources.h"
#include "store/sweep/data_watch.h"
#include "store/sweep/doubtful_looks.h"
#include "store/sweep/page_pipeline.h"
#include "store/sweep/page_size.h"
#include "store/sweep/sightings.h"
#include "store/sweep/sweep_page.h"

namespace ratectl::store {

class Sweep : public PagePipeline::Owner, public std::enable_shared_from_this<Sweep> {
public:
    /// `node` is null where a healthy replica is to be chosen first; `resume`: where an earlier sweep of it had come.
    Sweep(std::shared_ptr<ScanState> state, std::size_t shard, std::optional<domain::Node> node, std::size_t index,
          std::optional<ScanCursor> resume);

    /// To the end of the key space, or until the node is lost; then it is among the failures.
    asio::awaitable<void> run();
    /// The stream has handed one of our pages on.
    void page_taken();
    /// The caller that had it has asked for the one after.
    void page_done(const ScanState::Ready& ready);
    void wake() { sleep_.cancel(); }

    void deliver(std::unique_ptr<SweepPage> page) override;
    bool wants(std::string_view key, std::string_view counter) override { return seen_->wants(key, counter); }
    bool wants_without_counter(std::string_view key, std::string_view expiry) override {
        return seen_->wants_without_counter(key, expiry);
    }
    void carry_over(std::string_view key, bool expiry) override { seen_->carry_over(key, expiry); }
    bool has_to_ask() const override { return fresh_.is_due(); }
    asio::awaitable<void> ask() override;
    void leaves(SweepPage& page) override { page.left = fresh_.stamp(); }
    bool wants_history() const override { return data_.is_due_with_pages(); }
    void hear_history(std::string_view info) override { data_.hear(info); }
    std::size_t waiting() const override { return waiting_pages_; }
    asio::awaitable<void> sleep_until(PagePipeline::Clock::time_point latest) override;

private:
    using Done = redis::Outcome<void>;

    asio::awaitable<bool> choose_source();
    asio::awaitable<std::optional<Source>> source_of_cursor();
    asio::awaitable<bool> is_foreign(domain::Node node, redis::ServerFacts facts);
    asio::awaitable<Done> sweep_from_cursor();
    asio::awaitable<void> await_slots();
    asio::awaitable<Done> read_pages();
    /// `fault`: why it does not answer; null: it is a replica now.
    asio::awaitable<bool> follow_primary(std::optional<redis::Fault> fault);
    void take_facts();
    void restart();
    Pace* pace();
    /// What is not to be shown yet.
    DoubtfulLooks::Held show(SweepPage& page);
    asio::awaitable<void> sweep();
    void note_long_names(const SweepPage& page);
    void say_long_names();
    bool is_stale(const SweepPage& page, bool shows_nothing);
    void note_too_old();
    ShardProgress& progress() { return state_->progress[index_]; }

    std::shared_ptr<ScanState> state_;
    std::size_t shard_;
    std::size_t index_;
    std::optional<Source> source_;
    domain::Node answering_;  // the same in the role that it said it has
    Freshness fresh_;
    bool told_too_old_ = false;
    DataWatch data_;
    bool at_end_ = false;  // every page has been delivered
    bool failed_ = false;
    std::optional<domain::Node> asked_node_;
    std::optional<ScanCursor> resume_;
    Lease channel_;
    std::optional<std::string> run_id_;
    std::string cursor_ = "0";  // everything before it has been delivered
    PageSize page_size_;
    CursorGuard guard_;
    std::size_t too_long_ = 0;  // names, left out
    LongName first_too_long_;
    std::shared_ptr<Sightings> seen_;
    std::size_t waiting_pages_ = 0;
    int attempt_ = 0;
    int follows_ = 0;
    asio::steady_timer sleep_;
};

}  // namespace ratectl::store
