// Counting, refunding and resetting through the store, on real servers in good and bad states.
#include <csignal>
#include <map>
#include <stdexcept>

#include "integration/store_fixture.h"

namespace ratectl::test {
namespace {

using store::CountItem;
using store::RefundItem;
using store::ResetItem;
using store::WriteResult;
using store::WriteStatus;
using support::ExitCode;
using support::Seconds;

CountItem counted(const StoreFixture& shards, const std::string& key, std::int64_t amount = 1, std::size_t shard = 0) {
    return {{key, shard}, amount, shards.now + Seconds(600), shards.now};
}

struct Observer : store::WriteObserver {
    void before(std::span<const store::SliceAt> slices) override {
        if (calls == throw_at) throw std::runtime_error("the journal is full");
        ++calls;
        for (const auto& at : slices) announced += at.slice->items.size();
    }
    void after(std::span<const store::SliceAt> slices, std::span<const WriteResult>) override {
        for (const auto& at : slices) finished += at.slice->items.size();
        if (stop_after != nullptr) stop_after->set(SIGINT);
    }
    int calls = 0;
    int throw_at = -1;
    std::size_t announced = 0;
    std::size_t finished = 0;
    support::StopSignal* stop_after = nullptr;
};

store::WriteOrder ordered(Observer& observer) {
    store::WriteOrder order;
    order.observer = &observer;
    return order;
}

TEST_CASE("A thousand counts over two shards each count once and one key keeps its order") {
    StoreFixture shards(2);
    std::vector<CountItem> items;
    for (std::size_t i = 0; i < 1000; ++i) {
        const std::size_t client = i % 3 == 0 ? 0 : i % 211;
        items.push_back(counted(shards, "k" + std::to_string(client), 1, client % 2));
    }
    Observer observer;
    const auto results = shards.store().count(items, ordered(observer));
    REQUIRE(results.size() == 1000);
    std::map<std::string, std::int64_t> used;
    for (std::size_t i = 0; i < 1000; ++i) {
        CHECK(results[i].status == WriteStatus::applied);
        CHECK(results[i].after.used == std::to_string(++used[items[i].at.key]));
        CHECK(results[i].node.shard == (items[i].at.shard == 0 ? "alpha" : "beta"));
    }
    CHECK(observer.announced == 1000);
    CHECK(observer.finished == 1000);
    CHECK(shards.get(0, "k0") == std::to_string(used["k0"]));
}

TEST_CASE("Refund and reset answer with what stood there before and after") {
    StoreFixture shards;
    shards.store().count(std::vector{counted(shards, "k", 10)});
    const std::vector<RefundItem> refunds{{{"k", 0}, 4, shards.now + Seconds(600), false, shards.now},
                                          {{"k", 0}, 9, shards.now + Seconds(600), false, shards.now},
                                          {{"k", 0}, 9, shards.now + Seconds(600), true, shards.now},
                                          {{"k", 0}, 1, shards.now + Seconds(601), false, shards.now}};
    const auto refunded = shards.store().refund(refunds);
    CHECK(refunded[0].status == WriteStatus::applied);
    CHECK(refunded[0].before.used == "10");
    CHECK(refunded[0].after.used == "6");
    CHECK(refunded[1].status == WriteStatus::refused);
    CHECK(refunded[1].reason == "below-zero");
    REQUIRE(refunded[1].error.has_value());
    CHECK(refunded[1].error->code == ExitCode::guard);
    CHECK(refunded[1].error->message.find("nothing was written") != std::string::npos);
    CHECK(refunded[2].taken == 6);
    CHECK(refunded[3].status == WriteStatus::window_changed);

    const std::vector<ResetItem> resets{
        {{"k", 0}, shards.now, std::nullopt}, {{"k", 0}, {}, {}}, {{"gone", 0}, {}, {}}};
    const auto reset = shards.store().reset(resets);
    CHECK(reset[0].status == WriteStatus::window_changed);
    CHECK(reset[1].status == WriteStatus::applied);
    CHECK(reset[1].before.used == "0");
    CHECK(reset[1].before.counter_expires_at_ms == (support::epoch_seconds(shards.now) + 601) * 1000);
    CHECK(reset[2].status == WriteStatus::nothing_to_do);
    CHECK(shards.primaries[0]->command({"DBSIZE"}) == "0");
}

TEST_CASE("A replica that is configured as a primary refuses every item and names its primary") {
    StoreFixture shards(1, 1);
    shards.topology.shards[0].primary = shards.replicas_of[0][0]->endpoint();
    Observer observer;
    const auto results =
        shards.store().count(std::vector{counted(shards, "a"), counted(shards, "b")}, ordered(observer));
    for (const auto& result : results) {
        CHECK(result.status == WriteStatus::refused);
        CHECK(result.reason == "replica");
        CHECK(result.error->code == ExitCode::write_refused);
        CHECK(result.error->message.find(shards.primaries[0]->endpoint().address()) != std::string::npos);
    }
    CHECK(observer.calls == 0);
}

TEST_CASE("A server out of memory refuses counts and still lets windows be reset") {
    StoreFixture shards;
    shards.store().count(std::vector{counted(shards, "k", 10)});
    shards.primaries[0]->command({"CONFIG", "SET", "maxmemory", "1"});
    const auto results = shards.store().count(std::vector{counted(shards, "k"), counted(shards, "l")});
    CHECK(results[0].status == WriteStatus::refused);
    CHECK(results[0].error->code == ExitCode::write_refused);
    CHECK(shards.get(0, "k") == "10");
    const auto reset = shards.store().reset(std::vector<ResetItem>{{{"k", 0}, {}, {}}});
    CHECK(reset[0].status == WriteStatus::applied);
}

TEST_CASE("A dead server fails its items as not written and leaves the other shard alone") {
    StoreFixture shards(2);
    shards.primaries[0]->kill();
    const auto results = shards.store().count(std::vector{counted(shards, "a"), counted(shards, "b", 1, 1)});
    CHECK(results[0].status == WriteStatus::failed);
    CHECK(results[0].error->code == ExitCode::unavailable);
    CHECK(results[1].status == WriteStatus::applied);
}

TEST_CASE("A reply that does not come in time is an unknown outcome and the rest of the shard is not attempted") {
    StoreFixture shards;
    shards.store().count(std::vector{counted(shards, "k0")});
    // The next call finds an open channel to a server that no longer answers.
    shards.primaries[0]->pause();
    std::vector<CountItem> items;
    for (int i = 0; i < 150; ++i) items.push_back(counted(shards, "k" + std::to_string(i)));
    Observer observer;
    const auto results = shards.store().count(items, ordered(observer));
    shards.primaries[0]->resume();
    for (std::size_t i = 0; i < 100; ++i) {
        CHECK(results[i].status == WriteStatus::unknown);
        CHECK(results[i].error->code == ExitCode::unknown);
    }
    for (std::size_t i = 100; i < 150; ++i) CHECK(results[i].status == WriteStatus::not_attempted);
    CHECK(observer.calls == 1);
    CHECK(observer.finished == 100);
}

TEST_CASE("An observer that throws before a call keeps it from being sent") {
    StoreFixture shards;
    std::vector<CountItem> items;
    for (int i = 0; i < 150; ++i) items.push_back(counted(shards, "k" + std::to_string(i)));
    Observer observer;
    observer.throw_at = 1;
    CHECK_THROWS_AS(shards.store().count(items, ordered(observer)), std::runtime_error);
    CHECK(observer.finished == 100);
    CHECK(shards.primaries[0]->command({"DBSIZE"}) == "200");
}

TEST_CASE("After the stop signal what is in flight is finished and nothing new is started") {
    StoreFixture shards;
    support::StopSignal stop;
    shards.options.stop = &stop;
    std::vector<CountItem> items;
    for (int i = 0; i < 250; ++i) items.push_back(counted(shards, "k" + std::to_string(i)));
    Observer observer;
    observer.stop_after = &stop;
    const auto results = shards.store().count(items, ordered(observer));
    CHECK(results[99].status == WriteStatus::applied);
    CHECK(results[100].status == WriteStatus::not_attempted);
    CHECK(observer.calls == 1);
    CHECK(shards.primaries[0]->command({"DBSIZE"}) == "200");
}

}  // namespace
}  // namespace ratectl::test
