// --max-staleness while a stream of looks or a sweep is under way: a replica that was young enough when it was chosen,
// and is no longer.
#include <thread>

#include "integration/store_fixture.h"
#include "support/held_link.h"
#include "support/window_look.h"

namespace ratectl::test {
namespace {

using domain::ReadFrom;
using namespace std::chrono_literals;

/// A primary whose only replica follows it through a link that can be held.
class HeldReplica : public StoreFixture {
public:
    HeldReplica() : StoreFixture(1), link(primaries[0]->endpoint()) {
        primaries[0]->command({"CONFIG", "SET", "repl-timeout", "600"});
        replica.command({"CONFIG", "SET", "repl-timeout", "600"});
        replica.command({"REPLICAOF", link.endpoint().host, std::to_string(link.endpoint().port)});
        topology.shards[0].replicas.push_back(replica.endpoint());
        options.timeout = 10s;
        options.max_staleness = 2s;
    }
    void catch_up() {
        const auto deadline = std::chrono::steady_clock::now() + 30s;
        while (replica.command({"INFO", "replication"}).find("master_link_status:up") == std::string::npos) {
            REQUIRE(std::chrono::steady_clock::now() < deadline);
            std::this_thread::sleep_for(2ms);
        }
        replica.await_replication_of(*primaries[0]);
    }

    RedisServer replica;
    HeldLink link;
};

store::LookView look_at(store::LookStream& stream, const std::string& key) {
    stream.ask(key, store::Place{0});
    const auto views = stream.next();
    REQUIRE(views.size() == 1);
    REQUIRE(views.front().look != nullptr);
    return views.front();
}

TEST_CASE("a stream of looks leaves a replica that falls behind for the primary") {
    HeldReplica shard;
    shard.put(0, "k", "3", "2000000000");
    shard.catch_up();
    const auto stream = shard.store().look_stream({ReadFrom{ReadFrom::Which::replica, {}}});
    CHECK(look_at(*stream, "k").node->role == domain::Role::replica);
    shard.link.hold();
    shard.put(0, "k", "10", "2000000000");
    std::this_thread::sleep_for(2100ms);  // what was shown of it is too old by now
    const auto view = look_at(*stream, "k");
    CHECK(view.node->role == domain::Role::primary);
    CHECK(counter_part(*view.look).value == "10");
    CHECK_FALSE(view.stale);
    REQUIRE(shard.notices.size() == 1);
    CHECK(shard.notices.front().find("it lacks") != std::string::npos);
    CHECK(stream->failures().empty());
}

TEST_CASE("a stream of looks at a named replica marks what it shows since it fell behind") {
    HeldReplica shard;
    shard.put(0, "k", "3", "2000000000");
    shard.catch_up();
    const auto name = shard.replica.endpoint().address();
    const auto stream = shard.store().look_stream({ReadFrom{ReadFrom::Which::node, name}});
    CHECK_FALSE(look_at(*stream, "k").stale);
    CHECK(stream->failures().empty());
    shard.link.hold();
    shard.put(0, "k", "10", "2000000000");
    std::this_thread::sleep_for(2100ms);
    const auto view = look_at(*stream, "k");
    CHECK(view.stale);
    CHECK(counter_part(*view.look).value == "3");
    REQUIRE(stream->failures().size() == 1);
    shard.link.release();
    shard.catch_up();
    std::this_thread::sleep_for(2100ms);
    const auto later = look_at(*stream, "k");
    CHECK_FALSE(later.stale);
    CHECK(counter_part(*later.look).value == "10");
}

TEST_CASE("a sweep marks the pages that it reads since its replica fell behind") {
    HeldReplica shard;
    shard.primaries[0]->command({"EVAL",
                                 "for i = 1, 20000 do redis.call('SET', 'k' .. i, 1) redis.call('SET', 'k' .. i .. "
                                 "':exp', 2000000000) end",
                                 "0"});
    shard.catch_up();
    store::ScanQuestion question;
    question.ops = 20;  // it takes a while
    const auto stream = shard.store().scan(question);
    const auto* page = stream->next();
    REQUIRE(page != nullptr);
    CHECK(page->node.role == domain::Role::replica);
    CHECK_FALSE(page->stale);
    CHECK(stream->failures().empty());
    shard.link.hold();
    shard.put(0, "another", "10", "2000000000");
    while (page != nullptr && !page->stale) page = stream->next();
    REQUIRE(page != nullptr);
    REQUIRE(stream->failures().size() == 1);
    CHECK(stream->failures().front().error.message.find("not shown to be at most 2s behind") != std::string::npos);
    CHECK(stream->progress().front().stale);
}

TEST_CASE("a silent replica does not hold up the next one") {
    StoreFixture shards(1, 2);
    shards.options.timeout = 30s;
    shards.put(0, "k", "3", "2000000000");
    for (const auto& replica : shards.replicas_of[0]) replica->await_replication_of(*shards.primaries[0]);
    shards.replicas_of[0][0]->pause();
    const store::KeyAt key{"k", 0};
    const auto started = std::chrono::steady_clock::now();
    const auto answers = shards.store().look({{&key, 1}, ReadFrom{ReadFrom::Which::replica, {}}});
    const auto took = std::chrono::steady_clock::now() - started;
    shards.replicas_of[0][0]->resume();
    REQUIRE(answers.size() == 1);
    REQUIRE(answers.front().look.has_value());
    CHECK(answers.front().node.name() == shards.replicas_of[0][1]->endpoint().address());
    CHECK(took < shards.options.timeout);
}

}  // namespace
}  // namespace ratectl::test
