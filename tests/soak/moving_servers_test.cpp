// A hundred seeds of changes while the slots of a Redis Cluster move and while Sentinel fails a primary over: each is
// made once, or told not to have been.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <map>
#include <random>
#include <sstream>
#include <thread>

#include "cli/cluster_box.h"
#include "sharding/cluster_slots.h"
#include "support/sentinels.h"

namespace ratectl::test {
namespace {

/// RATECTL_TEST_SEEDS: `1-100` unless it says otherwise.
std::pair<std::uint64_t, std::uint64_t> seeds() {
    const char* text = std::getenv("RATECTL_TEST_SEEDS");
    std::istringstream words(text == nullptr ? "1-100" : text);
    std::uint64_t first = 1;
    std::uint64_t last = 1;
    char dash = 0;
    words >> first >> dash >> last;
    return {first, last};
}

std::string nth_key(int i) { return "{core:c" + std::to_string(i) + "}"; }

/// Moves slots of the tests' keys to nodes of its choice until it is told to stop.
class Mover {
public:
    Mover(RedisCluster& cluster, std::size_t primaries, int keys, std::uint64_t seed)
        : cluster_(cluster), primaries_(primaries), keys_(keys), random_(seed), thread_([this] { run(); }) {}
    std::string stop() {
        over_ = true;
        thread_.join();
        return broken_;
    }
    std::size_t moves() const { return moves_; }
    std::size_t owner(const std::string& key) const {
        const auto found = owners_.find(sharding::cluster_slot(key));
        return found == owners_.end() ? cluster_.home(key) : found->second;
    }

private:
    void run() {
        try {
            while (!over_) {
                const auto key = nth_key(static_cast<int>(random_() % static_cast<std::uint64_t>(keys_)));
                const auto from = owner(key);
                const auto to = (from + 1 + random_() % (primaries_ - 1)) % primaries_;
                const auto slot = sharding::cluster_slot(key);
                cluster_.open_slot(slot, from, to);
                std::this_thread::sleep_for(std::chrono::milliseconds(random_() % 20));
                if (random_() % 2 == 0 && cluster_.node(from).command({"EXISTS", key}) == "1")
                    cluster_.move_key(key, from, to);  // the other half of its window follows later
                std::this_thread::sleep_for(std::chrono::milliseconds(random_() % 20));
                cluster_.close_slot(slot, from, to);
                owners_[slot] = to;
                ++moves_;
            }
        } catch (const std::exception& e) {
            broken_ = e.what();
        }
    }

    RedisCluster& cluster_;
    std::size_t primaries_;
    int keys_;
    std::mt19937_64 random_;
    std::map<std::uint16_t, std::size_t> owners_;
    std::atomic<bool> over_ = false;
    std::atomic<std::size_t> moves_ = 0;
    std::string broken_;
    std::thread thread_;
};

void check_moving_slots(std::uint64_t seed) {
    constexpr int kKeys = 200;
    ClusterBox box;
    for (int i = 0; i < kKeys; ++i)
        box.cluster.set_window(nth_key(i), "1000",
                               std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()) + 3000);
    std::map<std::string, std::int64_t> expected;
    Mover mover(box.cluster, 3, kKeys, seed);
    std::mt19937_64 random(seed + 1'000'000);
    std::string bad;
    for (int round = 0; round < 8; ++round) {
        std::string input;
        for (int i = 0; i < kKeys; ++i) {
            if (random() % 3 != 0) input += nth_key(i) + "\n";
        }
        const auto amount = static_cast<std::int64_t>(1 + random() % 5);
        const bool adds = random() % 3 != 0;
        const auto rows = box.rows(
            {adds ? "increment" : "refund", "-", "--amount", std::to_string(amount), "--timeout", "10s", "--yes"},
            input);
        for (const auto& row : rows) {
            const auto status = row.at("status").get<std::string>();
            if (status == "applied") {
                expected[row.at("key").get<std::string>()] += adds ? amount : -amount;
            } else {
                bad += row.dump() + "\n";
            }
        }
    }
    const auto broken = mover.stop();
    INFO("seed " << seed << ", " << mover.moves() << " moves");
    CHECK(broken == "");
    CHECK(bad == "");
    for (int i = 0; i < kKeys; ++i) {
        const auto key = nth_key(i);
        const auto held = box.cluster.node(mover.owner(key)).command({"GET", key});
        INFO(key);
        CHECK(held == std::to_string(1000 + expected[key]));
    }
}

/// Every window once, whichever nodes are read and in whatever order; or it is said that that is not shown.
void check_sweeps(std::uint64_t seed) {
    constexpr int kKeys = 40;
    ClusterBox box(3, 1);
    const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    for (int i = 0; i < kKeys; ++i) box.cluster.set_window(nth_key(i), std::to_string(i), now + 3000);
    for (std::size_t i = 0; i < 3; ++i) box.cluster.node(3 + i).await_replication_of(box.cluster.node(i));
    Mover mover(box.cluster, 3, kKeys, seed);
    std::string bad;
    for (int round = 0; round < 20; ++round) {
        std::vector<std::string> words{"scan", "--from", round % 4 == 0 ? "primary" : "replica", "-o", "ndjson"};
        if (round % 2 == 1) words.insert(words.end(), {"--sort", "used", "--reverse"});
        RunOptions options;
        options.environment["RATECTL_CONFIG"] = box.config_file();
        const auto swept = run_ratectl(words, options);
        std::map<std::string, int> rows;
        std::istringstream lines(swept.out);
        for (std::string line; std::getline(lines, line);) {
            const auto row = parse_json(line);
            if (!row.contains("key")) continue;
            ++rows[row.at("key").get<std::string>()];
            if (row.at("state") != "open") bad += line + "\n";
        }
        const bool is_whole = rows.size() == kKeys || swept.code == 9;
        if (!is_whole) bad += std::to_string(rows.size()) + " windows: " + swept.err;
        for (const auto& [key, times] : rows) {
            if (times > 1) bad += key + " more than once\n";
        }
    }
    const auto broken = mover.stop();
    INFO("seed " << seed << ", " << mover.moves() << " moves");
    CHECK(broken == "");
    CHECK(bad == "");
}

/// One primary dies at a moment of the seed's choice in the midst of a bulk change.
void check_failover(std::uint64_t seed) {
    constexpr int kKeys = 10'000;
    Sentinels world(1, std::chrono::milliseconds(2000));
    const auto folder = sandbox::TemporaryFolder::make("/tmp", "ratectl-test").value();
    const auto config = folder.path() + "/ratectl.toml";
    std::ofstream(config) << "[deployments.box]\nwrites = \"allow\"\nsharding = \"modulo\"\n" << world.settings();
    RunOptions options;
    options.environment["RATECTL_CONFIG"] = config;
    options.environment["XDG_STATE_HOME"] = folder.path() + "/state";
    for (int i = 0; i < kKeys; ++i) options.input += "core:" + std::to_string(i) + "\n";
    const std::vector<std::string> words{"increment", "-", "--wait-replicas", "1", "--op-id", "soak", "-o", "ndjson"};
    auto change = std::async(std::launch::async, [&] { return run_ratectl(words, options); });
    std::mt19937_64 random(seed);
    const auto after = std::to_string(2 + random() % (2 * kKeys));
    const auto counted = [&] { return std::stoull(world.primary(0).command({"DBSIZE"})); };
    while (counted() < std::stoull(after) && change.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    world.primary(0).kill();
    const auto first = change.get();
    world.await_primary(0, world.replica(0));
    auto& promoted = world.replica(0);
    INFO("seed " << seed << ", killed at " << after << " keys\n" << first.err);
    std::istringstream lines(first.out);
    std::size_t told = 0;
    std::string bad;
    for (std::string line; std::getline(lines, line);) {
        const auto row = parse_json(line);
        if (!row.contains("key")) continue;
        ++told;
        const auto status = row.at("status").get<std::string>();
        const auto stored = promoted.command({"GET", row.at("key").get<std::string>()});
        const bool is_kept = status == "applied" && row.at("acknowledged") == 1;
        const bool is_none = status == "failed" || status == "not-attempted";
        if ((is_kept && stored != "1") || (is_none && stored != "(nil)")) bad += stored + ": " + line + "\n";
    }
    CHECK(told == kKeys);
    CHECK(bad == "");
    run_ratectl({"increment", "-", "--op-id", "soak", "-o", "ndjson"}, options);
    for (int i = 0; i < kKeys; ++i) {
        const auto stored = promoted.command({"GET", "core:" + std::to_string(i)});
        if (stored != "1" && stored != "(nil)") bad += "core:" + std::to_string(i) + " = " + stored + "\n";
    }
    CHECK(bad == "");
}

TEST_CASE("a hundred seeds of moving slots never make a change count twice or not at all") {
    for (auto [seed, last] = seeds(); seed <= last; ++seed) check_moving_slots(seed);
}

TEST_CASE("a hundred seeds of moving slots never hide a window from a sweep or show one twice") {
    for (auto [seed, last] = seeds(); seed <= last; ++seed) check_sweeps(seed);
}

TEST_CASE("a hundred seeds of failovers lose nothing that was reported and count nothing twice") {
    for (auto [seed, last] = seeds(); seed <= last; ++seed) check_failover(seed);
}

}  // namespace
}  // namespace ratectl::test
