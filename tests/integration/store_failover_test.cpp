// A real failover under a store whose directory learns of it: what was written stays written, the rest goes to the
// promoted replica.
#include <functional>

#include "store/store.h"
#include "support/catch.h"
#include "support/moving_directory.h"
#include "support/redis_server.h"
#include "support/wall_now.h"
#include "support/window_look.h"

namespace ratectl::test {
namespace {

using store::WriteStatus;

struct AtBefore final : store::WriteObserver {
    explicit AtBefore(std::function<void()> does) : does_(std::move(does)) {}
    void before(std::span<const store::SliceAt>) override { does_(); }
    void after(std::span<const store::SliceAt>, std::span<const store::WriteResult>) override {}

private:
    std::function<void()> does_;
};

TEST_CASE("A failover between recording and sending costs no window and doubles none") {
    RedisServer old_primary;
    RedisServer replica;
    replica.make_replica_of(old_primary);
    const auto directory = std::make_shared<MovingDirectory>(
        std::vector<std::pair<std::string, domain::Endpoint>>{{"alpha", old_primary.endpoint()}});
    directory->learns = [&](const redis::Redirect& redirect) {
        CHECK(redirect.kind == redis::Redirect::Kind::read_only);
        directory->promote(0, replica.endpoint());
        return true;
    };
    store::Options options;
    options.wall_clock = wall_now;
    store::Store store(store::Topology{directory, {}, {}}, options);
    const auto now = support::to_instant(wall_now());
    std::vector<store::CountItem> items;
    for (int i = 0; i < 250; ++i) {
        const auto key = "k" + std::to_string(i);
        items.push_back({{key, *directory->place_of(key)}, 2, now + support::Seconds(600), now});
    }
    store::WriteOrder order;
    order.operation = {"first", "tester", "here", "because"};
    for (const auto& result : store.count(items, order)) REQUIRE(result.status == WriteStatus::applied);
    replica.await_replication_of(old_primary);

    AtBefore failover([&] {
        replica.command({"REPLICAOF", "NO", "ONE"});
        old_primary.command({"REPLICAOF", "127.0.0.1", std::to_string(replica.port())});
    });
    order.operation.id = "second";
    order.observer = &failover;
    const auto results = store.count(items, order);

    for (const auto& result : results) {
        CHECK(result.status == WriteStatus::applied);
        CHECK(result.node.endpoint.port == replica.port());
    }
    for (const auto& item : items) CHECK(replica.command({"GET", item.at.key}) == "4");
    std::vector<store::KeyAt> keys;
    for (const auto& item : items) keys.push_back(item.at);
    for (const auto& answer : store.look({keys, {}, domain::LookDepth::light, false})) {
        REQUIRE(answer.look);
        CHECK(counter_part(*answer.look).value == "4");
    }
}

}  // namespace
}  // namespace ratectl::test
