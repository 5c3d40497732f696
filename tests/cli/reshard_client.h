// An application that goes on counting on its old shards while its windows are moved.
#pragma once

#include <signal.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "cli/reshard_box.h"
#include "support/plain_client.h"
#include "support/run_ratectl.h"

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
        PlainClient client(server.unix_endpoint(), std::chrono::minutes(2));  // it waits with a torn move
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

/// Kills a mover in the midst of a move, however busy the machine is: the sources hold its removals back until
/// `target_has_copy`. `apply` runs it with these options. False: it ended by itself.
inline bool tear_a_move(ReshardBox& sources, const std::function<bool()>& target_has_copy,
                        const std::function<RunResult(RunOptions)>& apply) {
    for (std::size_t shard = 0; shard < 3; ++shard)
        sources.server(shard).command({"CLIENT", "PAUSE", "60000", "WRITE"});
    std::jthread killer;
    RunOptions options;
    options.started = [&](int pid) {
        killer = std::jthread([&target_has_copy, pid](const std::stop_token& ended) {
            while (!ended.stop_requested() && !target_has_copy())
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            if (!ended.stop_requested()) kill(pid, SIGKILL);
        });
    };
    const bool is_killed = apply(options).signal == SIGKILL;
    killer = {};
    // A removal that had been sent already would follow its sender's end; the application is on the unix sockets.
    for (std::size_t shard = 0; shard < 3; ++shard) {
        auto& source = sources.server(shard);
        source.command({"CLIENT", "KILL", "LADDR", "127.0.0.1:" + std::to_string(source.port())});
        source.command({"CLIENT", "UNPAUSE"});
    }
    return is_killed;
}

}  // namespace ratectl::test
