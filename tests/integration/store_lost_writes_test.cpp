// Writes against real servers that stop, die, change their role or lose their scripts in the middle: nothing twice,
// nothing late, nothing made up.
#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <thread>

#include "integration/store_fixture.h"
#include "support/contains.h"
#include "support/patience.h"
#include "support/plain_client.h"

namespace ratectl::test {
namespace {

using store::CountItem;
using store::ResetItem;
using store::WriteResult;
using store::WriteStatus;
using support::ExitCode;
using support::Milliseconds;
using support::Seconds;

std::vector<CountItem> counts(const StoreFixture& shards, std::size_t count, std::size_t shard = 0) {
    std::vector<CountItem> items;
    for (std::size_t i = 0; i < count; ++i) {
        items.push_back({{"k" + std::to_string(i), shard}, 1, shards.now + Seconds(600), shards.now});
    }
    return items;
}

/// Does something to the servers when all is connected and nothing is sent.
struct Meddler : store::WriteObserver {
    explicit Meddler(std::function<void()> what) : meddle(std::move(what)) {}
    void before(std::span<const store::SliceAt>) override { meddle(); }
    void after(std::span<const store::SliceAt>, std::span<const WriteResult> results) override {
        for (const auto& result : results) ++told[result.status];
    }
    std::function<void()> meddle;
    std::map<WriteStatus, int> told;
};

store::WriteOrder meddled_order(Meddler* meddler = nullptr) {
    store::WriteOrder order;
    order.operation = {"OP", "root", "host", "a test"};
    order.observer = meddler;
    return order;
}

std::chrono::milliseconds since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
}

TEST_CASE("What a stopped server was sent is not applied when it wakes after we gave up") {
    StoreFixture shards;
    shards.options.timeout = Milliseconds(300);
    auto& server = *shards.primaries[0];
    Meddler meddler([&] { server.pause(); });
    const auto started = std::chrono::steady_clock::now();
    const auto results = shards.store().count(counts(shards, 2000), meddled_order(&meddler));
    CHECK(since(started) < Milliseconds(300 + 500 + 300) + kPatience);
    // One call is on its way until the first answer has come.
    for (std::size_t i = 0; i < 2000; ++i) {
        CHECK(results[i].status == (i < 100 ? WriteStatus::unknown : WriteStatus::not_attempted));
    }
    CHECK(results[0].error->code == ExitCode::unknown);
    CHECK(contains(results[0].error->message, "increment OP.1"));
    CHECK(contains(results[0].error->hint, "ratectl history OP"));
    CHECK(meddler.told[WriteStatus::unknown] == 100);
    server.resume();
    CHECK(server.command({"DBSIZE"}) == "0");
    // The same operation again does what the first did not.
    shards.new_store();
    for (const auto& result : shards.store().count(counts(shards, 2000), meddled_order()))
        CHECK(result.status == WriteStatus::applied);
    CHECK(shards.get(0, "k0") == "1");
}

TEST_CASE("A server that wakes in time is asked what became of the write and gets it once") {
    StoreFixture shards;
    shards.options.timeout = Milliseconds(400);
    auto& server = *shards.primaries[0];
    std::thread waker;
    Meddler meddler([&] {
        server.pause();
        waker = std::thread([&] {
            std::this_thread::sleep_for(Milliseconds(500));
            server.resume();
        });
    });
    const auto results = shards.store().count(counts(shards, 250), meddled_order(&meddler));
    waker.join();
    for (std::size_t i = 0; i < 250; ++i) {
        CHECK(results[i].status == WriteStatus::applied);
        CHECK(shards.get(0, "k" + std::to_string(i)) == "1");
    }
    CHECK(results[0].attempts == 2);
}

TEST_CASE("A write that the server holds back while writes are paused is not applied later") {
    StoreFixture shards;
    shards.options.timeout = Milliseconds(300);
    auto& server = *shards.primaries[0];
    Meddler meddler([&] { server.command({"CLIENT", "PAUSE", "4000", "WRITE"}); });
    const auto started = std::chrono::steady_clock::now();
    const auto results = shards.store().count(counts(shards, 1), meddled_order(&meddler));
    CHECK(since(started) < Milliseconds(3 * 600 + 300) + kPatience);
    CHECK(results[0].status == WriteStatus::failed);
    CHECK(results[0].error->code == ExitCode::unavailable);
    CHECK(contains(results[0].error->message, "nothing was written"));
    CHECK(results[0].attempts == 3);
    server.command({"CLIENT", "UNPAUSE"});
    std::this_thread::sleep_for(Milliseconds(100));
    CHECK(server.command({"EXISTS", "k0", "ratectl:op:OP.1"}) == "0");
}

TEST_CASE("A server that was killed and came back empty cannot say what became of the write") {
    StoreFixture shards(2);
    shards.options.timeout = Milliseconds(1500);
    auto& server = *shards.primaries[0];
    auto items = counts(shards, 1);
    items.push_back({{"other", 1}, 1, shards.now + Seconds(600), shards.now});
    std::atomic<bool> over = false;
    std::thread killer;
    Meddler meddler([&] {
        server.pause();
        killer = std::thread([&] {
            std::this_thread::sleep_for(Milliseconds(100));
            server.kill();
            server.start_again();
            // A server ends with the thread that started it.
            while (!over) std::this_thread::sleep_for(Milliseconds(5));
        });
    });
    const auto results = shards.store().count(items, meddled_order(&meddler));
    const auto keys = server.command({"DBSIZE"});
    over = true;
    killer.join();
    CHECK(results[0].status == WriteStatus::unknown);
    INFO(results[0].error->message);
    CHECK(contains(results[0].error->message, "restarted"));
    CHECK(results[1].status == WriteStatus::applied);
    CHECK(keys == "0");
}

TEST_CASE("A connection that is killed in the middle of a bulk costs no window and doubles none") {
    StoreFixture shards;
    auto& server = *shards.primaries[0];
    std::atomic<bool> over = false;
    std::thread killer;
    Meddler meddler([&] {
        killer = std::thread([&] {
            for (int i = 0; i < 8 && !over; ++i) {
                // Our own kind of connection, not the test's (it is on the unix socket).
                server.command({"CLIENT", "KILL", "LADDR", "127.0.0.1:" + std::to_string(server.port())});
                std::this_thread::sleep_for(Milliseconds(60));
            }
        });
    });
    shards.options.timeout = Milliseconds(300);
    const auto results = shards.store().count(counts(shards, 5000), meddled_order(&meddler));
    over = true;
    killer.join();
    std::map<WriteStatus, int> tally;
    for (std::size_t i = 0; i < results.size(); ++i) {
        ++tally[results[i].status];
        const auto stored = shards.get(0, "k" + std::to_string(i));
        if (results[i].status == WriteStatus::applied) CHECK(stored == "1");
        if (results[i].status == WriteStatus::failed || results[i].status == WriteStatus::not_attempted)
            CHECK(stored == "(nil)");
    }
    INFO("applied " << tally[WriteStatus::applied] << ", failed " << tally[WriteStatus::failed]);

    CHECK(tally[WriteStatus::unknown] == 0);
    CHECK(tally[WriteStatus::applied] > 0);
}

TEST_CASE("Scripts that are flushed all the time are sent again and applied once") {
    StoreFixture shards;
    auto& server = *shards.primaries[0];
    std::atomic<bool> over = false;
    std::thread flusher;
    Meddler meddler([&] {
        flusher = std::thread([&] {
            while (!over) server.command({"SCRIPT", "FLUSH", "SYNC"});
        });
    });
    const auto results = shards.store().count(counts(shards, 3000), meddled_order(&meddler));
    over = true;
    flusher.join();
    for (const auto& result : results) CHECK(result.status == WriteStatus::applied);
    for (int i = 0; i < 3000; i += 37) CHECK(shards.get(0, "k" + std::to_string(i)) == "1");
}

TEST_CASE("Eviction and FLUSHALL after the write take away the right to say that it was not applied") {
    for (const bool flush : {true, false}) {
        StoreFixture shards;
        shards.options.timeout = Milliseconds(300);
        auto& server = *shards.primaries[0];
        std::thread later;
        Meddler meddler([&] {
            // The write is held back, and thrown away as late; but the store cannot know that it was.
            server.command({"CLIENT", "PAUSE", "100000", "WRITE"});
            later = std::thread([&] {
                std::this_thread::sleep_for(Milliseconds(150));
                server.command({"CLIENT", "KILL", "LADDR", "127.0.0.1:" + std::to_string(server.port())});
                server.command({"CLIENT", "UNPAUSE"});
                if (flush) {
                    server.command({"FLUSHALL"});
                } else {
                    server.command({"CONFIG", "SET", "maxmemory-policy", "allkeys-random"});
                    server.command({"SET", "x", "y"});
                    server.command({"CONFIG", "SET", "maxmemory", "1"});
                    server.command({"SET", "x", "y"});
                    server.command({"CONFIG", "SET", "maxmemory", "0"});
                }
            });
        });
        const auto results = shards.store().count(counts(shards, 1), meddled_order(&meddler));
        later.join();
        CHECK(results[0].status == WriteStatus::unknown);
        CHECK(contains(results[0].error->message, "evicted or removed"));
        CHECK(shards.get(0, "k0") == "(nil)");
    }
}

TEST_CASE("A primary that becomes a replica between the check and the write refuses and nothing is written") {
    StoreFixture shards(2);
    Meddler meddler([&] { shards.primaries[0]->make_replica_of(*shards.primaries[1]); });
    const auto results = shards.store().count(counts(shards, 250), meddled_order(&meddler));
    CHECK(results[0].status == WriteStatus::refused);
    CHECK(results[0].reason == "server-refuses");
    CHECK(results[0].error->code == ExitCode::write_refused);
    CHECK(contains(results[0].error->message, "nothing was written"));
    CHECK(results[249].status == WriteStatus::not_attempted);  // the first call found out
    CHECK(shards.primaries[1]->command({"DBSIZE"}) == "0");
}

TEST_CASE("A failover in the middle of a write leaves the old and the new primary with the same count") {
    StoreFixture shards(1, 1);
    shards.options.timeout = Milliseconds(4000);
    auto& primary = *shards.primaries[0];
    auto& replica = *shards.replicas_of[0][0];
    std::thread waker;
    Meddler meddler([&] {
        replica.pause();
        primary.command({"SET", "unseen", "1"});
        CHECK(primary.command({"FAILOVER", "TIMEOUT", "20000"}) == "OK");
        waker = std::thread([&] {
            std::this_thread::sleep_for(Milliseconds(400));
            replica.resume();
        });
    });
    const auto results = shards.store().count(counts(shards, 1), meddled_order(&meddler));
    waker.join();
    CHECK(results[0].status == WriteStatus::refused);
    CHECK(results[0].error->code == ExitCode::write_refused);
    CHECK(primary.command({"GET", "k0"}) == "(nil)");
    CHECK(replica.command({"GET", "k0"}) == "(nil)");
    CHECK(replica.command({"GET", "unseen"}) == "1");
}

TEST_CASE("A user who may not run one of the script's commands changes nothing") {
    StoreFixture shards;
    auto& server = *shards.primaries[0];
    server.command({"ACL", "SETUSER", "half", "on", ">pw", "~*", "+@all", "-set"});
    shards.put(0, "k0", "5", std::to_string(support::epoch_seconds(shards.now) + 600));
    auto& credentials = shards.topology.shards[0].primary.credentials;
    credentials.username = "half";
    credentials.password = domain::Secret("pw");
    const auto results = shards.store().count(counts(shards, 2), meddled_order());
    for (const auto& result : results) {
        CHECK(result.status == WriteStatus::refused);
        CHECK(result.reason == "no-permission");
        CHECK(result.error->code == ExitCode::access);
        CHECK(contains(result.error->message, "set"));
    }
    CHECK(shards.get(0, "k0") == "5");
    CHECK(server.command({"EXISTS", "k1", "k1:exp", "ratectl:op:OP.1"}) == "0");
}

/// An endless script on a server of its own client, until it is killed.
class BusyScript {
public:
    explicit BusyScript(RedisServer& server) : endpoint_(server.unix_endpoint()) {
        server.command({"CONFIG", "SET", "busy-reply-threshold", "20"});
        runner_ = std::thread([endpoint = endpoint_] {
            test::PlainClient client(endpoint, Milliseconds(20'000));
            (void)client.command({"EVAL", "while true do end", "0"});
        });
        while (server.command({"PING"}) == "PONG") std::this_thread::sleep_for(Milliseconds(2));
    }
    BusyScript(const BusyScript&) = delete;
    BusyScript& operator=(const BusyScript&) = delete;
    ~BusyScript() {
        end();
        runner_.join();
    }
    void end() { (void)test::PlainClient(endpoint_).command({"SCRIPT", "KILL"}); }
    void end_after(Milliseconds wait) {
        std::this_thread::sleep_for(wait);
        end();
    }

private:
    domain::Endpoint endpoint_;
    std::thread runner_;
};

TEST_CASE("A server that is busy for a moment is waited for and one that stays busy is left unwritten") {
    for (const bool stays : {false, true}) {
        for (const bool before_we_connect : {false, true}) {
            INFO("stays " << stays << ", before we connect " << before_we_connect);
            StoreFixture shards;
            shards.options.timeout = Milliseconds(stays ? 2000 : 5000);  // enough for a busy machine to connect
            std::optional<BusyScript> busy;
            std::thread ender;
            const auto begin = [&] {
                busy.emplace(*shards.primaries[0]);
                if (!stays) ender = std::thread([&] { busy->end_after(Milliseconds(400)); });
            };
            if (before_we_connect) begin();
            Meddler meddler([&] {
                if (!before_we_connect) begin();
            });
            const auto results = shards.store().count(counts(shards, 150), meddled_order(&meddler));
            if (ender.joinable()) ender.join();
            busy.reset();
            for (const auto& result : results) {
                CHECK(result.status == (stays ? WriteStatus::failed : WriteStatus::applied));
                if (!stays) continue;
                CHECK(result.error->code == ExitCode::unavailable);
                CHECK(contains(result.error->message, "busy running a script"));
                CHECK(contains(result.error->message, "nothing was written"));
            }
            CHECK(shards.get(0, "k0") == (stays ? "(nil)" : "1"));
        }
    }
}

TEST_CASE("A server with too few replicas refuses and keeps nothing of the call") {
    StoreFixture shards;
    auto& server = *shards.primaries[0];
    server.command({"CONFIG", "SET", "min-replicas-to-write", "1"});
    const auto results = shards.store().count(counts(shards, 2), meddled_order());
    for (const auto& result : results) {
        CHECK(result.status == WriteStatus::refused);
        CHECK(result.error->code == ExitCode::write_refused);
        CHECK(contains(result.error->message, "too few replicas"));
        CHECK(contains(result.error->message, "nothing was written"));
    }
    CHECK(server.command({"DBSIZE"}) == "0");
}

TEST_CASE("A write to a server whose idle connection was closed finds a new one") {
    StoreFixture shards;
    auto& server = *shards.primaries[0];
    CHECK(shards.store().count(counts(shards, 1), meddled_order())[0].status == WriteStatus::applied);
    Meddler meddler([&] { server.command({"CLIENT", "KILL", "LADDR", "127.0.0.1:" + std::to_string(server.port())}); });
    auto order = meddled_order(&meddler);
    order.operation.id = "OP2";
    const auto results = shards.store().count(counts(shards, 1), order);
    CHECK(results[0].status == WriteStatus::applied);
    CHECK(results[0].attempts == 1);
    CHECK(shards.get(0, "k0") == "2");
}

TEST_CASE("Replicas that have the write are counted and one that sleeps is not") {
    StoreFixture shards(1, 2);
    auto order = meddled_order();
    order.wait_replicas = 2;
    order.wait_timeout = Milliseconds(1000);
    for (const auto& result : shards.store().count(counts(shards, 150), order)) CHECK(result.acknowledged == 2);
    CHECK(shards.replicas_of[0][0]->command({"GET", "k149"}) == "1");
    shards.replicas_of[0][0]->pause();
    order.operation.id = "OP2";
    order.wait_timeout = Milliseconds(200);
    const auto started = std::chrono::steady_clock::now();
    const auto results = shards.store().count(counts(shards, 150), order);
    CHECK(since(started) < Milliseconds(1000) + kPatience);
    shards.replicas_of[0][0]->resume();
    for (const auto& result : results) {
        CHECK(result.status == WriteStatus::applied);
        CHECK(result.acknowledged == 1);
    }
}

TEST_CASE("A whole command ends with its deadline although the server does not answer") {
    StoreFixture shards;
    shards.options.timeout = Milliseconds(5000);
    const auto started = std::chrono::steady_clock::now();
    shards.options.deadline = started + Milliseconds(500);
    Meddler meddler([&] { shards.primaries[0]->pause(); });
    const auto results = shards.store().count(counts(shards, 1), meddled_order(&meddler));
    CHECK(since(started) < Milliseconds(800) + kPatience);
    CHECK(results[0].status == WriteStatus::unknown);
    shards.primaries[0]->resume();
    CHECK(shards.primaries[0]->command({"DBSIZE"}) == "0");
}

}  // namespace
}  // namespace ratectl::test
