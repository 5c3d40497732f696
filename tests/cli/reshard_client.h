// An application that goes on counting on its old shards while its windows are moved.
#pragma once

#include <atomic>
#include <chrono>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "cli/reshard_box.h"
#include "support/plain_client.h"

namespace ratectl::test {

/// As an application's limiter counts, on the shard that the old deployment looks on.
constexpr const char* kCount = R"(
if redis.call('EXISTS', KEYS[2]) == 0 then
  redis.call('SET', KEYS[2], ARGV[1], 'EXAT', ARGV[1] + 1)
  redis.call('SET', KEYS[1], '0', 'EXAT', ARGV[1] + 1)
end
return redis.call('INCRBY', KEYS[1], 1))";

/// Counts in random windows until it is stopped, one thread a shard; remembers what each server confirmed.
class ReshardClient {
public:
    ReshardClient(ReshardBox& box, std::size_t windows, std::int64_t reset_at) : counted_(windows) {
        for (std::size_t shard = 0; shard < 3; ++shard) {
            std::vector<std::size_t> mine;
            for (std::size_t i = 0; i < windows; ++i) {
                if (ReshardBox::home(ReshardBox::key(i), 3) == shard) mine.push_back(i);
            }
            threads_.emplace_back(
                [this, &box, shard, mine, reset_at] { run(box.server(shard), shard, mine, reset_at); });
        }
    }
    ~ReshardClient() { stop(); }
    ReshardClient(const ReshardClient&) = delete;
    ReshardClient& operator=(const ReshardClient&) = delete;
    void stop() {
        done_ = true;
        for (auto& thread : threads_) {
            if (thread.joinable()) thread.join();
        }
    }
    std::int64_t counted(std::size_t window) const { return counted_[window]; }
    std::int64_t all_counted() const { return std::accumulate(counted_.begin(), counted_.end(), std::int64_t{0}); }
    bool failed() const { return failed_; }

private:
    void run(RedisServer& server, std::size_t shard, const std::vector<std::size_t>& mine, std::int64_t reset_at) {
        PlainClient client(server.unix_endpoint());
        std::mt19937 random(static_cast<unsigned>(shard + 1));
        while (!done_) {
            const std::size_t i = mine[random() % mine.size()];
            const auto key = ReshardBox::key(i);
            const auto reply = client.command({"EVAL", kCount, "2", key, key + ":exp", std::to_string(reset_at)});
            if (!reply || reply->is_error()) {
                failed_ = true;
                return;
            }
            ++counted_[i];
            std::this_thread::sleep_for(std::chrono::microseconds(300));
        }
    }

    std::atomic<bool> done_ = false;
    std::atomic<bool> failed_ = false;
    std::vector<std::atomic<std::int64_t>> counted_;
    std::vector<std::thread> threads_;
};

}  // namespace ratectl::test
