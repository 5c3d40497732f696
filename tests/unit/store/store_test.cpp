// The store over pretended servers: what it asks, what it asks again, and what it never does twice.
#include "store/store.h"

#include <memory>

#include "redis/event_loop.h"
#include "support/catch.h"
#include "support/configured_topology.h"
#include "support/fake_channel.h"
#include "support/window_look.h"

namespace ratectl::test {
namespace {

using domain::LookDepth;
using store::KeyAt;
using support::ExitCode;

constexpr const char* kPrimary = "10.0.0.7:6379";
constexpr const char* kReplica = "10.0.0.8:6379";

class PretendedShard {
public:
    explicit PretendedShard(bool with_replica = false) {
        domain::Shard shard{"alpha", endpoint("10.0.0.7"), {}, false};
        if (with_replica) shard.replicas.push_back(endpoint("10.0.0.8"));
        topology_.shards.push_back(shard);
        primary().facts.version = domain::ServerVersion{7, 0, 15, false};
        primary().facts.role = domain::Role::primary;
        if (!with_replica) return;
        replica().facts = primary().facts;
        replica().facts.role = domain::Role::replica;
        replica().facts.link_up = true;
    }

    FakeNode& primary() { return connector_->at(kPrimary); }
    FakeNode& replica() { return connector_->at(kReplica); }
    store::Store& store() {
        if (!store_) {
            store::Options options;
            options.notice = [this](const support::Error& error) { notices.push_back(error.message); };
            store_ = std::make_unique<store::Store>(topology_, options, loop_, connector_);
        }
        return *store_;
    }
    std::vector<std::string> notices;

private:
    static domain::Endpoint endpoint(const std::string& host) {
        domain::Endpoint endpoint;
        endpoint.host = host;
        return endpoint;
    }

    test::ConfiguredTopology topology_;
    std::shared_ptr<redis::EventLoop> loop_ = std::make_shared<redis::EventLoop>();
    std::shared_ptr<FakeConnector> connector_ = std::make_shared<FakeConnector>();
    std::unique_ptr<store::Store> store_;
};

const std::vector<KeyAt> kOneKey{{"k", 0}};
const Command kMget{"MGET", "k", "k:exp"};

store::LookAnswer look(PretendedShard& shard, domain::ReadFrom::Which from = domain::ReadFrom::Which::primary) {
    auto answers = shard.store().look({kOneKey, {from, {}}, LookDepth::light, false});
    REQUIRE(answers.size() == 1);
    return answers[0];
}

TEST_CASE("A broken read is asked again on a new connection") {
    PretendedShard shard;
    shard.primary().expect(kMget, broken(true)).expect(kMget, array({text("5"), text("1000")}));
    CHECK(counter_part(*look(shard).look).value == "5");
    CHECK(shard.primary().opened() == 2);
}

TEST_CASE("A read gives up after three attempts and remembers the dead node for a while") {
    PretendedShard shard;
    for (int i = 0; i < 3; ++i) shard.primary().fail_next_open(broken(false, "refused"));
    CHECK(look(shard).look.error().code == ExitCode::unavailable);
    // Would fail the test if the store opened a connection now.
    const auto again = look(shard);
    CHECK(again.look.error().message.find("refused") != std::string::npos);
    CHECK(shard.primary().opened() == 0);
}

TEST_CASE("A server that is still loading is asked again") {
    PretendedShard shard;
    shard.primary()
        .expect(kMget, error("LOADING Redis is loading the dataset in memory"))
        .expect(kMget, array({nil(), nil()}));
    CHECK(look(shard).look.has_value());
}

TEST_CASE("A refused permission is not asked twice and says what is missing") {
    PretendedShard shard;
    shard.primary().expect(kMget, error("NOPERM this user has no permissions to run the 'mget' command"));
    const auto answer = look(shard);
    CHECK(answer.look.error().code == ExitCode::access);
    CHECK(answer.look.error().message.find("mget") != std::string::npos);
}

TEST_CASE("An unexpected reply to a look is an error of its key and names the node") {
    PretendedShard shard;
    shard.primary().expect(kMget, array({text("5")}));
    const auto answer = look(shard);
    CHECK(answer.look.error().code == ExitCode::protocol);
    CHECK(answer.look.error().message.find("alpha") != std::string::npos);
}

TEST_CASE("A replica that does not know whether its link is up is not healthy") {
    PretendedShard shard(true);
    shard.replica().facts.link_up = std::nullopt;
    shard.primary().expect(kMget, array({text("5"), text("1000")}));
    const auto answer = look(shard, domain::ReadFrom::Which::replica);
    CHECK(answer.node.role == domain::Role::primary);
    CHECK(shard.notices.size() == 1);
}

TEST_CASE("A shard without a healthy replica is said once, not with every look") {
    PretendedShard shard(true);
    shard.replica().facts.link_up = false;
    for (int i = 0; i < 2; ++i) {
        shard.primary().expect(kMget, array({text("5"), text("1000")}));
        look(shard, domain::ReadFrom::Which::replica);
    }
    CHECK(shard.notices.size() == 1);
}

TEST_CASE("A promoted replica is no healthy replica and is read as stale when its primary is gone") {
    PretendedShard shard(true);
    shard.replica().facts.role = domain::Role::primary;
    for (int i = 0; i < 3; ++i) shard.primary().fail_next_open(broken(false, "refused"));
    shard.replica().expect(kMget, array({text("5"), text("1000")}));
    const auto answer = look(shard, domain::ReadFrom::Which::replica);
    CHECK(answer.stale);
    CHECK(shard.store().look_failures().size() == 1);
}

TEST_CASE("Discovery falls back to INFO where ROLE is not allowed") {
    PretendedShard shard;
    test::ConfiguredTopology topology;
    topology.shards.push_back({"alpha", {}, {}, true});
    topology.shards[0].primary.host = "10.0.0.7";
    auto loop = std::make_shared<redis::EventLoop>();
    auto connector = std::make_shared<FakeConnector>();
    connector->at(kPrimary)
        .expect({"ROLE"}, error("NOPERM no"))
        .expect({"INFO", "replication"}, text("slave0:ip=10.0.0.8,port=6379\r\n"));
    store::Store store(topology, {}, loop, connector);
    REQUIRE(store.nodes(0).size() == 2);
    CHECK(store.nodes(0)[1].name() == kReplica);
}

TEST_CASE("A node that may not be asked for INFO still reports what it greeted with") {
    PretendedShard shard;
    shard.primary()
        .expect({"INFO"}, error("NOPERM no"))
        .expect({"ROLE"}, error("NOPERM no"))
        .expect({"DBSIZE"}, integer(4));
    const auto reports = shard.store().node_reports();
    REQUIRE(reports[0].facts.has_value());
    CHECK(reports[0].facts->version->major == 7);
    CHECK(reports[0].facts->keys == 4);
    CHECK_FALSE(reports[0].facts->used_memory.has_value());
}

TEST_CASE("A sweep keeps its cursor over a broken connection and starts anew on another process") {
    for (const bool same_process : {true, false}) {
        PretendedShard shard;
        auto& node = shard.primary();
        node.facts.run_id = "first";
        node.always(first_word_is("INFO"), [](const Command&) -> Answer { return error("NOPERM no INFO"); });
        const auto scan = [](const char* cursor) { return Command{"SCAN", cursor, "MATCH", "*:exp", "COUNT", "300"}; };
        node.expect(scan("0"), array({text("17"), array({text("a:exp")})}))
            .expect(scan("17"), array({text("42"), array({text("b:exp")})}))
            .expect({"MGET", "a", "a:exp"}, array({text("1"), text("1000")}))
            .expect(scan("42"), array({text("0"), array({})}))
            .expect({"MGET", "b", "b:exp"}, broken(true));
        if (same_process) {
            node.expect(scan("17"), array({text("0"), array({text("b:exp"), text("a:exp")})}))
                .expect({"MGET", "b", "b:exp", "a", "a:exp"},
                        array({text("2"), text("1000"), text("1"), text("1000")}));
        } else {
            node.expect(scan("0"), array({text("0"), array({text("a:exp")})}))
                .expect({"MGET", "a", "a:exp"}, array({text("1"), text("1000")}));
        }
        const auto stream = shard.store().scan({});
        auto page = stream->next();
        REQUIRE(page != nullptr);
        CHECK(page->looks.at(0).key == "a");
        node.facts.run_id = same_process ? "first" : "second";
        page = stream->next();
        REQUIRE(page != nullptr);
        REQUIRE(page->looks.size() == 1);
        CHECK(page->looks[0].key == (same_process ? "b" : "a"));
        CHECK(stream->next() == nullptr);
        CHECK(stream->failures().empty());
        CHECK(stream->progress().at(0).restarts == (same_process ? 0 : 1));
        CHECK(stream->progress()[0].complete);
    }
}

}  // namespace
}  // namespace ratectl::test
