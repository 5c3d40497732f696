// Connections to real servers: addresses, sockets, names, logins, and what a server says about itself.
#include <atomic>
#include <thread>

#include "support/catch.h"
#include "support/contains.h"
#include "support/fake_server.h"
#include "support/redis_server.h"
#include "support/test_client.h"
#include "support/wall_now.h"

namespace ratectl {
namespace {

using namespace std::chrono_literals;
using support::ExitCode;
using test::contains;
using test::TestClient;
using test::text;
using test::wall_now;
using test::WithinDeadline;

domain::Endpoint tcp(std::string host, std::uint16_t port) {
    domain::Endpoint endpoint;
    endpoint.host = std::move(host);
    endpoint.port = port;
    return endpoint;
}

redis::ConnectionOptions with_lookup(redis::NameLookup lookup) {
    redis::ConnectionOptions options;
    options.lookup = std::move(lookup);
    return options;
}

TEST_CASE("a connection learns who answers in its first round trip") {
    test::RedisServer server;
    redis::ConnectionOptions options;
    options.wall_clock = wall_now;
    TestClient client(options);
    const auto channel = client.open(server.endpoint());
    REQUIRE(channel.has_value());
    const redis::ServerFacts& facts = (*channel)->facts();
    CHECK(facts.at_least(6));
    CHECK(facts.cluster == false);
    CHECK(facts.role == domain::Role::primary);
    REQUIRE(facts.run_id.has_value());
    CHECK(facts.run_id->size() == 40);
    REQUIRE(facts.clock_skew.has_value());
    CHECK(std::chrono::abs(*facts.clock_skew) <= 100ms);
    CHECK((*channel)->where() == "shard 'alpha' (127.0.0.1:" + std::to_string(server.port()) + ")");
}

TEST_CASE("a replica is known as one") {
    test::RedisServer primary;
    test::RedisServer replica;
    replica.make_replica_of(primary);
    TestClient client;
    const auto channel = client.open(replica.endpoint());
    REQUIRE(channel.has_value());
    CHECK((*channel)->facts().role == domain::Role::replica);
    CHECK((*channel)->facts().link_up == true);
}

TEST_CASE("replies of a real server arrive in order and byte for byte over TCP and unix sockets") {
    test::RedisServer server;
    const std::string key("k\0\x1b[31m\xff\r\n\"", 12);
    const std::string big(3'000'000, 'x');
    TestClient client;
    for (const domain::Endpoint& endpoint : {server.endpoint(), server.unix_endpoint()}) {
        const auto channel = client.open(endpoint);
        REQUIRE(channel.has_value());
        const auto replies = client.ask(**channel, {{"SET", key, big},
                                                    {"GET", key},
                                                    {"LPUSH", "list", "b", "a"},
                                                    {"LRANGE", "list", "0", "-1"},
                                                    {"GET", "list"},
                                                    {"GET", "none"},
                                                    {"DEL", "list"}});
        REQUIRE(replies.has_value());
        CHECK((*replies)[0] == test::status("OK"));
        CHECK(((*replies)[1] == text(big)));
        CHECK((*replies)[3] == test::array({text("a"), text("b")}));
        CHECK((*replies)[4].is_error());
        CHECK((*replies)[5].is_nil());
        CHECK((*replies)[6] == test::integer(1));
        CHECK((*channel)->is_open());
    }
}

TEST_CASE("ten thousand commands in one request bring ten thousand replies") {
    test::RedisServer server;
    TestClient client;
    const auto channel = client.open(server.unix_endpoint());
    REQUIRE(channel.has_value());
    std::vector<test::Command> commands;
    for (int i = 0; i < 10000; ++i) commands.push_back({"ECHO", std::to_string(i)});
    const auto replies = client.ask(**channel, commands);
    REQUIRE(replies.has_value());
    for (std::size_t i = 0; i < commands.size(); ++i) REQUIRE((*replies)[i].text == commands[i][1]);
}

TEST_CASE("a closed port is refused at once and named") {
    TestClient client;
    const std::uint16_t port = test::closed_port();
    const WithinDeadline at_once(0ms);
    const auto channel = client.open(tcp("127.0.0.1", port));
    REQUIRE_FALSE(channel.has_value());
    CHECK(channel.error().error.code == ExitCode::unavailable);
    CHECK(channel.error().error.message ==
          "shard 'alpha' (127.0.0.1:" + std::to_string(port) + "): cannot connect: connection refused");
    CHECK_FALSE(channel.error().maybe_executed);
    CHECK(channel.error().transient);
}

TEST_CASE("a connect that nobody answers ends with the deadline") {
    const test::FullBacklog full;
    TestClient client;
    const WithinDeadline limit(400ms);
    const auto channel = client.open(tcp("127.0.0.1", full.port()), 400ms);
    REQUIRE_FALSE(channel.has_value());
    CHECK(channel.error().error.code == ExitCode::unavailable);
    CHECK(contains(channel.error().error.message, "no answer to connect within "));
    CHECK_FALSE(channel.error().maybe_executed);
}

TEST_CASE("every address of a name is tried in order") {
    test::FakeServer server({{test::greets()}});
    TestClient client(with_lookup([](const std::string&) {
        return std::vector<std::string>{"::1", "127.0.0.1", "127.0.0.1"};
    }));
    CHECK(client.open(tcp("redis.internal", server.port())).has_value());
}

TEST_CASE("a first address that never answers leaves time for the second") {
    const test::FullBacklog full;
    TestClient client(with_lookup([](const std::string&) { return std::vector<std::string>{"127.0.0.1", "::1"}; }));
    const WithinDeadline limit(600ms);
    const auto channel = client.open(tcp("redis.internal", full.port()), 600ms);
    REQUIRE_FALSE(channel.has_value());
    const std::string& message = channel.error().error.message;
    CHECK(contains(message, "127.0.0.1: no answer to connect within "));
    CHECK(contains(message, "ms; ::1: connection refused"));
}

TEST_CASE("an IPv6 literal and localhost reach a server that listens on IPv6 only") {
    test::FakeServer server({{test::greets()}, {test::greets()}},
                            {.unix_path = "", .repeat_last = false, .ipv6 = true});
    TestClient client;
    CHECK(client.open(server.endpoint()).has_value());
    CHECK(client.open(tcp("ip6-localhost-for-this-test", server.port())).has_value() == false);
    TestClient local(with_lookup([](const std::string&) { return std::vector<std::string>{"127.0.0.1", "::1"}; }));
    CHECK(local.open(tcp("localhost", server.port())).has_value());
}

TEST_CASE("an unknown name is said to be unknown") {
    TestClient client(with_lookup([](const std::string&) -> tl::expected<std::vector<std::string>, std::string> {
        return tl::make_unexpected("Name or service not known");
    }));
    const auto channel = client.open(tcp("nowhere.invalid", 6379));
    REQUIRE_FALSE(channel.has_value());
    CHECK(channel.error().error.code == ExitCode::unavailable);
    CHECK(contains(channel.error().error.message, "cannot resolve 'nowhere.invalid': Name or service not known"));
}

TEST_CASE("a name server that never answers costs no more than the deadline and never delays the end") {
    static std::atomic<bool> returned{false};
    const WithinDeadline limit(200ms);
    {
        TestClient client(with_lookup([](const std::string&) {
            std::this_thread::sleep_for(1s);
            returned = true;
            return std::vector<std::string>{"127.0.0.1"};
        }));
        const auto channel = client.open(tcp("slow.internal", 6379), 200ms);
        REQUIRE_FALSE(channel.has_value());
        CHECK(contains(channel.error().error.message, "cannot resolve 'slow.internal': no answer within "));
    }
    CHECK_FALSE(returned);
}

TEST_CASE("a literal address never goes to the name server") {
    test::FakeServer server({{test::greets()}});
    TestClient client(with_lookup([](const std::string&) -> tl::expected<std::vector<std::string>, std::string> {
        return tl::make_unexpected("looked up");
    }));
    CHECK(client.open(server.node()).has_value());
}

TEST_CASE("unix sockets that are missing or no sockets are unavailable and named") {
    test::RedisServer server;
    TestClient client;
    domain::Endpoint endpoint = server.unix_endpoint();
    for (const std::string& path : {server.folder() + "/none.sock", server.folder(), std::string("/dev/null")}) {
        endpoint.path = path;
        const auto channel = client.open(endpoint);
        REQUIRE_FALSE(channel.has_value());
        CHECK(channel.error().error.code == ExitCode::unavailable);
        CHECK(contains(channel.error().error.message, path));
        CHECK(contains(channel.error().error.message, "cannot connect"));
    }
    endpoint.path = "/tmp/" + std::string(120, 'x');
    const auto too_long = client.open(endpoint);
    REQUIRE_FALSE(too_long.has_value());
    CHECK(too_long.error().error.code == ExitCode::configuration);
}

TEST_CASE("a server that is stopped gives no reply within the deadline") {
    test::RedisServer server;
    TestClient client;
    const auto channel = client.open(server.endpoint());
    REQUIRE(channel.has_value());
    server.pause();
    {
        const WithinDeadline limit(300ms);
        const auto replies = client.ask(**channel, {{"PING"}}, 300ms);
        REQUIRE_FALSE(replies.has_value());
        CHECK(replies.error().maybe_executed);
        CHECK(replies.error().transient);
        CHECK(contains(replies.error().error.message, "): no reply within "));
        CHECK_FALSE((*channel)->is_open());
    }
    const WithinDeadline limit(300ms);
    const auto second = client.open(server.endpoint(), 300ms);
    server.resume();
    REQUIRE_FALSE(second.has_value());
    CHECK(contains(second.error().error.message, "no reply within "));
    CHECK_FALSE(second.error().maybe_executed);
}

TEST_CASE("a channel that timed out never gives the late reply to the next command") {
    test::RedisServer server;
    TestClient client;
    const auto channel = client.open(server.endpoint());
    REQUIRE(channel.has_value());
    server.pause();
    CHECK_FALSE(client.ask(**channel, {{"PING"}}, 100ms).has_value());
    server.resume();
    const auto late = client.ask(**channel, {{"GET", "k"}});
    REQUIRE_FALSE(late.has_value());
    CHECK_FALSE(late.error().maybe_executed);
}

TEST_CASE("a server that was killed is a closed connection and later refuses") {
    test::RedisServer server;
    TestClient client;
    const auto channel = client.open(server.endpoint());
    REQUIRE(channel.has_value());
    server.kill();
    const auto replies = client.ask(**channel, {{"PING"}});
    REQUIRE_FALSE(replies.has_value());
    CHECK(replies.error().error.code == ExitCode::unavailable);
    CHECK_FALSE(replies.error().maybe_executed);
    CHECK(contains(replies.error().error.message, "the server has closed the connection"));
    CHECK(contains(client.open(server.endpoint()).error().error.message, "refused"));
}

}  // namespace
}  // namespace ratectl
