// Batches of writes behind each other while the caller does something else, on real servers.
#include <algorithm>
#include <thread>

#include "integration/store_fixture.h"

namespace ratectl::test {
namespace {

using store::CountItem;
using store::WriteResult;
using store::WriteStatus;
using support::ExitCode;
using support::Milliseconds;
using support::Seconds;

std::vector<CountItem> counted_windows(const StoreFixture& shards, int windows) {
    std::vector<CountItem> items;
    for (int i = 0; i < windows; ++i) {
        items.push_back({{"k" + std::to_string(i), static_cast<std::size_t>(i) % shards.primaries.size()},
                         1,
                         shards.now + Seconds(600),
                         shards.now});
    }
    return items;
}

store::WriteOrder ordered_batch(int batch, store::WriteObserver* observer = nullptr) {
    store::WriteOrder order;
    order.operation = {"OP" + std::to_string(batch), "root", "host", "a test"};
    order.observer = observer;
    return order;
}

/// Throws at its second batch, and notes what it is told.
struct SecondFails : store::WriteObserver {
    void before(std::span<const store::SliceAt>) override {
        if (++befores == 2) throw support::Failure(ExitCode::local_io, "no room");
    }
    void after(std::span<const store::SliceAt> slices, std::span<const WriteResult>) override {
        for (const auto& at : slices) finished += at.slice->items.size();
    }
    int befores = 0;
    std::size_t finished = 0;
};

bool all_applied(const std::vector<WriteResult>& results, const std::string& used) {
    return std::ranges::all_of(results, [&used](const WriteResult& result) {
        return result.status == WriteStatus::applied && result.after.used == used && result.attempts == 1;
    });
}

TEST_CASE("Batches of a stream follow each other on every shard and answer in their order") {
    StoreFixture shards(2);
    const auto stream = shards.store().write_stream();
    constexpr int kBatches = 8;
    int taken = 0;
    for (int batch = 1; batch <= kBatches; ++batch) {
        stream->submit(counted_windows(shards, 700), ordered_batch(batch));
        if (stream->batches() == 3) CHECK(all_applied(stream->take(), std::to_string(++taken)));
    }
    while (stream->batches() > 0) CHECK(all_applied(stream->take(), std::to_string(++taken)));
    CHECK(taken == kBatches);
    CHECK(shards.get(0, "k0") == std::to_string(kBatches));
    CHECK(shards.get(1, "k699") == std::to_string(kBatches));
}

TEST_CASE("A batch that could not be recorded is not sent and those around it are") {
    StoreFixture shards(2);
    SecondFails observer;
    const auto stream = shards.store().write_stream();
    stream->submit(counted_windows(shards, 500), ordered_batch(1, &observer));
    CHECK_THROWS_AS(stream->submit(counted_windows(shards, 500), ordered_batch(2, &observer)), support::Failure);
    CHECK(stream->batches() == 1);
    stream->submit(counted_windows(shards, 500), ordered_batch(3, &observer));
    CHECK(all_applied(stream->take(), "1"));
    CHECK(observer.finished == 500);
    CHECK(all_applied(stream->take(), "2"));
    CHECK(observer.finished == 1000);
    CHECK(shards.get(1, "k1") == "2");
}

TEST_CASE("A stream goes on whenever it is polled") {
    StoreFixture shards;
    const auto stream = shards.store().write_stream();
    stream->submit(counted_windows(shards, 3000), ordered_batch(1));
    const auto give_up = std::chrono::steady_clock::now() + Seconds(20);
    while (shards.get(0, "k2999") != "1" && std::chrono::steady_clock::now() < give_up) {
        stream->poll();
        std::this_thread::sleep_for(Milliseconds(1));
    }
    CHECK(shards.get(0, "k2999") == "1");
    CHECK(all_applied(stream->take(), "1"));
}

TEST_CASE("Answers that wait longer than the timeout because we did not look are no lost answers") {
    StoreFixture shards;
    shards.options.timeout = Milliseconds(1000);
    shards.store().count(std::vector{CountItem{{"known", 0}, 1, shards.now + Seconds(600), shards.now}});  // the script
    const auto stream = shards.store().write_stream();
    auto order = ordered_batch(1);
    order.operation.id.clear();  // a lost reply would stay unknown
    stream->submit(counted_windows(shards, 3000), std::move(order));
    for (int i = 0; i < 3; ++i) {
        stream->poll();
        std::this_thread::sleep_for(Milliseconds(1200));
    }
    const auto results = stream->take();
    INFO((results[0].error ? results[0].error->message : "")
         << (results[2999].error ? results[2999].error->message : ""));
    CHECK(all_applied(results, "1"));
}

TEST_CASE("A stream that nobody asks for its answers finishes what it has begun") {
    StoreFixture shards;
    shards.store().write_stream()->submit(counted_windows(shards, 1000), ordered_batch(1));
    CHECK(shards.get(0, "k999") == "1");
}

TEST_CASE("A stop signal leaves later batches of a stream unsent") {
    StoreFixture shards;
    support::StopSignal stop;
    shards.options.stop = &stop;
    const auto stream = shards.store().write_stream();
    stream->submit(counted_windows(shards, 200), ordered_batch(1));
    stop.set(SIGINT);
    stream->submit(counted_windows(shards, 200), ordered_batch(2));
    const auto first = stream->take();
    const auto second = stream->take();
    CHECK(std::ranges::all_of(second, [](const auto& result) { return result.status == WriteStatus::not_attempted; }));
    CHECK(std::ranges::none_of(first, [](const auto& result) { return result.status == WriteStatus::unknown; }));
}

}  // namespace
}  // namespace ratectl::test
