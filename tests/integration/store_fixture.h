// Real shards for the store's tests: primaries with replicas, and the store over them.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "domain/node.h"
#include "store/store.h"
#include "support/catch.h"
#include "support/configured_topology.h"
#include "support/number_text.h"
#include "support/redis_server.h"
#include "support/wall_now.h"

namespace ratectl::test {

/// So many windows at once, PREFIX1 and on, through a script of the test's own.
inline void fill(RedisServer& server, const std::string& prefix, int windows) {
    server.command({"EVAL",
                    "for i = 1, tonumber(ARGV[2]) do redis.call('SET', ARGV[1] .. i, i, 'EX', 3600) "
                    "redis.call('SET', ARGV[1] .. i .. ':exp', '2000000000', 'EX', 3600) end",
                    "0", prefix, std::to_string(windows)});
}

class StoreFixture {
public:
    /// Shards named alpha, beta, gamma ...
    explicit StoreFixture(std::size_t shards = 1, std::size_t replicas = 0) {
        static const std::vector<std::string> names{"alpha", "beta", "gamma", "delta"};
        for (std::size_t s = 0; s < shards; ++s) {
            primaries.push_back(std::make_unique<RedisServer>());
            domain::Shard shard{names.at(s), primaries.back()->endpoint(), {}, false};
            replicas_of.emplace_back();
            for (std::size_t r = 0; r < replicas; ++r) {
                replicas_of.back().push_back(std::make_unique<RedisServer>());
                replicas_of.back().back()->make_replica_of(*primaries.back());
                shard.replicas.push_back(replicas_of.back().back()->endpoint());
            }
            topology.shards.push_back(std::move(shard));
        }
        options.timeout = support::Milliseconds(1500);
        options.wall_clock = wall_now;
        options.notice = [this](const support::Error& error) { notices.push_back(error.message); };
    }

    store::Store& store() {
        if (!store_) store_ = std::make_unique<store::Store>(topology, options);
        return *store_;
    }
    void new_store() { store_.reset(); }

    void put(std::size_t shard, const std::string& key, const std::string& used, const std::string& reset) {
        primaries[shard]->command({"SET", key, used, "EX", "3600"});
        primaries[shard]->command({"SET", key + ":exp", reset, "EX", "3600"});
    }
    std::string get(std::size_t shard, const std::string& key) { return primaries[shard]->command({"GET", key}); }

    std::vector<std::unique_ptr<RedisServer>> primaries;
    std::vector<std::vector<std::unique_ptr<RedisServer>>> replicas_of;
    test::ConfiguredTopology topology;
    store::Options options;
    std::vector<std::string> notices;
    support::Instant now = support::to_instant(wall_now());

private:
    std::unique_ptr<store::Store> store_;
};

}  // namespace ratectl::test
