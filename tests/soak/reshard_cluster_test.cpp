// A hundred thousand windows on their way into a Redis Cluster while an application counts in them, and the mover is
// killed again and again.
#include <csignal>
#include <iostream>

#include "cli/reshard_cluster_box.h"
#include "support/catch.h"

namespace ratectl::test {
namespace {

constexpr std::size_t kManyWindows = 100'000;

/// As ReshardBox::fill() does it, a thousand windows at a time.
void fill_quickly(ReshardBox& box, std::size_t windows, std::int64_t reset_at) {
    constexpr const char* script = R"(
for i = 2, #ARGV, 2 do
  for name, value in pairs({ [ARGV[i]] = ARGV[i + 1], [ARGV[i] .. ':exp'] = ARGV[1] }) do
    redis.call('SET', name, value, 'EXAT', ARGV[1] + 1)
  end
end)";
    std::vector<std::vector<std::string>> calls(3);
    const auto flush = [&](std::size_t shard) {
        if (!calls[shard].empty()) box.server(shard).command(calls[shard]);
        calls[shard] = {"EVAL", script, "0", std::to_string(reset_at)};
    };
    for (std::size_t shard = 0; shard < 3; ++shard) flush(shard);
    for (std::size_t i = 0; i < windows; ++i) {
        const auto key = ReshardBox::key(i);
        const auto shard = ReshardBox::home(key, 3);
        calls[shard].insert(calls[shard].end(), {key, std::to_string(i % 120)});
        if (calls[shard].size() > 2000) flush(shard);
    }
    for (std::size_t shard = 0; shard < 3; ++shard) flush(shard);
}

TEST_CASE("a hundred thousand windows move into a Redis Cluster under an application and under kills") {
    ReshardClusterBox box;
    fill_quickly(box.old, kManyWindows, seconds_from_now(7200));
    ReshardClient client(box.old, kManyWindows, seconds_from_now(9000));
    int killed = 0;
    std::size_t torn = 0;
    RunResult last;
    std::chrono::milliseconds moving{0};
    for (int run = 0; run < 40; ++run) {
        RunOptions options;
        options.signal_number = SIGKILL;
        options.signal_after = std::chrono::milliseconds(200 + 61 * run);
        last = box.apply({"-q", "--op-id", "MOVE"}, options);
        moving += last.wall_time;
        if (last.signal != SIGKILL) continue;
        ++killed;
        torn += copies_beside_sources(box) > 0 ? 1 : 0;
    }
    std::cout << killed << " kills, " << torn << " of them in the midst of a move, " << moving.count()
              << " ms of moving; counted meanwhile: " << client.all_counted() << "\n";
    CHECK(killed > 10);
    CHECK(torn > 0);
    client.stop();
    RunOptions patient;
    patient.timeout = std::chrono::minutes(10);
    last = box.apply({"--op-id", "MOVE"}, patient);
    std::cout << "the rest: " << last.wall_time.count() << " ms: " << last.err << "\n";
    INFO(last.err);
    CHECK((last.code == 0 || last.code == 1));
    CHECK(copies_beside_sources(box) == 0);
    CHECK(miscounted(box, client, kManyWindows) == "");
    CHECK_FALSE(client.failed());
}

// What a kill has left on both sides is one window, wherever its client is counted since.
TEST_CASE("a copy that is counted in at the target before its source is removed is counted once") {
    ReshardClusterBox box;
    fill_quickly(box.old, 3000, seconds_from_now(7200));
    std::map<std::string, std::int64_t> expected;
    for (const auto& [key, places] : box.old.windows())
        expected[ReshardClusterBox::new_key(key)] = std::stoll(places.begin()->second.used);
    std::size_t torn = 0;
    const auto look = box.plan().wall_time;
    auto delay = look / 3;
    for (int run = 0; run < 200 && torn < 300; ++run) {
        RunOptions options;
        options.signal_number = SIGKILL;
        options.signal_after = delay;
        const bool is_killed = box.apply({"-q", "--op-id", "MOVE"}, options).signal == SIGKILL;
        delay = is_killed ? delay + look / 16 : delay / 2;
        const auto moved = box.moved();
        for (const auto& [key, places] : box.old.windows()) {
            const auto copy = ReshardClusterBox::new_key(key);
            if (!moved.contains(copy)) continue;
            ++torn;
            if (torn % 2 == 0) continue;
            box.cluster.node(box.cluster.home(copy)).command({"INCRBY", copy, "3"});
            expected[copy] += 3;
        }
        if (is_killed) continue;
        CHECK(box.old.windows().empty());
        REQUIRE(box.back({"-q"}).code == 0);
    }
    std::cout << torn << " windows were on both sides\n";
    CHECK(torn > 0);
    const auto last = box.apply({"--op-id", "MOVE"});
    INFO(last.err);
    CHECK((last.code == 0 || last.code == 1));
    CHECK(box.old.windows().empty());
    std::string wrong;
    const auto moved = box.moved();
    for (const auto& [key, used] : expected) {
        const auto found = moved.find(key);
        if ((found == moved.end() || std::stoll(found->second.used) != used) && wrong.size() < 200) wrong += key + "; ";
    }
    CHECK(wrong == "");
}

}  // namespace
}  // namespace ratectl::test
