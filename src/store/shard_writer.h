// The writes of one shard: several script calls on their way at once, lost replies found out, and then the replicas waited for.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <asio/awaitable.hpp>

#include "redis/script_pipeline.h"
#include "schemes/write_answer.h"
#include "store/lost_replies.h"
#include "store/write_target.h"
#include "store/writes.h"

namespace ratectl::store {

/// What the writers of all shards share.
struct WriteJob {
    std::shared_ptr<Core> core;
    const WriteRequest* request = nullptr;
    std::vector<WriteResult> results;
    int running = 0;           // shards that are not done yet
    std::exception_ptr error;  // the first
};

class ShardWriter {
public:
    /// The target is fit. Slices are sent in their order; one that shares a key with an earlier one waits for that one's answer.
    ShardWriter(std::shared_ptr<WriteJob> job, std::shared_ptr<WriteTarget> target, std::vector<const Slice*> slices);

    /// Never throws: what goes wrong here, an exception included, becomes results of this shard's items.
    asio::awaitable<void> run();

private:
    struct Part {
        const Slice* slice = nullptr;
        std::optional<std::size_t> after;  // an earlier part that has one of its keys
        bool settled = false;
        int attempts = 0;
        support::Deadline end{};  // of this attempt
        std::optional<std::int64_t> late_after_ms;
        std::optional<support::WallTime> first_sent;  // the server's clock
        std::optional<support::Deadline> patience;    // told to come back later: not after this
        std::optional<redis::Fault> broke_inside;     // the script itself raised an error
        int connection = 0;                           // on which it was answered
    };
    using Indices = std::set<std::size_t>;

    asio::awaitable<void> write_all();
    bool may_send() const;
    asio::awaitable<std::optional<redis::Fault>> fill();
    bool start(Part& part);
    redis::ScriptCall call_of(const Part& part) const;

    /// A fault: the connection is not to be trusted any more.
    std::optional<redis::Fault> take(redis::ScriptPipeline::Answer answer);
    std::optional<redis::Fault> take_error(std::size_t i, const redis::Reply& reply);
    void take_windows(Part& part, schemes::WriteAnswers answers);
    void take_late(std::size_t i, std::int64_t server_time_ms);
    void take_record(std::size_t i, const domain::OperationRecord& record);
    void refuse_as_other(Part& part);
    void set_answer(const Part& part, std::size_t item, schemes::WriteAnswer answer);

    asio::awaitable<void> come_back_later();
    asio::awaitable<void> recover(redis::Fault lost);
    asio::awaitable<void> reopen(redis::Fault lost);
    asio::awaitable<void> find_out_about_lost(const redis::Fault& lost);
    void take_absent(std::size_t i, const redis::Fault& lost);
    void use(Lease channel, std::optional<redis::ServerClock> clock);
    void remember_clock();

    void settle(Part& part, const WriteResult& result);
    void leave_unknown(std::size_t i, const support::Error& why);
    void fail_waiting(const redis::Fault& interruption);
    void end_with(const redis::Fault& fault);
    void break_off(const support::Error& error);
    asio::awaitable<void> wait_for_replicas();

    Core& core() const { return *job_->core; }
    const WriteOrder& order() const { return *job_->request->order; }
    bool has_operation_key() const { return !order().operation.id.empty(); }
    std::string what(const Part& part) const;

    std::shared_ptr<WriteJob> job_;
    std::shared_ptr<WriteTarget> target_;
    std::vector<Part> parts_;
    Indices waiting_;
    Indices on_their_way_;
    std::unique_ptr<redis::ScriptPipeline> pipeline_;
    std::optional<redis::Fault> come_back_;  // the last refusal of those that will pass
    std::optional<redis::Fault> lost_;       // the last reason for sending something again
    int pauses_ = 0;
    int connection_ = 0;
    int reopened_ = 0;
    bool anything_sent_ = false;
    bool over_ = false;  // nothing more is sent
};

}  // namespace ratectl::store
