// Replies that are lost while slots of a real Redis Cluster move: what was written is found where its slot is.
#include <algorithm>
#include <atomic>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/cluster_box.h"
#include "cli/written_deployment.h"
#include "sharding/cluster_slots.h"
#include "support/fault_proxy.h"

using namespace ratectl::test;
using ratectl::sharding::cluster_slot;

namespace {

/// The first node is reached through a link, and knows the scripts.
class LinkedCluster {
public:
    explicit LinkedCluster(std::size_t replicas_each = 0) : box(3, replicas_each) {
        box.reach_through(link.endpoint());
        for (const auto& name : {key, beside, first}) box.cluster.set_window(name, "10", seconds_from_now(3000));
        REQUIRE(box.run({"increment", key_on(box.cluster, 0, 3)}).code == 0);
    }
    void move(const std::string& name) { box.cluster.move_slot(cluster_slot(name), 0, 2); }
    /// The write of this window meets that, once, and the slot of `key` moves.
    void hit_write_of(const std::string& name, FaultMode mode) {
        link.choose([this, name, mode](const LinkRequest& request) {
            if (!request.write || request.bytes.find(name) == std::string_view::npos || hit.exchange(true))
                return LinkFault{};
            LinkFault fault{mode};
            if (mode == FaultMode::drop_reply) {
                fault.at_reply = [this] { move(key); };
            } else {
                move(key);
            }
            return fault;
        });
    }
    std::string moved() { return box.cluster.node(2).command({"GET", key}); }

    ClusterBox box;
    std::string first = nth_by_slot(0);
    std::string key = nth_by_slot(1);
    std::string beside = nth_by_slot(2);
    std::atomic<bool> hit = false;
    FaultProxy link{box.cluster.node(0).endpoint()};

private:
    /// Of three on the first node: calls go in the order of their slots.
    std::string nth_by_slot(std::size_t n) const {
        std::vector<std::string> names;
        for (int i = 0; i < 3; ++i) names.push_back(key_on(box.cluster, 0, i));
        std::ranges::sort(names, {}, [](const auto& name) { return cluster_slot(name); });
        return names.at(n);
    }
};

}  // namespace

TEST_CASE("a write whose reply is lost while its slot moves is found where the slot is") {
    LinkedCluster linked;
    linked.hit_write_of(linked.key, FaultMode::drop_reply);
    const auto result = linked.box.run({"increment", linked.key, "--op-id", "one", "-o", "json"});
    INFO(result.out << result.err);
    CHECK(result.code == 0);
    const auto row = parse_json(result.out).at("rows").at(0);
    CHECK(row.at("status") == "applied");
    CHECK(row.at("resolved") == true);
    CHECK(row.at("after_used") == 11);
    CHECK(linked.moved() == "11");
    CHECK(linked.box.run({"increment", linked.key, "--op-id", "one"}).code == 0);
    CHECK(linked.moved() == "11");
}

TEST_CASE("a slot that moves while replies are lost leaves the writes of other slots in no doubt") {
    LinkedCluster linked;
    linked.hit_write_of(linked.key, FaultMode::drop_reply);
    const auto result = linked.box.run({"increment", linked.first, linked.key, linked.beside, "--yes", "-o", "json"});
    INFO(result.out << result.err);
    CHECK(result.code == 0);
    const auto rows = parse_json(result.out).at("rows");
    REQUIRE(rows.size() == 3);
    for (const auto& row : rows) CHECK(row.at("status") == "applied");
    CHECK(linked.moved() == "11");
    for (const auto& name : {linked.first, linked.beside})
        CHECK(linked.box.cluster.node(0).command({"GET", name}) == "11");
}

TEST_CASE("a request that is lost while its slot moves is unknown for a reason that is true") {
    LinkedCluster linked;
    linked.hit_write_of(linked.key, FaultMode::drop_request);
    const auto result = linked.box.run({"increment", linked.key, "--op-id", "one", "--timeout", "500ms"});
    INFO(result.out << result.err);
    CHECK(result.code == 8);
    CHECK(
        contains(result.err, "its slot is on its way to another node, or there by now, and no record of it is found"));
    CHECK(linked.moved() == "10");
    const auto again = linked.box.run({"increment", linked.key, "--op-id", "one"});
    INFO(again.out << again.err);
    CHECK(again.code == 0);
    CHECK(linked.moved() == "11");
}

TEST_CASE("replicas are waited for where each write was made before the next goes elsewhere") {
    LinkedCluster linked(1);
    for (const auto& [primary, replica] : {std::pair<std::size_t, std::size_t>{0, 3}, {2, 5}})
        linked.box.cluster.node(replica).await_replication_of(linked.box.cluster.node(primary));
    std::atomic<bool> done = false;  // asked after no more: the link is told so before it ends
    linked.link.choose([&](const LinkRequest& request) {
        LinkFault fault;
        const bool is_first = request.bytes.find(linked.first) != std::string_view::npos;
        if (request.write && is_first && !done.exchange(true)) fault.at_reply = [&] { linked.move(linked.key); };
        return fault;
    });
    const auto result = linked.box.run(
        {"increment", linked.first, linked.key, "--wait-replicas", "1", "--wait-timeout", "5s", "--yes", "-o", "json"});
    linked.link.choose({});
    INFO(result.out << result.err);
    CHECK(result.code == 0);
    const auto rows = parse_json(result.out).at("rows");
    for (const auto& row : rows) CHECK(row.at("acknowledged") == 1);
    CHECK(rows.at(1).at("node") == linked.box.cluster.address(2));
    CHECK(linked.moved() == "11");
}

TEST_CASE("replicas of a node that a write has left with its slot are not said to have it") {
    LinkedCluster linked(1);
    linked.box.cluster.node(3).await_replication_of(linked.box.cluster.node(0));
    linked.hit_write_of(linked.key, FaultMode::drop_reply);
    const auto result = linked.box.run({"increment", linked.key, "--wait-replicas", "1", "-o", "json"});
    INFO(result.out << result.err);
    CHECK(result.code == 9);
    const auto row = parse_json(result.out).at("rows").at(0);
    CHECK(row.at("status") == "applied");
    CHECK(row.at("acknowledged").is_null());
    CHECK(contains(result.err, "not known whether 1 replica has them: 1 of 1"));
}

// That a record had moved between the SCAN that found it and its GET was a failure of the node, and of the undo.
TEST_CASE("an undo whose records move with their slots while they are looked for ends well") {
    LinkedCluster linked;
    REQUIRE(linked.box.run({"increment", linked.key, linked.first, "--op-id", "one", "-y"}).code == 0);
    CHECK(linked.moved() != "11");
    std::atomic<bool> done = false;
    linked.link.choose([&](const LinkRequest& request) {
        LinkFault fault;
        if (request.bytes.find("SCAN") != std::string_view::npos && !done.exchange(true))
            fault.at_reply = [&] { linked.move(linked.key); };
        return fault;
    });
    const auto result = linked.box.run({"undo", "one", "-y", "-o", "json"});
    linked.link.choose({});
    INFO(result.out << result.err);
    CHECK(done);
    CHECK(result.code == 0);
    CHECK(result.err.find("at another node") == std::string::npos);
    const auto rows = parse_json(result.out).at("rows");
    REQUIRE(rows.size() == 2);
    for (const auto& row : rows) CHECK(row.at("status") == "applied");
    CHECK(linked.moved() == "10");
}
