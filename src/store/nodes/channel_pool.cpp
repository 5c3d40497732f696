// Keeps idle channels, by node.
#include "store/nodes/channel_pool.h"

#include <new>

namespace ratectl::store {

std::string channel_name(const domain::Node& node) { return node.shard + '\n' + node.endpoint.url(); }

bool is_same(const domain::Node& a, const domain::Node& b) {
    return a.role == b.role && channel_name(a) == channel_name(b);
}

namespace {

/// A channel to a replica has been told to answer reads.
std::string pooled_name(const domain::Node& node) {
    return channel_name(node) + (node.role == domain::Role::replica ? "\nreplica" : "");
}

}  // namespace

Lease::Lease(ChannelPool& pool, const domain::Node& node, std::unique_ptr<redis::Channel> channel)
    : pool_(&pool), name_(pooled_name(node)), channel_(std::move(channel)) {}

Lease::Lease(Lease&& other) noexcept
    : pool_(other.pool_), name_(std::move(other.name_)), channel_(std::move(other.channel_)) {}

Lease& Lease::operator=(Lease&& other) noexcept {
    if (this == &other) return *this;
    give_back();
    pool_ = other.pool_;
    name_ = std::move(other.name_);
    channel_ = std::move(other.channel_);
    return *this;
}

Lease::~Lease() { give_back(); }

void Lease::give_back() {
    if (!channel_ || pool_->shut_ || !channel_->is_open()) {
        channel_.reset();
        return;
    }
    try {
        pool_->idle_[name_].push_back({std::move(channel_), std::chrono::steady_clock::now()});
    } catch (const std::bad_alloc&) {  // where nothing may be thrown; without memory it is closed instead
        channel_.reset();
    }
}

Lease ChannelPool::take(const domain::Node& node, std::chrono::milliseconds max_idle) {
    const auto found = idle_.find(pooled_name(node));
    if (found == idle_.end()) return {};
    const auto oldest = std::chrono::steady_clock::now() - max_idle;
    while (!found->second.empty()) {
        Idle idle = std::move(found->second.back());
        found->second.pop_back();
        if (idle.since >= oldest && idle.channel->is_open()) return {*this, node, std::move(idle.channel)};
    }
    return {};
}

void ChannelPool::shut() {
    shut_ = true;
    idle_.clear();
}

}  // namespace ratectl::store
