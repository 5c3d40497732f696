// A throw-away redis-server: it comes up, is spoken to, follows another, and is gone afterwards.
#include "sandbox/server.h"

#include <unistd.h>

#include <csignal>
#include <thread>

#include "support/catch.h"
#include "support/loopback.h"
#include "support/redis_server.h"

using ratectl::test::RedisServer;

TEST_CASE("a started server answers and keeps binary values") {
    RedisServer server;
    const std::string bytes("a\0\r\n\xff", 5);
    CHECK(server.command({"SET", "k", bytes}) == "OK");
    CHECK(server.reply({"GET", "k"}).text == bytes);
    CHECK(server.command({"GET", "none"}) == "(nil)");
    CHECK(server.command({"INCRBY", "n", "41"}) == "41");
    CHECK(server.command({"NONSENSE"}).starts_with("(error) ERR"));
    CHECK(server.command({"MGET", "n", "none"}) == "41\n(nil)");
}

TEST_CASE("a server is reached on its port and on its socket") {
    RedisServer server;
    server.command({"SET", "k", "v"});
    ratectl::test::PlainClient tcp(server.endpoint());
    CHECK(server.endpoint().port == server.port());
    CHECK(tcp.command({"GET", "k"}).value().text == "v");
    CHECK(tcp.command({"CONFIG", "GET", "port"}).value().items.at(1).text == std::to_string(server.port()));
}

TEST_CASE("a replica follows its primary and catches up") {
    RedisServer primary;
    RedisServer replica;
    primary.command({"SET", "before", "1"});
    replica.make_replica_of(primary);
    CHECK(replica.command({"GET", "before"}) == "1");
    primary.command({"SET", "after", "2"});
    replica.await_replication_of(primary);
    CHECK(replica.command({"GET", "after"}) == "2");
}

TEST_CASE("a server is gone with its folder when its owner is") {
    pid_t pid = 0;
    std::string folder;
    {
        RedisServer server;
        pid = server.pid();
        folder = server.folder();
        CHECK(::access(folder.c_str(), F_OK) == 0);
    }
    CHECK(::kill(pid, 0) != 0);
    CHECK(::access(folder.c_str(), F_OK) != 0);
}

TEST_CASE("a killed server does not answer and comes back empty at the same port") {
    RedisServer server;
    server.command({"SET", "k", "v"});
    const auto port = server.port();
    server.kill();
    CHECK_THROWS_AS(server.command({"PING"}), std::runtime_error);
    server.start_again();
    CHECK(server.port() == port);
    CHECK(server.command({"GET", "k"}) == "(nil)");
}

TEST_CASE("a paused server answers after it was resumed") {
    RedisServer server;
    server.pause();
    ratectl::test::PlainClient hasty(server.endpoint(), std::chrono::milliseconds(100));
    CHECK_FALSE(hasty.command({"PING"}).has_value());
    server.resume();
    CHECK(server.command({"PING"}) == "PONG");
}

TEST_CASE("a server that wants a password counts as up") {
    RedisServer server({"--requirepass", "x"});
    CHECK(server.command({"GET", "k"}).starts_with("(error) NOAUTH"));
    CHECK(server.command({"AUTH", "x"}) == "OK");
    CHECK(server.command({"GET", "k"}) == "(nil)");
}

// A cluster's node opens its clients' ports before its bus port, and ends when another process has that.
TEST_CASE("a server that ends at its start before it has answered does not count as up") {
    auto listener = ratectl::test::listen_on_loopback();
    const auto server = ratectl::test::endpoint_of(listener);
    std::jthread ends([&listener] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        listener.close();
    });
    CHECK_FALSE(ratectl::sandbox::answers(server));
}

TEST_CASE("a server with a bad option says why it did not come up") {
    try {
        RedisServer server({"--maxmemory", "nonsense"});
        FAIL("it came up");
    } catch (const std::runtime_error& error) {
        CHECK(std::string(error.what()).find("maxmemory") != std::string::npos);
    }
}
