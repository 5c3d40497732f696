// Open channels between two uses: one conversation at a time borrows one, and gives it back if it is still sound.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "domain/node.h"
#include "redis/channel.h"

namespace ratectl::store {

/// Tells channels of different nodes, and of different dbs of one server, apart.
std::string channel_name(const domain::Node& node);
/// One node, in the same role.
bool is_same(const domain::Node& a, const domain::Node& b);

class ChannelPool;

/// A borrowed channel; goes back to the pool when it dies, unless it was closed or the pool is shut.
class Lease {
public:
    Lease() = default;
    Lease(ChannelPool& pool, const domain::Node& node, std::unique_ptr<redis::Channel> channel);
    Lease(Lease&& other) noexcept;
    Lease& operator=(Lease&& other) noexcept;
    ~Lease();

    explicit operator bool() const { return channel_ != nullptr; }
    redis::Channel& operator*() const { return *channel_; }
    redis::Channel* operator->() const { return channel_.get(); }

private:
    void give_back();

    ChannelPool* pool_ = nullptr;
    std::string name_;
    std::unique_ptr<redis::Channel> channel_;
};

class ChannelPool {
public:
    /// An idle channel that was in use at most `max_idle` ago, or an empty lease; older ones are dropped.
    Lease take(const domain::Node& node, std::chrono::milliseconds max_idle);
    /// Drops what is idle, now and from now on.
    void shut();

private:
    friend class Lease;
    struct Idle {
        std::unique_ptr<redis::Channel> channel;
        std::chrono::steady_clock::time_point since;
    };

    std::map<std::string, std::vector<Idle>, std::less<>> idle_;
    bool shut_ = false;
};

}  // namespace ratectl::store
