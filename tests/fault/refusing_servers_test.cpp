// Real servers that load, are busy, cannot save, lose their role, their users or their memory of scripts in the middle
// of a write.
#include <filesystem>
#include <map>
#include <thread>

#include "fault/linked_store.h"

namespace ratectl::test {
namespace {

using domain::WriteKind;
using store::WriteStatus;
using support::ExitCode;

const milliseconds kRefusingTimeout{250};

RedisServerOptions with(std::vector<std::string> arguments) { return {std::move(arguments), true}; }

void check_untouched(LinkedStore& link) {
    link.settle();
    CHECK(link.value("k") == "50");
    CHECK(link.operation_keys().empty());
}

TEST_CASE("A server that forgets its scripts before every call is told them again and counts once") {
    LinkedStore link(kRefusingTimeout);
    link.proxy.choose([&](const LinkRequest& request) {
        if (request.write) link.server.command({"SCRIPT", "FLUSH"});
        return LinkFault{};
    });
    for (int i = 1; i <= 5; ++i) {
        const auto result = link.count("k");
        CHECK(result.status == WriteStatus::applied);
        CHECK(result.after.used == std::to_string(i));
    }
    // Each was sent by its hash, and once more as text.
    CHECK(link.proxy.counts().writes == 10);
    CHECK(link.value("k") == "5");
}

// A reload inside the process: the same answers as after a start, without a restart.
void reload_slowly(LinkedStore& link, int keys, const std::string& delay) {
    link.server.command({"DEBUG", "POPULATE", std::to_string(keys)});
    link.server.command({"CONFIG", "SET", "loading-process-events-interval-bytes", "1024"});
    link.server.command({"CONFIG", "SET", "key-load-delay", delay});
    link.set_window("k", "50");
    link.at_next_write([&] {
        link.say({"DEBUG", "RELOAD"});
        // It answers LOADING once it reads its file again.
        for (int i = 0; i < 200; ++i) {
            const auto reply = link.server.command({"PING"});
            if (reply.find("LOADING") != std::string::npos) return;
        }
    });
}

TEST_CASE("A server that loads its data set until long after the timeout has counted nothing") {
    const milliseconds timeout(1000);  // no shorter: until the server says that it loads, the call waits
    LinkedStore link(timeout, debuggable());
    reload_slowly(link, 20000, "250");
    {
        const WithinPatience patience(timeout);
        const auto result = link.write(WriteKind::count);
        CHECK(result.status == WriteStatus::failed);
        CHECK(result.error->code == ExitCode::unavailable);
        CHECK(says(result, "loading"));
        CHECK(says(result, "nothing was written"));
    }
    link.server.command({"CONFIG", "SET", "key-load-delay", "0"});
    for (int i = 0; i < 400 && link.value("k") != "50"; ++i) std::this_thread::sleep_for(milliseconds(10));
    check_untouched(link);
}

TEST_CASE("A server that is done with loading before the timeout counts once") {
    LinkedStore link(milliseconds(2000), debuggable());
    reload_slowly(link, 3000, "40");
    const auto result = link.write(WriteKind::count);
    CHECK(result.status == WriteStatus::applied);
    CHECK(result.after.used == "51");
    CHECK(link.value("k") == "51");
}

TEST_CASE("A server that is busy with a script has written nothing and is left its script") {
    const milliseconds timeout{1000};  // the script has to begin within it
    for (const char* script : {"while true do end", "redis.call('SET', KEYS[1], '1') while true do end"}) {
        LinkedStore link(timeout, with({"--busy-reply-threshold", "30"}));
        link.set_window("k", "50");
        link.at_next_write([&] {
            for (int i = 0; i < 200; ++i) {
                link.say({"EVAL", script, "1", "elsewhere"});
                if (link.server.command({"PING"}).find("BUSY") != std::string::npos) return;
            }
        });
        {
            const WithinPatience patience(timeout);
            const auto result = link.write(WriteKind::reset);
            CHECK(result.status == WriteStatus::failed);
            CHECK(result.error->code == ExitCode::unavailable);
            CHECK(says(result, "busy running a script"));
            CHECK(says(result, "nothing was written"));
        }
        // Had we ended its script, it would not be busy any more.
        CHECK(link.server.command({"PING"}).find("BUSY") != std::string::npos);
        if (link.server.command({"SCRIPT", "KILL"}) != "OK") continue;
        check_untouched(link);
    }
}

TEST_CASE("A server whose busy time ends before the timeout counts once") {
    LinkedStore link(milliseconds(1500), with({"--busy-reply-threshold", "20"}));
    link.set_window("k", "50");
    link.at_next_write([&] {
        link.say({"EVAL",
                  "local t = redis.call('TIME') local till = t[1] * 1000 + t[2] / 1000 + 300 repeat t = "
                  "redis.call('TIME') until t[1] * 1000 + t[2] / 1000 > till",
                  "1", "x"});
        std::this_thread::sleep_for(milliseconds(30));
    });
    const auto result = link.write(WriteKind::count);
    CHECK(result.status == WriteStatus::applied);
    CHECK(link.value("k") == "51");
}

TEST_CASE("A server that cannot save to its disk refuses writes and is not called dead") {
    LinkedStore link(kRefusingTimeout, with({"--save", "3600 1"}));
    link.set_window("k", "50");
    std::filesystem::create_directory(link.server.folder() + "/dump.rdb");
    link.server.command({"SET", "other", "1"});
    link.server.command({"BGSAVE"});
    for (int i = 0; i < 200; ++i) {
        if (link.server.command({"PING"}).find("MISCONF") != std::string::npos) break;
        std::this_thread::sleep_for(milliseconds(10));
    }
    for (const auto kind : kKinds) {
        const auto result = link.write(kind);
        CHECK(result.status == WriteStatus::refused);
        CHECK(result.error->code == ExitCode::write_refused);
        CHECK(says(result, "nothing was written"));
    }
    check_untouched(link);
}

TEST_CASE("A server that loses its replicas between our look and our write refuses it") {
    LinkedStore link(kRefusingTimeout);
    link.set_window("k", "50");
    link.at_next_write([&] { link.server.command({"CONFIG", "SET", "min-replicas-to-write", "1"}); });
    const auto result = link.write(WriteKind::count);
    CHECK(result.status == WriteStatus::refused);
    CHECK(result.error->code == ExitCode::write_refused);
    CHECK(says(result, "replicas"));
    check_untouched(link);
}

TEST_CASE("A server whose memory is used up between our look and our write refuses a count and takes a reset") {
    for (const auto kind : kKinds) {
        LinkedStore link(kRefusingTimeout);
        link.set_window("k", "50");
        link.at_next_write([&] { link.server.command({"CONFIG", "SET", "maxmemory", "1"}); });
        const auto result = link.write(kind);
        if (kind == WriteKind::reset) {
            CHECK(result.status == WriteStatus::applied);
            CHECK(link.value("k") == "(nil)");
            CHECK(link.operation_keys() == "ratectl:op:op1.1");
        } else {
            CHECK(result.status == WriteStatus::refused);
            CHECK(result.error->code == ExitCode::write_refused);
            CHECK(says(result, "memory"));
            check_untouched(link);
        }
    }
}

TEST_CASE("A primary that becomes a replica between our look and our write has written nothing") {
    for (const auto kind : kKinds) {
        LinkedStore link(kRefusingTimeout);
        link.set_window("k", "50");
        link.at_next_write([&] { link.server.command({"REPLICAOF", "127.0.0.1", "1"}); });
        const auto result = link.write(kind);
        CHECK(result.status == WriteStatus::refused);
        CHECK(result.error->code == ExitCode::write_refused);
        CHECK(says(result, "nothing was written"));
        check_untouched(link);
    }
}

TEST_CASE("A replica that may not be asked what it is refuses for itself") {
    RedisServer primary;
    LinkedStore link(kRefusingTimeout);
    link.server.make_replica_of(primary);
    primary.command({"SET", "k", "50"});
    link.server.await_replication_of(primary);
    link.server.command({"ACL", "SETUSER", "operator", "on", ">secret", "~*", "&*", "+@all", "-role", "-info"});
    auto& credentials = link.topology.shards[0].primary.credentials;
    credentials.username = "operator";
    credentials.password = domain::Secret("secret");
    for (const auto kind : {WriteKind::count, WriteKind::reset}) {
        const auto result = link.write(kind);
        CHECK(result.status == WriteStatus::refused);
        CHECK(result.error->code == ExitCode::write_refused);
        CHECK(says(result, "read-only"));
        CHECK(says(result, "nothing was written"));
    }
    check_untouched(link);
}

TEST_CASE("A write during a failover is applied on neither server when it is reported so") {
    LinkedStore link(milliseconds(600), with({"--repl-diskless-sync-delay", "0"}));
    RedisServer replica(with({"--repl-diskless-sync-delay", "0"}));
    link.set_window("k", "50");
    replica.make_replica_of(link.server);
    replica.await_replication_of(link.server);
    replica.pause();
    link.server.command({"SET", "behind", "1"});  // so that the replica has to catch up first
    link.at_next_write([&] {
        link.server.command({"FAILOVER", "TO", "127.0.0.1", std::to_string(replica.port()), "TIMEOUT", "20000"});
    });
    std::thread waker([&] {
        std::this_thread::sleep_for(milliseconds(300));
        replica.resume();
    });
    const auto result = link.write(WriteKind::count);
    waker.join();
    INFO(store::name_of(result.status) << ": " << (result.error ? result.error->message : ""));
    CHECK(result.status != WriteStatus::applied);
    for (int i = 0; i < 200 && replica.command({"ROLE"}).rfind("master", 0) != 0; ++i) {
        std::this_thread::sleep_for(milliseconds(10));
    }
    CHECK(replica.command({"GET", "k"}) == "50");
    for (int i = 0; i < 200 && link.value("k") != "50"; ++i) std::this_thread::sleep_for(milliseconds(10));
    check_untouched(link);
}

TEST_CASE("A write that no replica has got says so") {
    LinkedStore link(milliseconds(1000), with({"--repl-diskless-sync-delay", "0"}));
    RedisServer replica(with({"--repl-diskless-sync-delay", "0"}));
    link.set_window("k", "50");
    replica.make_replica_of(link.server);
    auto order = link.order();
    order.wait_replicas = 1;
    order.wait_timeout = milliseconds(300);
    const auto there = link.store().count(std::vector{link.counted("k")}, order).at(0);
    CHECK(there.acknowledged == 1);
    replica.pause();
    order = link.order();
    order.wait_replicas = 1;
    order.wait_timeout = milliseconds(200);
    const auto alone = link.store().count(std::vector{link.counted("k")}, order).at(0);
    replica.resume();
    CHECK(alone.status == WriteStatus::applied);
    CHECK(alone.acknowledged == 0);
    CHECK(link.value("k") == "52");
}

TEST_CASE("A user who is deleted between two calls leaves whole calls and an exact account") {
    LinkedStore link(kRefusingTimeout);
    link.server.command({"ACL", "SETUSER", "operator", "on", ">secret", "~*", "&*", "+@all"});
    auto& credentials = link.topology.shards[0].primary.credentials;
    credentials.username = "operator";
    credentials.password = domain::Secret("secret");
    std::vector<store::ResetItem> items;
    // 60 calls: the user goes with about the 25th, when the 16 behind it may be on their way already.
    for (int i = 0; i < 6000; ++i) {
        items.push_back({{"k" + std::to_string(i), 0}, {}, {}});
        link.set_window(items.back().at.key, "7");
    }
    link.proxy.choose([&](const LinkRequest& request) {
        if (request.number == 28) link.server.command({"ACL", "DELUSER", "operator"});
        return LinkFault{};
    });
    const auto results = link.store().reset(items, link.order());
    std::map<WriteStatus, std::size_t> of;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
        ++of[results[i].status];
        const bool gone = link.value(items[i].at.key) == "(nil)";
        if (results[i].status == WriteStatus::applied ? !gone : gone && results[i].status != WriteStatus::unknown)
            ++wrong;
        if (i % 100 != 0 && results[i].status != results[i - 1].status) ++wrong;
    }
    CHECK(wrong == 0);
    CHECK(of[WriteStatus::applied] >= 100);
    // Whoever may not log in cannot ask what became of the calls that were on their way.
    CHECK(of[WriteStatus::unknown] <= 1600);
    CHECK(of[WriteStatus::not_attempted] >= 100);
}

TEST_CASE("Connections that are killed in the middle of a bulk change cost nothing but time") {
    LinkedStore link(milliseconds(500));
    std::vector<store::CountItem> items;
    for (int i = 0; i < 2000; ++i) items.push_back(link.counted("k" + std::to_string(i)));
    link.proxy.choose([&](const LinkRequest& request) {
        if (request.number == 4 || request.number == 13) link.server.command({"CLIENT", "KILL", "TYPE", "normal"});
        return LinkFault{};
    });
    const auto results = link.store().count(items, link.order());
    std::size_t right = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
        right += results[i].status == WriteStatus::applied && link.value(items[i].at.key) == "1" ? 1 : 0;
    }
    CHECK(right == results.size());
}

TEST_CASE("A server that closes idle connections is written to on a new one") {
    LinkedStore link(kRefusingTimeout, with({"--timeout", "1"}));
    CHECK(link.count("k").status == WriteStatus::applied);
    std::this_thread::sleep_for(milliseconds(2300));
    const auto result = link.count("k");
    CHECK(result.status == WriteStatus::applied);
    CHECK(result.attempts == 1);
    CHECK(link.value("k") == "2");
}

TEST_CASE("Windows that somebody else removes in the middle of a bulk reset are told as gone") {
    LinkedStore link(kRefusingTimeout);
    std::vector<store::ResetItem> items;
    for (int i = 0; i < 4000; ++i) {
        items.push_back({{"k" + std::to_string(i), 0}, {}, {}});
        link.set_window(items.back().at.key, "7");
    }
    link.proxy.choose([&](const LinkRequest& request) {
        if (request.number == 28) link.server.command({"FLUSHALL"});
        return LinkFault{};
    });
    const auto results = link.store().reset(items, link.order());
    std::size_t gone = 0;
    for (const auto& result : results) {
        CHECK((result.status == WriteStatus::applied || result.status == WriteStatus::skipped));
        if (result.status == WriteStatus::skipped) {
            CHECK(result.reason == "absent");
            ++gone;
        } else {
            CHECK(result.before.used == "7");
        }
    }
    CHECK(gone >= 100);
    CHECK(gone < 4000);
}

TEST_CASE(
    "A server that dies in the middle of a write leaves its outcome unknown and so does one that was started again") {
    for (const bool starts_again : {false, true}) {
        for (const auto mode : {FaultMode::ok, FaultMode::drop_request, FaultMode::drop_reply}) {
            LinkedStore link(kRefusingTimeout);
            link.set_window("k", "50");
            LinkFault fault{mode};
            const auto die = [&] {
                link.server.kill();
                if (starts_again) link.server.start_again();
            };
            if (mode == FaultMode::drop_reply) {
                fault.at_reply = die;
                link.at_next_write({}, fault);
            } else {
                link.at_next_write(die, fault);
            }
            const WithinPatience patience(kRefusingTimeout + milliseconds(500));
            const auto result = link.write(WriteKind::count);
            INFO(name_of(mode) << (starts_again ? " and started again" : ""));
            CHECK(result.status == WriteStatus::unknown);
            CHECK(result.error->code == ExitCode::unknown);
            CHECK(says(result, "op1"));
            if (starts_again) CHECK(says(result, "restarted"));
        }
    }
}

TEST_CASE("An operation key that was flushed or deleted with everything else proves nothing") {
    LinkedStore link(kRefusingTimeout);
    CHECK(link.count("other").status == WriteStatus::applied);
    LinkFault fault{FaultMode::drop_reply};
    fault.at_reply = [&] { link.server.command({"FLUSHALL"}); };
    link.at_next_write({}, fault);
    const auto result = link.count("k");
    CHECK(result.status == WriteStatus::unknown);
    CHECK(link.value("k") == "(nil)");
}

TEST_CASE("An operation key that was evicted proves nothing") {
    LinkedStore link(milliseconds(1000), with({"--maxmemory-policy", "allkeys-random"}));
    CHECK(link.count("other").status == WriteStatus::applied);
    LinkFault fault{FaultMode::drop_reply};
    fault.at_reply = [&] {
        link.server.command({"CONFIG", "SET", "maxmemory", "1"});
        (void)link.server.command({"SET", "more", "1"});
        link.server.command({"CONFIG", "SET", "maxmemory", "0"});
    };
    link.at_next_write({}, fault);
    const auto result = link.count("k");
    const bool there = link.operation_keys().find("op2.1") != std::string::npos;
    CHECK(result.status == (there ? WriteStatus::applied : WriteStatus::unknown));
    CHECK_FALSE(there);
}

}  // namespace
}  // namespace ratectl::test
