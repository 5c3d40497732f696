// The writes of one shard: several script calls on their way at once, lost replies found out, and then the replicas
// waited for.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <asio/awaitable.hpp>

#include "redis/script_pipeline.h"
#include "schemes/write_answer.h"
#include "store/writes/lost_replies.h"
#include "store/writes/write_target.h"
#include "store/writes/writes.h"

namespace ratectl::store {

/// What the writers of all shards share.
struct WriteJob {
    std::shared_ptr<Core> core;
    const WriteRequest* request = nullptr;
    std::vector<WriteResult> results;
    int running = 0;  // claims that are left
};

/// A shard's part in a job, which has not ended as long as this lives.
class JobClaim {
public:
    explicit JobClaim(std::shared_ptr<WriteJob> job) : job_(std::move(job)) { ++job_->running; }
    JobClaim(JobClaim&&) noexcept = default;
    JobClaim& operator=(JobClaim&&) = delete;
    ~JobClaim() {
        if (job_) --job_->running;
    }

    WriteJob& operator*() const { return *job_; }
    WriteJob* operator->() const { return job_.get(); }

private:
    std::shared_ptr<WriteJob> job_;
};

class ShardWriter {
public:
    /// The target is fit.
    ShardWriter(std::shared_ptr<Core> core, std::shared_ptr<WriteTarget> target);
    ShardWriter(const ShardWriter&) = delete;
    ShardWriter& operator=(const ShardWriter&) = delete;

    /// A batch's slices for this shard, whose claim is kept until all of them are settled, the last batch's until the
    /// end of this. They are sent in their order; one that shares a key with an earlier one waits for that one's
    /// answer.
    void add(JobClaim job, const std::vector<const Slice*>& slices);
    /// Whether one more batch may be added while this runs. Not forever: what a lost operation key is noticed by must
    /// not be old.
    bool takes_more(const WriteOrder& order) const;

    /// Never throws: what goes wrong here, an exception included, becomes results of this shard's items.
    asio::awaitable<void> run();
    /// Something was sent, and what came of it is unknown: this shard gets nothing more.
    bool left_unknown() const { return left_unknown_; }

private:
    /// What one batch has here.
    struct Share {
        JobClaim job;
        std::size_t open = 0;  // parts that are not settled
    };
    struct Part {
        std::list<Share>::iterator share;  // until it is settled
        const Slice* slice = nullptr;
        std::optional<std::size_t> after;  // an earlier part that has one of its keys
        bool settled = false;
        int attempts = 0;
        support::Deadline sent{};  // when this attempt began
        support::Deadline end{};   // and when it ends
        std::optional<std::int64_t> late_after_ms;
        std::optional<support::WallTime> first_sent;  // the server's clock
        std::optional<support::Deadline> patience;    // told to come back later: not after this
        std::optional<redis::Fault> broke_inside;     // the script itself raised an error
        int connection = 0;                           // on which it was answered
        int redirects = 0;                            // that were followed
        std::optional<std::uint16_t> slot;            // of a Redis Cluster
        int holds = 0;                                // refusals of its slot
        std::optional<std::size_t> ahead;             // its windows have gone there before their slot: asked this once
    };
    using Indices = std::set<std::size_t>;

    static std::size_t key_hash(std::string_view key) { return std::hash<std::string_view>{}(key); }

    asio::awaitable<void> leave_marker();
    asio::awaitable<void> write_all();
    bool may_send() const;
    asio::awaitable<std::optional<redis::Fault>> fill();
    bool start(Part& part);
    void adapt_room(const Part& part);
    redis::ScriptCall call_of(const Part& part) const;

    /// A fault: the connection is not to be trusted any more.
    std::optional<redis::Fault> take(const redis::ScriptPipeline::Answer& answer);
    std::optional<redis::Fault> take_error(std::size_t i, const redis::Reply& reply);
    void take_windows(std::size_t i, schemes::WriteAnswers answers);
    void take_late(std::size_t i, std::int64_t server_time_ms);
    void take_record(std::size_t i, const domain::OperationRecord& record);
    void refuse_as_other(std::size_t i);
    void set_answer(const Part& part, std::size_t item, schemes::WriteAnswer&& answer, support::WallTime written_at);

    /// A call that was redirected, and so did nothing.
    struct Redirected {
        std::size_t part = 0;
        redis::Fault fault;
    };
    Place place_now(const Part& part) const;
    bool is_here(const Part& part) const;
    asio::awaitable<void> follow(Redirected redirected);
    asio::awaitable<void> change_server();

    std::optional<std::size_t> next_part() const;
    bool takes_apart(std::size_t i, const redis::Fault& fault);
    bool goes_ahead(std::size_t i, const redis::Fault& fault);
    void hold_slot(std::size_t i, redis::Fault fault);
    void leave_slot(std::size_t i, redis::Fault fault);
    asio::awaitable<void> wait_for_slots();
    asio::awaitable<void> come_back_later();
    asio::awaitable<void> recover(redis::Fault lost);
    asio::awaitable<void> reopen(redis::Fault lost);
    asio::awaitable<void> find_out_about_lost(const redis::Fault& lost);
    void take_absent(std::size_t i, const redis::Fault& lost);
    void use(Lease channel, std::optional<redis::ServerClock> clock);
    void remember_server();
    void remember_witness(const domain::SliceId& id);

    void settle(std::size_t i, const WriteResult& result);
    void close(std::size_t i);
    void leave_unknown(std::size_t i, const support::Error& why);
    void fail_waiting(const redis::Fault& interruption);
    void end_with(const WriteResult& result);
    void end_with(redis::Fault fault);
    void break_off(const support::Error& error);
    asio::awaitable<void> wait_for_replicas();

    Core& core() const { return *core_; }
    static WriteJob& job(const Part& part) { return *part.share->job; }
    static const WriteRequest& request(const Part& part) { return *job(part).request; }
    static const WriteOrder& order(const Part& part) { return *request(part).order; }
    /// The same for all that it takes.
    bool has_operation_key() const { return has_operation_key_; }
    std::string what(const Part& part) const;

    std::shared_ptr<Core> core_;
    std::shared_ptr<WriteTarget> target_;
    support::Deadline began_;
    bool has_operation_key_ = true;
    std::list<Share> shares_;
    std::deque<Part> parts_;
    std::unordered_map<std::size_t, std::size_t>
        last_with_key_;  // by the key's hash: the last part, while it is not settled
    Indices waiting_;
    Indices on_their_way_;
    std::size_t room_ = 1;             // how many may be on their way
    support::Deadline narrowed_at_{};  // when it was last made less
    std::unique_ptr<redis::ScriptPipeline> pipeline_;
    std::optional<redis::Fault> come_back_;  // the last refusal of those that will pass
    std::optional<redis::Fault> lost_;       // the last reason for sending something again
    /// Slots that were refused for a moment, and when they are asked for again: with one part alone.
    std::map<std::uint16_t, support::Deadline> held_;
    std::set<std::uint16_t> given_up_;  // slots that were asked for again until there was no time left
    std::deque<Slice> alone_;           // of single windows, out of calls that were taken apart
    int pauses_ = 0;
    int connection_ = 0;
    int reopened_ = 0;
    std::optional<Redirected> redirected_;
    int server_since_ =
        0;  // another server than the target was at first: the first connection to the server that is written to now
    bool anything_sent_ = false;
    bool over_ = false;  // nothing more is sent
    bool left_unknown_ = false;
};

}  // namespace ratectl::store
