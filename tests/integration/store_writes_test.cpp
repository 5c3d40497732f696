// Counting, refunding and resetting through the store, on real servers in good and bad states.
#include <map>

#include "integration/store_fixture.h"
#include "store/found_operations.h"

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
        ++befores;
        for (const auto& at : slices) {
            announced += at.slice->items.size();
            CHECK(at.run_id.size() == 40);
        }
    }
    void after(std::span<const store::SliceAt> slices, std::span<const WriteResult>) override {
        for (const auto& at : slices) finished += at.slice->items.size();
    }
    int befores = 0;
    std::size_t announced = 0;
    std::size_t finished = 0;
};

store::WriteOrder observed_order(Observer& observer) {
    store::WriteOrder order;
    order.operation = {"OP", "root", "host", "a test"};
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
    const auto results = shards.store().count(items, observed_order(observer));
    REQUIRE(results.size() == 1000);
    std::map<std::string, std::int64_t> used;
    for (std::size_t i = 0; i < 1000; ++i) {
        CHECK(results[i].status == WriteStatus::applied);
        CHECK(results[i].after.used == std::to_string(++used[items[i].at.key]));
        CHECK(results[i].node.shard == (items[i].at.place.shard == 0 ? "alpha" : "beta"));
    }
    CHECK(observer.befores == 1);
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
    CHECK(reset[1].before.expires[0] == (support::epoch_seconds(shards.now) + 601) * 1000);
    CHECK(reset[2].status == WriteStatus::skipped);
    CHECK(shards.primaries[0]->command({"DBSIZE"}) == "0");
}

TEST_CASE("A replica that is configured as a primary refuses every item and names its primary") {
    StoreFixture shards(1, 1);
    shards.topology.shards[0].primary = shards.replicas_of[0][0]->endpoint();
    Observer observer;
    const auto results =
        shards.store().count(std::vector{counted(shards, "a"), counted(shards, "b")}, observed_order(observer));
    for (const auto& result : results) {
        CHECK(result.status == WriteStatus::refused);
        CHECK(result.reason == "replica");
        CHECK(result.error->code == ExitCode::write_refused);
        CHECK(result.error->message.find(shards.primaries[0]->endpoint().address()) != std::string::npos);
    }
    CHECK(observer.befores == 0);
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

TEST_CASE("The same operation again changes nothing and tells what it did") {
    StoreFixture shards(2);
    std::vector<CountItem> items;
    for (std::size_t i = 0; i < 300; ++i) items.push_back(counted(shards, "k" + std::to_string(i), 2, i % 2));
    Observer observer;
    const auto first = shards.store().count(items, observed_order(observer));
    shards.new_store();
    const auto again = shards.store().count(items, observed_order(observer));
    for (std::size_t i = 0; i < items.size(); ++i) {
        CHECK(first[i].status == WriteStatus::applied);
        CHECK(again[i].status == WriteStatus::already_applied);
        CHECK(again[i].after.used == "2");
        CHECK(shards.get(i % 2, items[i].at.key) == "2");
    }
    items[0].amount = 3;
    const auto other = shards.store().count(items, observed_order(observer));
    CHECK(other[0].status == WriteStatus::refused);
    CHECK(other[0].reason == "other-operation");
    CHECK(shards.get(0, "k0") == "2");
}

TEST_CASE("A reset and its undo leave a window as it was with value expiry and TTL") {
    StoreFixture shards;
    auto& server = *shards.primaries[0];
    shards.put(0, "a", "41", "1790000000");
    server.command({"SET", "text", "not a number", "PX", "500000"});
    server.command({"SET", "leaked", "7"});
    server.command({"SET", "leaked:exp", "1790000000"});
    const std::vector<std::string> keys{"a", "text", "leaked"};
    const auto shown = [&] {
        std::string all;
        for (const std::string key : {"a", "a:exp", "text", "leaked", "leaked:exp"}) {
            all += server.command({"GET", key}) + "/" + server.command({"PEXPIRETIME", key}) + " ";
        }
        return all;
    };
    const auto before = shown();
    Observer observer;
    std::vector<ResetItem> resets;
    for (const auto& key : keys) resets.push_back({{key, 0}, {}, {}});
    for (const auto& result : shards.store().reset(resets, observed_order(observer))) {
        CHECK(result.status == WriteStatus::applied);
    }
    const std::vector<domain::SliceId> slices{{"OP", 1}};
    const auto records = shards.store().recall(0, slices);
    REQUIRE(records.has_value());
    REQUIRE(records->at(0).has_value());
    CHECK((*records)[0]->reason == "a test");
    std::vector<store::RestoreItem> restores;
    for (const auto& window : (*records)[0]->windows)
        restores.push_back({{window.key, 0}, window.before, false, support::from_epoch(1'789'999'000)});
    auto order = observed_order(observer);
    order.operation.id = "OP-undo";
    for (const auto& result : shards.store().restore(restores, order)) CHECK(result.status == WriteStatus::applied);
    CHECK(shown() == before);
    const auto found = shards.store().find_operations();
    REQUIRE(found.found.size() == 2);
    CHECK(found.failures.empty());
    CHECK(found.found[0].record.kind == domain::WriteKind::reset);
    CHECK(found.found[1].record.kind == domain::WriteKind::restore);
    CHECK(found.found[0].expires_in.value() > support::Seconds(590));
    CHECK(shards.store().find_operations("OP-undo").found.size() == 1);
}

TEST_CASE("A server out of memory still lets five thousand windows be reset") {
    StoreFixture shards;
    std::vector<CountItem> items;
    std::vector<ResetItem> resets;
    for (int i = 0; i < 5000; ++i) {
        items.push_back(counted(shards, "k" + std::to_string(i)));
        resets.push_back({{"k" + std::to_string(i), 0}, {}, {}});
    }
    Observer observer;
    shards.store().count(items);
    shards.primaries[0]->command({"CONFIG", "SET", "maxmemory", "1"});
    for (const auto& result : shards.store().reset(resets, observed_order(observer))) {
        REQUIRE(result.status == WriteStatus::applied);
    }
    CHECK(shards.primaries[0]->command({"EXISTS", "k17", "k17:exp"}) == "0");
}

TEST_CASE("Two shards that are one server are refused and nothing is written") {
    StoreFixture shards(2);
    shards.topology.shards[1].primary = shards.primaries[0]->unix_endpoint();
    const auto results = shards.store().count(std::vector{counted(shards, "a"), counted(shards, "b", 1, 1)});
    for (const auto& result : results) {
        CHECK(result.reason == "same-server");
        CHECK(result.error->code == ExitCode::configuration);
    }
    CHECK(shards.primaries[0]->command({"DBSIZE"}) == "0");
}

TEST_CASE("A busy key in every slice is counted in order") {
    StoreFixture shards;
    std::vector<CountItem> items;
    for (int i = 0; i < 1500; ++i) items.push_back(counted(shards, i % 50 == 0 ? "busy" : "k" + std::to_string(i)));
    Observer observer;
    const auto results = shards.store().count(items, observed_order(observer));
    int busy = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
        CHECK(results[i].status == WriteStatus::applied);
        if (items[i].at.key == "busy") CHECK(results[i].after.used == std::to_string(++busy));
    }
    CHECK(shards.get(0, "busy") == "30");
}

}  // namespace
}  // namespace ratectl::test
