// Shards of real servers, a primary and a replica each, under real sentinels.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "support/redis_server.h"

namespace ratectl::test {

class Sentinels {
public:
    /// Masters m1, m2 ...; a primary that is silent for `down_after` gets a successor, so that it is long where none
    /// dies: a busy machine may be silent, too. Returns when every sentinel knows the others and all replicas.
    explicit Sentinels(std::size_t shards = 1,
                       std::chrono::milliseconds down_after = std::chrono::milliseconds(30'000));

    RedisServer& sentinel(std::size_t i) { return *sentinels_.at(i); }
    std::size_t size() const { return sentinels_.size(); }
    /// As it was at the beginning.
    RedisServer& primary(std::size_t shard) { return *nodes_.at(2 * shard); }
    RedisServer& replica(std::size_t shard) { return *nodes_.at(2 * shard + 1); }

    /// Which port the sentinels say that a shard's primary has: the first of them that knows.
    std::uint16_t primary_port(std::size_t shard);
    /// Returns when all of them say that it is this one, and it says so itself.
    void await_primary(std::size_t shard, RedisServer& server);
    /// `sentinels = [...]` and a table a shard (alpha, beta ...), with labels of their own.
    std::string settings() const;

private:
    std::vector<std::unique_ptr<RedisServer>> nodes_;
    std::vector<std::unique_ptr<RedisServer>> sentinels_;
};

}  // namespace ratectl::test
