// Servers whose data become others' while a sweep goes through them, and those that a failover leaves as they were.
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "cli/scenes_box.h"
#include "support/fault_proxy.h"

namespace ratectl::test {
namespace {

constexpr std::size_t kSweptWindows = 2000;

/// One shard of a few thousand windows with a replica, which is swept through a link.
struct SweptReplica : WrittenDeployment {
    SweptReplica() : WrittenDeployment("writes = \"allow\"\ntimeout = \"30s\"") {
        server().command({"EVAL",
                          "for i = 1, tonumber(ARGV[1]) do redis.call('SET', 'core:' .. i, 5) "
                          "redis.call('SET', 'core:' .. i .. ':exp', ARGV[2]) end return 1",
                          "0", std::to_string(kSweptWindows), std::to_string(seconds_from_now(3000))});
        replica.make_replica_of(server());
        replica.await_replication_of(server());
        link = std::make_unique<FaultProxy>(replica.endpoint());
    }

    /// A sweep during which that happens, when the server has answered a second SCAN, and then another thing, when it
    /// has answered the next command of that word.
    RunResult swept_while(const std::function<void()>& happens, const std::function<void()>& later = {},
                          std::vector<std::string> words = {"scan"}, const std::string& later_at = "SCAN") {
        link->choose([happens, later = std::function<void()>(later), later_at, scans = 0,
                      has_happened = false](const LinkRequest& request) mutable {
            LinkFault fault;
            if (has_happened && request.word == later_at) fault.at_reply = std::exchange(later, nullptr);
            if (request.word == "SCAN" && ++scans == 2) fault.at_reply = happens;
            has_happened = scans >= 2;
            return fault;
        });
        words.insert(words.end(), {"-o", "ndjson"});
        auto result = run(words);
        link->choose({});
        (void)link->counts();  // whatever the link's thread did meanwhile is seen from here on
        return result;
    }

    RedisServer replica;
    std::unique_ptr<FaultProxy> link;
};

std::string replid(RedisServer& server) {
    const auto info = server.command({"INFO", "replication"});
    const std::string name = "master_replid:";
    return info.substr(info.find(name) + name.size(), 40);
}

/// Returns when it has the data of this primary.
void follow(RedisServer& replica, RedisServer& primary) {
    replica.make_replica_of(primary);
    while (replid(replica) != replid(primary)) std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

void check_incomplete(const RunResult& result, const std::vector<std::string>& words) {
    INFO(result.err);
    CHECK(result.code == 9);
    check_holds(result.err, words);
    check_holds(result.err, {"in mid-scan", "windows may be missing", "shard 'alpha' is incomplete"});
}

void check_complete(const RunResult& result) {
    INFO(result.err);
    CHECK(result.code == 0);
    CHECK(key_rows(result).size() == kSweptWindows);
}

}  // namespace

// It ended with 0 as if it had shown every window: the process and its cursors were the same.
TEST_CASE("a sweep of a replica that was made one of another primary meanwhile is not complete") {
    SweptReplica box;
    box.add_replica(0, box.link->endpoint());
    RedisServer other;
    const auto result = box.swept_while([&] { follow(box.replica, other); });
    check_incomplete(result, {box.link->endpoint().address(), "another history", other.endpoint().address()});
    CHECK(key_rows(result).size() < kSweptWindows);
}

TEST_CASE("a sweep of a replica that was taken from its primary and emptied meanwhile is not complete") {
    SweptReplica box;
    box.add_replica(0, box.link->endpoint());
    const auto result = box.swept_while([&] {
        box.replica.command({"REPLICAOF", "NO", "ONE"});
        box.replica.command({"FLUSHALL"});
    });
    check_incomplete(result, {box.link->endpoint().address(), "has left its primary"});
}

// It said of every row that it may be of other data.
TEST_CASE("a sweep of a replica that was taken from its primary says that what was read until then is right") {
    SweptReplica box;
    box.add_replica(0, box.link->endpoint());
    const auto result = box.swept_while([&] { box.replica.command({"REPLICAOF", "NO", "ONE"}); });
    check_incomplete(result, {"has left its primary", "rows that were read until then are right"});
    CHECK(result.err.find("other data") == std::string::npos);
}

// When it was asked behind the last page it told of the same history as before the first one.
TEST_CASE("a sweep of a replica that had another primary's data for a while is not complete") {
    SweptReplica box;
    box.add_replica(0, box.link->endpoint());
    RedisServer other;
    other.command({"SET", "core:of-the-other", "1"});
    const auto result =
        box.swept_while([&] { follow(box.replica, other); }, [&] { follow(box.replica, box.server()); });
    check_incomplete(result, {box.link->endpoint().address(), "another history", other.endpoint().address()});
}

// Between the list of a page and the looks at what it names, unless these have left before.
TEST_CASE("a sweep of a replica that had another primary's data while its windows were looked at loses none silently") {
    SweptReplica box;
    box.add_replica(0, box.link->endpoint());
    RedisServer other;
    const auto result = box.swept_while([&] { follow(box.replica, other); }, [&] { follow(box.replica, box.server()); },
                                        {"scan"}, "MGET");
    if (key_rows(result).size() == kSweptWindows) return;
    check_incomplete(result, {box.link->endpoint().address(), "another history", other.endpoint().address()});
}

TEST_CASE("a sweep of a replica that was taken from its primary, emptied and given back is not complete") {
    SweptReplica box;
    box.add_replica(0, box.link->endpoint());
    const auto result = box.swept_while(
        [&] {
            box.replica.command({"REPLICAOF", "NO", "ONE"});
            box.replica.command({"FLUSHALL"});
        },
        [&] { follow(box.replica, box.server()); });
    check_incomplete(result, {box.link->endpoint().address(), "has left its primary"});
}

TEST_CASE("a sweep of a replica that takes its dead primary's place meanwhile is complete") {
    SweptReplica box;
    box.add_replica(0, box.link->endpoint());
    check_complete(box.swept_while([&] {
        box.server().kill();
        box.replica.command({"REPLICAOF", "NO", "ONE"});
    }));
}

TEST_CASE("a sweep of a primary whose data are replaced by those of another is not complete") {
    SweptReplica box;
    box.replica.command({"REPLICAOF", "NO", "ONE"});
    const auto config = box.write_alone("alone.toml", box.link->endpoint());
    RedisServer other;
    const auto result = box.swept_while([&] { follow(box.replica, other); }, {}, {"scan", "*", "--config", config});
    check_incomplete(result, {"another history", other.endpoint().address()});
}

// Its process, its cursors and its history were the same.
TEST_CASE("a sweep of a primary whose databases change places and back meanwhile is not complete") {
    SweptReplica box;
    box.replica.command({"REPLICAOF", "NO", "ONE"});
    const auto config = box.write_alone("alone.toml", box.link->endpoint());
    const auto swap = [&] { CHECK(box.replica.command({"SWAPDB", "0", "1"}) == "OK"); };
    check_complete(box.swept_while({}, {}, {"scan", "*", "--config", config}));
    const auto result = box.swept_while(swap, swap, {"scan", "*", "--config", config});
    check_incomplete(result, {box.link->endpoint().address(), "SWAPDB"});
}

// With its first replica a primary begins a history that does not go on from the one that it had.
TEST_CASE("a sweep of a primary that gets its first replica meanwhile is complete") {
    SweptReplica box;
    box.replica.command({"REPLICAOF", "NO", "ONE"});
    box.replica.command({"CONFIG", "SET", "repl-backlog-ttl", "1"});
    const auto config = box.write_alone("alone.toml", box.link->endpoint());
    RedisServer first;
    const auto before = replid(box.replica);
    while (replid(box.replica) == before) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const auto alone = replid(box.replica);
    check_complete(box.swept_while([&] { follow(first, box.replica); }, {}, {"scan", "*", "--config", config}));
    CHECK(replid(box.replica) != alone);
}

}  // namespace ratectl::test
