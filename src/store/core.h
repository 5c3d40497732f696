// What every operation of one store shares: the servers, the loop, the open channels, the clock and the wish to stop.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "redis/channel.h"
#include "redis/event_loop.h"
#include "schemes/scheme.h"
#include "store/nodes/channel_pool.h"
#include "store/store.h"
#include "store/writes/eviction_marks.h"

namespace ratectl::store {

/// What writes have learned about the server behind a shard's primary.
struct WrittenServer {
    std::string run_id;
    int db = 0;
    std::optional<redis::ServerClock> clock;
    std::optional<EvictionMarks> marks;
    std::chrono::steady_clock::time_point marks_read_at{};
    std::size_t calls_at_once = 1;  // that it has answered well in time
    /// The key of ours that was left there last, the operation key of a call or a marker (number 0), and when that was
    /// answered.
    std::optional<domain::SliceId> witness = {};
    std::chrono::steady_clock::time_point witness_at = {};

    /// Null when there is none, or one that may have ended by itself: such keys live for ten minutes at least.
    std::optional<domain::SliceId> fresh_witness() const {
        const bool fresh = std::chrono::steady_clock::now() - witness_at < std::chrono::minutes(9);
        return fresh ? witness : std::nullopt;
    }
};

/// Held by every coroutine of the store, so that one that an impatient caller left behind never outlives what it uses.
class Core {
public:
    Core(const Topology& topology, Options options_in, redis::EventLoop& loop_in,
         std::shared_ptr<redis::Connector> connector_in);

    /// The end of an exchange that begins now.
    support::Deadline exchange_deadline() const;
    bool stopping() const { return options.stop != nullptr && static_cast<bool>(*options.stop); }
    /// Told twice: leave at once.
    bool hurried() const { return options.stop != nullptr && options.stop->count() >= 2; }
    support::WallTime now() const { return options.wall_clock ? options.wall_clock() : support::WallTime{}; }
    /// Said once, however many batches of keys meet the same thing.
    void notice(const support::Error& error);
    /// What people are told of a window that cannot be one in a Redis Cluster, because its keys are in different slots;
    /// null: all are in one slot, or keys have no slots.
    std::optional<support::Error> scattered(std::string_view key) const;
    /// The id of a call whose windows are in the slot that its number says, where keys have slots.
    domain::SliceId named(domain::SliceId id) const;
    /// For what was not done because the user or the system wants us to stop.
    support::Error interrupted() const;

    /// A node that did not answer a moment ago is not waited for again with every batch of keys.
    void remember_dead(const domain::Node& node, const redis::Fault& fault);
    std::optional<redis::Fault> known_dead(const domain::Node& node) const;

    std::shared_ptr<Directory> directory;
    Options options;
    redis::EventLoop& loop;
    std::shared_ptr<redis::Connector> connector;
    const schemes::Scheme* scheme;
    ChannelPool pool;
    /// By shard; only of servers that say who they are.
    std::map<std::size_t, WrittenServer> written;
    /// Names of the shards where something was written, or may have been.
    std::set<std::string> changed;

private:
    struct Dead {
        redis::Fault fault;
        std::chrono::steady_clock::time_point until;
        std::uint64_t epoch = 0;  // of the directory: where servers have changed their places, it may be up
    };
    std::map<std::string, Dead> dead_;
    std::set<std::string> noticed_;
};

/// `shard 'alpha' (10.0.0.7:6379)`, as the transport names a node in messages.
std::string where(const domain::Node& node);

}  // namespace ratectl::store
