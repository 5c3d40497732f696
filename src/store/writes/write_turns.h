// The writes of several batches, shard by shard: each follows the one before it, all shards at once.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <vector>

#include <asio/awaitable.hpp>

#include "store/writes/shard_writer.h"
#include "store/writes/write_target.h"

namespace ratectl::store {

/// The part of a batch that one shard carries out.
struct WriteTurn {
    JobClaim job;
    std::shared_ptr<WriteTarget> target;  // its channel: empty while another turn may have it
    std::vector<const Slice*> slices;
};

/// What is to run holds the turns, so they must be shared.
class WriteTurns : public std::enable_shared_from_this<WriteTurns> {
public:
    explicit WriteTurns(std::shared_ptr<Core> core) : core_(std::move(core)) {}

    /// Starts when the loop runs next, or goes on where the turn before it on this shard has nothing left to send, or
    /// starts when all of that has been answered.
    void add(WriteTurn turn);
    /// The server of the last turn on this shard that has not ended; null: none.
    const WriteTarget* last_on(std::size_t shard) const;
    /// A turn left an unknown outcome on this shard: those after it are not begun.
    bool closed(std::size_t shard) const;
    /// No turn runs or waits.
    bool idle() const;

private:
    struct OfShard {
        std::deque<std::shared_ptr<WriteTurn>> turns;  // in front: the one that runs
        ShardWriter* writer = nullptr;                 // of that one, once it writes
        bool closed = false;
    };
    void start(std::size_t shard);
    asio::awaitable<void> run(std::shared_ptr<WriteTurn> turn);
    void end(std::size_t shard);

    std::shared_ptr<Core> core_;
    std::map<std::size_t, OfShard> shards_;
};

}  // namespace ratectl::store
