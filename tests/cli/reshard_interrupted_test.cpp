// Moving windows while they are counted in, while the mover is killed, and while it is asked to stop: nothing is lost,
// nothing is counted twice.
#include <csignal>
#include <thread>

#include "cli/reshard_client.h"
#include "support/built_programs.h"
#include "support/catch.h"
#include "support/json.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

constexpr std::size_t kMovedWindows = 6000;

/// What was there at first, and what was counted since, is what all shards together have now.
void check_sums(ReshardBox& box, const ReshardClient& client) {
    const auto after = box.windows();
    std::size_t wrong = 0;
    std::int64_t counted = 0;
    for (std::size_t i = 0; i < kMovedWindows; ++i) {
        const auto key = ReshardBox::key(i);
        std::int64_t stored = 0;
        if (const auto found = after.find(key); found != after.end()) {
            for (const auto& [shard, standing] : found->second) stored += std::stoll(standing.used);
        }
        counted += client.counted(i);
        const auto expected = static_cast<std::int64_t>(i % 120) + client.counted(i);
        if (stored == expected) continue;
        if (++wrong < 5) UNSCOPED_INFO(key << " has " << stored << " instead of " << expected);
    }
    CHECK(wrong == 0);
    CHECK(counted > 100);
    CHECK_FALSE(client.failed());
}

/// Keys that stand on two servers with one and the same end: a copy beside its source.
std::size_t copies_beside_sources(ReshardBox& box) {
    std::size_t count = 0;
    for (const auto& [key, places] : box.windows()) {
        std::set<std::string> ends;
        for (const auto& [shard, standing] : places) ends.insert(standing.reset_at);
        if (ends.size() < places.size()) ++count;
    }
    return count;
}

std::size_t movers() {
    std::size_t count = 0;
    for (std::size_t i = 0; i < kMovedWindows; ++i) {
        if (ReshardBox::home(ReshardBox::key(i), 3) != ReshardBox::home(ReshardBox::key(i), 4)) ++count;
    }
    return count;
}

/// What the summary says was applied; 0: it did not come to that.
std::size_t applied_in(const std::string& messages) {
    std::size_t applied = 0;
    for (const auto& message : parse_json_lines(messages)) {
        if (message.at("kind") == "summary") applied = message.at("applied").get<std::size_t>();
    }
    return applied;
}

using Windows = decltype(std::declval<ReshardBox>().windows());

/// Every window is where the new deployment looks, as it was, and nowhere else.
bool is_moved(const Windows& windows, const Windows& before) {
    for (const auto& [key, places] : windows) {
        const auto& [shard, standing] = *places.begin();
        if (places.size() == 1 && shard == ReshardBox::home(key, 4) && standing == before.at(key).begin()->second)
            continue;
        UNSCOPED_INFO(key);
        return false;
    }
    return windows.size() == before.size();
}

}  // namespace

TEST_CASE("no count is lost while windows move under an application that goes on counting") {
    ReshardBox box;
    box.fill(kMovedWindows, seconds_from_now(2000));
    ReshardClient client(box, kMovedWindows, seconds_from_now(5000));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const auto result = box.apply({"-o", "ndjson"});
    client.stop();
    INFO(result.err);
    CHECK((result.code == 0 || result.code == 9));
    std::map<std::string, std::size_t> statuses;
    std::size_t again = 0;
    for (const auto& row : parse_json_lines(result.out)) {
        if (!row.contains("key")) continue;
        ++statuses[row.at("status")];
        again += row.at("copies") > 1 ? 1 : 0;
    }
    CHECK(statuses["applied"] + statuses["window-changed"] == movers());
    CHECK(statuses["applied"] > movers() / 2);
    CHECK(again > 0);  // the client was quick enough to matter
    CHECK(copies_beside_sources(box) == 0);
    check_sums(box, client);
}

TEST_CASE("a mover that is killed anywhere and run again loses nothing and leaves no stale copy") {
    ReshardBox box;
    box.fill(kMovedWindows, seconds_from_now(2000));
    ReshardClient client(box, kMovedWindows, seconds_from_now(5000));
    const auto look = box.plan().wall_time.count();  // the way to the first move, whatever this machine is busy with
    CHECK(tear_a_move(
        box, [&] { return box.server(3).command({"DBSIZE"}) != "0"; },
        [&](RunOptions options) {
            return box.apply({"--timeout", "60s"}, std::move(options));
        }));
    CHECK(copies_beside_sources(box) > 0);
    int killed = 0;
    // A sanitizer hears little of a process that is killed.
    const int step = is_binary_sanitized() ? 3 : 1;
    const int wanted = few_if_sanitized(5);
    auto delay = look / 3;
    for (int run = 0; run < 10 || (killed < wanted && run < 60); run += step) {
        RunOptions options;
        options.signal_number = SIGKILL;
        options.signal_after = std::chrono::milliseconds(delay);
        const bool is_killed = box.apply({"--timeout", "60s"}, options).signal == SIGKILL;
        killed += is_killed ? 1 : 0;
        // Ever deeper into the moves, until one ends before it is killed.
        delay = is_killed ? delay + look * step / 8 : delay * 3 / 4;
    }
    CHECK(killed >= wanted);
    client.stop();
    const auto last = box.apply({"--timeout", "60s"});
    INFO(last.err);
    CHECK((last.code == 0 || last.code == 1));
    CHECK(copies_beside_sources(box) == 0);
    check_sums(box, client);
    // Every window of the beginning is where the new deployment looks.
    const auto after = box.windows();
    for (std::size_t i = 0; i < kMovedWindows; ++i) {
        const auto key = ReshardBox::key(i);
        if (after.at(key).count(ReshardBox::home(key, 4)) == 0) {
            INFO(key);
            CHECK(false);
            break;
        }
    }
}

TEST_CASE("a mover that is asked to stop finishes what it has begun and its counts add up") {
    // Sooner or later until it is in the midst of its moves, whatever this machine is busy with.
    bool in_the_midst = false;
    std::chrono::milliseconds after{0};
    for (int attempt = 0; attempt < 8 && !in_the_midst; ++attempt) {
        ReshardBox box;
        box.fill(kMovedWindows, seconds_from_now(2000));
        const auto before = box.windows();
        if (attempt == 0) after = box.plan().wall_time * 5 / 4;  // the way to the first move, and some
        RunOptions options;
        options.signal_number = SIGINT;
        options.signal_after = after;
        const auto stopped = box.apply({"--messages", "json", "-o", "ndjson"}, options);
        INFO(after.count() << " ms: " << stopped.err);
        CHECK((stopped.code == 130 || stopped.code == 0 || stopped.signal == SIGINT));
        CHECK(copies_beside_sources(box) == 0);
        const auto applied = applied_in(stopped.err);
        std::size_t moved = 0;
        for (const auto& [key, places] : box.windows()) moved += places.begin()->first != before.at(key).begin()->first;
        CHECK(applied == moved);
        CHECK(box.windows().size() == before.size());
        in_the_midst = stopped.code == 130 && applied > 0;
        after = stopped.code == 0 ? after * 3 / 4 : after * 5 / 4;
        const auto rest = box.apply();
        CHECK((rest.code == 0 || rest.code == 1));
        CHECK(is_moved(box.windows(), before));
    }
    CHECK(in_the_midst);
}

// The journal knew that these keys had been moved once, and took the copies for windows of their own.
TEST_CASE("a reshard of windows that were moved there and back goes on where it was killed") {
    ReshardBox box;
    box.fill(kMovedWindows, seconds_from_now(2000));
    const auto before = box.windows();
    const auto look = box.plan().wall_time.count();
    const auto back = [&] { return box.run({"reshard", "apply", box.file("four"), box.file("three")}).code; };
    bool torn = false;
    auto delay = look;  // the way to the first move, whatever this machine is busy with
    for (int attempt = 0; attempt < few_if_sanitized(20) && !torn; ++attempt) {
        REQUIRE(box.apply().code == 0);
        REQUIRE(back() == 0);
        REQUIRE(box.windows() == before);
        RunOptions options;
        options.signal_number = SIGKILL;
        options.signal_after = std::chrono::milliseconds(delay);
        delay = box.apply({"--timeout", "60s"}, options).signal == SIGKILL ? delay * 9 / 8 : delay * 3 / 4;
        auto expected = before;
        for (const auto& [key, places] : box.windows()) {
            if (places.size() < 2) continue;
            torn = true;
            if (key.back() % 2 == 0) continue;
            // Its client was quicker than the run that goes on.
            auto& window = expected.at(key).begin()->second;
            window.used = box.server(ReshardBox::home(key, 3)).command({"INCR", key});
        }
        const auto rest = box.apply();
        INFO(rest.err);
        CHECK((rest.code == 0 || rest.code == 1));
        CHECK(is_moved(box.windows(), expected));
        CHECK(back() == 0);
        for (const auto& [key, places] : expected)
            box.server(places.begin()->first).command({"SET", key, before.at(key).begin()->second.used, "KEEPTTL"});
    }
    CHECK((torn || is_binary_sanitized()));
}
