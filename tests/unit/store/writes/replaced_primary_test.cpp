// A primary that its sentinels have replaced, and that does not know it yet: a change that goes on does not write
// there.
#include <thread>

#include "support/catch.h"
#include "support/contains.h"
#include "unit/store/pretended_shards.h"

namespace ratectl::test {
namespace {

constexpr const char* kSentinel = "10.0.0.5:26379";
/// As long as what sentinels said counts, and a little more.
constexpr std::chrono::milliseconds kTooOld{2050};

/// One shard, of whose primary a sentinel tells: at first 10.0.0.7, and 10.0.0.9, which is as fit, when it says so.
struct WatchedShard : PretendedShards {
    WatchedShard() : PretendedShards(2) {
        topology.shards.pop_back();
        topology.shards.front().primary.host.clear();
        domain::Endpoint endpoint;
        endpoint.host = "10.0.0.5";
        endpoint.port = 26379;
        topology.directory = store::watched_directory({topology.shards}, {{endpoint}, {"m1"}});
        auto& sentinel = connector->at(kSentinel);
        sentinel.facts.is_sentinel = true;
        sentinel.always(first_word_is("SENTINEL"), [this](const Command& command) -> Answer {
            if (command.at(1) != "MASTER") return array({});
            return array({text("name"), text("m1"), text("ip"), text(told), text("port"), text("6379"), text("flags"),
                          text("master"), text("config-epoch"), text("1")});
        });
        for (const std::size_t i : {0U, 1U}) {
            node(i).always(kEvalsha, [this](const Command&) -> Answer {
                if (at_write) std::exchange(at_write, nullptr)();
                return done();
            });
        }
    }
    static store::WriteOrder numbered(std::uint64_t number) {
        auto order = ordered();
        order.slices.front().number = number;
        return order;
    }

    std::string told = "10.0.0.7";
    std::function<void()> at_write;  // the first time
};

}  // namespace

TEST_CASE("A change that goes on asks the sentinels again and leaves a primary that they have replaced") {
    // It wrote on there for as long as that took writes, and all of it was lost when that became a replica.
    WatchedShard shards;
    const auto stream = shards.store().write_stream();
    stream->submit(counts(1), shards.numbered(1));
    CHECK(stream->take().front().node.endpoint.host == "10.0.0.7");
    shards.told = "10.0.0.9";
    std::this_thread::sleep_for(kTooOld);
    stream->submit(counts(1), shards.numbered(2));
    const auto results = stream->take();
    CHECK(results.front().status == store::WriteStatus::applied);
    CHECK(results.front().node.endpoint.host == "10.0.0.9");
    CHECK(shards.asked("EVALSHA", 0) == 1);
    CHECK(shards.asked("EVALSHA", 1) == 1);
}

TEST_CASE("A batch that was recorded for a primary which is replaced before its turn is not written") {
    WatchedShard shards;
    const auto stream = shards.store().write_stream();
    shards.at_write = [&shards] {
        shards.told = "10.0.0.9";
        std::this_thread::sleep_for(kTooOld);
    };
    stream->submit(counts(1), shards.numbered(1));
    stream->submit(counts(1), shards.numbered(2));
    CHECK(stream->take().front().status == store::WriteStatus::applied);
    const auto results = stream->take();
    CHECK(results.front().status == store::WriteStatus::failed);
    CHECK(contains(results.front().error->message, "a failover has put another server in its place"));
    CHECK(shards.asked("EVALSHA", 0) == 1);
    CHECK(shards.asked("EVALSHA", 1) == 0);
}

}  // namespace ratectl::test
