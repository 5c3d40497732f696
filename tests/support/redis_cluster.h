// A real Redis Cluster for one test: its nodes on loopback, its slots moved and its primaries killed at will.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "support/redis_server.h"

namespace ratectl::test {

class RedisCluster {
public:
    /// Primaries with even shares of the slots, each with so many replicas; returns when every node says that all is
    /// well. The nodes are numbered: first the primaries, then the replicas of the first of them, and so on.
    explicit RedisCluster(std::size_t primaries = 3, std::size_t replicas_each = 0);

    std::size_t size() const { return nodes_.size(); }
    RedisServer& node(std::size_t number) { return *nodes_.at(number); }
    /// Ends a node without a word; the others, which until now put up with a busy machine, soon take it for dead.
    void kill(std::size_t number);
    std::string id(std::size_t number) { return node(number).command({"CLUSTER", "MYID"}); }
    /// `127.0.0.1:7001`: how ratectl names it.
    std::string address(std::size_t number) const { return nodes_.at(number)->endpoint().address(); }
    std::string url(std::size_t number) const { return nodes_.at(number)->endpoint().url(); }

    /// The primary that the slot of this key began at.
    std::size_t home(const std::string& key) const;
    /// A window as an application would have left it.
    void set_window(const std::string& key, const std::string& used, std::int64_t reset_at);

    /// From here on the slot is on its way; its keys stay until they are moved.
    void open_slot(std::uint16_t slot, std::size_t from, std::size_t to);
    void move_key(const std::string& key, std::size_t from, std::size_t to);
    /// Its other keys, and then the slot itself.
    void close_slot(std::uint16_t slot, std::size_t from, std::size_t to);
    void move_slot(std::uint16_t slot, std::size_t from, std::size_t to);
    /// No node has the slot any more; the others go on.
    void drop_slot(std::uint16_t slot);
    /// Makes this replica the primary, whether the one that it follows is there or not.
    void promote(std::size_t replica, bool by_force);

private:
    /// Its share, where it is a primary, and an epoch of its own.
    void give_slots(std::size_t number);
    void agree_on_epochs();
    void await(const char* what, const std::function<bool()>& done);

    sandbox::TemporaryFolder folder_;
    std::vector<std::unique_ptr<RedisServer>> nodes_;
    std::size_t primaries_;
};

}  // namespace ratectl::test
