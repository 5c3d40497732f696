// What nodes of a Redis Cluster tell of it, of any version, and what is made of odd replies.
#include "store/cluster/cluster_view.h"

#include "support/catch.h"
#include "support/fake_channel.h"

namespace ratectl::test {
namespace {

using redis::Reply;
using store::read_cluster_shards;
using store::read_cluster_slots;
using store::read_slotless_primaries;
using store::SlotRange;

Reply node(const std::string& id, const std::string& host, int port, const std::string& role,
           const std::string& health = "online") {
    return array({text("id"), text(id), text("port"), integer(port), text("ip"), text("10.0.0.1"), text("endpoint"),
                  host.empty() ? nil() : text(host), text("role"), text(role), text("replication-offset"), integer(5),
                  text("health"), text(health)});
}

Reply shard(std::vector<Reply> slots, std::vector<Reply> nodes) {
    return array({text("slots"), array(std::move(slots)), text("nodes"), array(std::move(nodes))});
}

TEST_CASE("CLUSTER SHARDS tells of slots and nodes and those with slots come first") {
    const auto reply = array({shard({}, {node("c", "10.0.0.3", 7003, "master")}),
                              shard({integer(8192), integer(16383)}, {node("b", "10.0.0.2", 7002, "master")}),
                              shard({integer(0), integer(100), integer(200), integer(8191)},
                                    {node("r", "10.0.0.4", 7004, "replica"), node("a", "", 7001, "master")})});
    const auto view = read_cluster_shards(reply, false);
    REQUIRE(view);
    REQUIRE(view->size() == 3);
    CHECK((*view)[0].slots == std::vector<SlotRange>{{0, 100}, {200, 8191}});
    REQUIRE((*view)[0].nodes.size() == 2);
    CHECK((*view)[0].nodes[0].id == "a");
    CHECK((*view)[0].nodes[0].at == domain::HostPort{"", 7001});
    CHECK((*view)[0].nodes[0].role == domain::Role::primary);
    CHECK((*view)[0].nodes[1].role == domain::Role::replica);
    CHECK((*view)[1].nodes[0].id == "b");
    CHECK((*view)[2].slots.empty());
}

TEST_CASE("of two primaries of one shard the one that is well is it") {
    const auto reply = array({shard({integer(0), integer(16383)}, {node("old", "10.0.0.1", 7001, "master", "fail"),
                                                                   node("new", "10.0.0.2", 7002, "master")})});
    const auto view = read_cluster_shards(reply, false);
    REQUIRE(view);
    CHECK(view->front().nodes[0].id == "new");
    CHECK(view->front().nodes[1].role == domain::Role::replica);
}

TEST_CASE("with TLS the ports for it are taken and nodes without one are left out") {
    auto with_tls = node("a", "10.0.0.1", 7001, "master");
    with_tls.elements.push_back(text("tls-port"));
    with_tls.elements.push_back(integer(8001));
    const auto view = read_cluster_shards(
        array({shard({integer(0), integer(1)}, {with_tls, node("b", "10.0.0.2", 7002, "replica")})}), true);
    REQUIRE(view);
    REQUIRE(view->front().nodes.size() == 1);
    CHECK(view->front().nodes[0].at.port == 8001);
}

TEST_CASE("CLUSTER SLOTS tells the same range by range") {
    const auto range = [](int first, int last, const std::string& host, int port) {
        return array({integer(first), integer(last), array({text(host), integer(port), text("id-" + host), array({})}),
                      array({text("10.0.0.9"), integer(7009), text("id-replica")})});
    };
    const auto view = read_cluster_slots(
        array({range(200, 300, "10.0.0.1", 7001), range(101, 199, "10.0.0.2", 7002), range(0, 100, "10.0.0.1", 7001)}));
    REQUIRE(view);
    REQUIRE(view->size() == 2);
    CHECK((*view)[0].slots == std::vector<SlotRange>{{0, 100}, {200, 300}});
    CHECK((*view)[0].nodes.size() == 2);
    CHECK((*view)[0].nodes[1].role == domain::Role::replica);
    CHECK((*view)[1].nodes[0].at == domain::HostPort{"10.0.0.2", 7002});
}

TEST_CASE("CLUSTER NODES names the primaries without slots which CLUSTER SLOTS leaves out") {
    const auto found = read_slotless_primaries(
        "a1 10.0.0.1:7001@17001 myself,master - 0 0 1 connected 0-5460\r\n"
        "b2 10.0.0.2:7002@17002,two.example master - 0 0 2 connected\r\n"
        "c3 10.0.0.3:7003@17003 slave a1 0 0 1 connected\n"
        "d4 :7004@17004 master,fail - 0 0 4 disconnected [77-<-a1]\n"
        "e5 :0@0 master,noaddr - 0 0 5 disconnected\n"
        "f6 10.0.0.6 master - 0 0 6 connected\n"
        "g7 10.0.0.7:7007@17007 master - 0\n");
    REQUIRE(found.size() == 2);
    CHECK(found[0].nodes.at(0).at == domain::HostPort{"10.0.0.2", 7002});
    CHECK(found[0].nodes.at(0).id == "b2");
    CHECK(found[1].nodes.at(0).at == domain::HostPort{"", 7004});
    for (const auto& shard : found) CHECK(shard.slots.empty());
    CHECK(read_slotless_primaries("").empty());
}

TEST_CASE("an odd reply is none and an odd host is no address") {
    CHECK_FALSE(read_cluster_shards(nil(), false));
    CHECK_FALSE(read_cluster_shards(array({array({text("slots")})}), false));
    CHECK_FALSE(read_cluster_shards(array({shard({integer(5), integer(4)}, {})}), false));
    CHECK_FALSE(read_cluster_shards(array({shard({integer(0), integer(16384)}, {})}), false));
    CHECK_FALSE(read_cluster_slots(array({array({integer(0), integer(1)})})));
    CHECK_FALSE(read_cluster_slots(array({array({integer(-1), integer(1), array({text("h"), integer(1)})})})));
    const auto view = read_cluster_shards(
        array({shard({integer(0), integer(1)}, {node("a", "user:pw@10.0.0.1", 7001, "master")})}), false);
    REQUIRE(view);
    CHECK(view->empty());
}

TEST_CASE("a node tells which of its slots are on their way") {
    const auto own = store::read_own_slots(
        "aa 10.0.0.2:7002@17002 master - 0 1 2 connected 8192-16383\n"
        "bb 10.0.0.1:7001@17001,host myself,master - 0 0 1 connected 0-93 95 [93->-aa] [8200-<-aa]\n");
    REQUIRE(own);
    CHECK(own->has(93));
    CHECK_FALSE(own->has(94));
    CHECK(own->has(95));
    CHECK(own->is_leaving(93));
    CHECK_FALSE(own->is_leaving(95));
    CHECK(own->arriving == std::vector<std::uint16_t>{8200});
    CHECK_FALSE(own->is_replica());
    const auto replica = store::read_own_slots("bb 10.0.0.1:7001@17001 myself,slave aa 0 0 1 connected\n");
    REQUIRE(replica);
    CHECK(replica->follows == "aa");
    CHECK(replica->is_replica());
    CHECK_FALSE(store::read_own_slots("aa 10.0.0.2:7002@17002 master - 0 1 2 connected 0-5\n"));
    CHECK_FALSE(store::read_own_slots(""));
}

// A node that a slot came to was taken for one whose other slots may all have gone and come back.
TEST_CASE("a node whose epoch grew has kept its slots if it has sent no keys meanwhile") {
    const auto told = [](const std::string& id, const std::string& epoch, const std::string& history, int infos,
                         int migrated, int whole = 0, int dumped = 0) {
        const auto calls = "cmdstat_info:calls=" + std::to_string(infos) +
                           ",usec=3\r\ncmdstat_migrate:calls=" + std::to_string(migrated) +
                           ",usec=9\r\ncmdstat_dump:calls=" + std::to_string(dumped) +
                           ",usec=9\r\ncmdstat_cluster|syncslots:calls=" + std::to_string(whole) + ",usec=9\r\n";
        store::OwnSlots own{id, epoch, {{0, 5460}}, {}, {}, {}};
        own.sent = store::read_keys_sent("role:master\r\nmaster_replid:" + history + "\r\n", calls, calls);
        return own;
    };
    const auto then = told("aa", "1", "h", 5, 7);
    CHECK(told("aa", "1", "other", 1, 9).is_as_before(then));
    CHECK(told("aa", "4", "h", 8, 7).is_as_before(then));
    CHECK_FALSE(told("bb", "1", "h", 8, 7).is_as_before(then));
    CHECK_FALSE(told("aa", "4", "h", 8, 8).is_as_before(then));
    CHECK_FALSE(told("aa", "4", "h", 8, 7, 1).is_as_before(then));
    CHECK_FALSE(told("aa", "4", "h", 8, 7, 0, 1).is_as_before(then));
    CHECK_FALSE(told("aa", "4", "other", 8, 7).is_as_before(then));  // it was a replica meanwhile
    CHECK_FALSE(told("aa", "4", "h", 3, 7).is_as_before(then));      // it counts anew
    store::OwnSlots secretive{"aa", "4", {{0, 5460}}, {}, {}, {}};
    CHECK_FALSE(secretive.is_as_before(then));
    CHECK_FALSE(store::read_keys_sent("", "", ""));
}

TEST_CASE("ranges of slots are read back as they were written") {
    const std::vector<store::SlotRange> slots{{0, 0}, {5, 77}, {16383, 16383}};
    CHECK(store::ranges_text(slots) == "0 5-77 16383");
    CHECK(store::ranges_in(store::ranges_text(slots)) == slots);
    CHECK(store::ranges_text({}).empty());
    CHECK(store::ranges_in("").empty());
    CHECK(store::ranges_in("7-5 16384 x") == std::vector<store::SlotRange>{});
}

}  // namespace
}  // namespace ratectl::test
