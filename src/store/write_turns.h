// The writes of several batches, shard by shard: on each they take turns, all shards at once.
#pragma once

#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <vector>

#include "store/shard_writer.h"
#include "store/write_target.h"

namespace ratectl::store {

/// The part of a batch that one shard carries out.
struct WriteTurn {
    std::shared_ptr<WriteJob> job;
    std::shared_ptr<WriteTarget> target;  // its channel: empty while another turn may have it
    std::vector<const Slice*> slices;
};

/// What is to run holds the turns, so they must be shared.
class WriteTurns : public std::enable_shared_from_this<WriteTurns> {
public:
    explicit WriteTurns(std::shared_ptr<Core> core) : core_(std::move(core)) {}

    /// Starts when the loop runs next, or when the turns before it on this shard have ended. The job counts it until it has ended.
    void add(WriteTurn turn);
    /// The server of the last turn on this shard that has not ended; null: none.
    const WriteTarget* last_on(std::size_t shard) const;

private:
    void start(std::size_t shard);
    void end(std::size_t shard, const std::exception_ptr& error);

    std::shared_ptr<Core> core_;
    std::map<std::size_t, std::deque<std::shared_ptr<WriteTurn>>> turns_;  // in front: the one that runs
};

}  // namespace ratectl::store
