// Logging in to real servers, and servers that are not what they should be.
#include <thread>

#include "support/catch.h"
#include "support/contains.h"
#include "support/fake_server.h"
#include "support/redis_server.h"
#include "support/test_client.h"

namespace ratectl {
namespace {

using namespace std::chrono_literals;
using support::ExitCode;
using test::contains;
using test::RedisServer;
using test::run_on;
using test::TestClient;

domain::Endpoint as(domain::Endpoint endpoint, const std::string& user, const std::string& password) {
    endpoint.credentials.username = user;
    endpoint.credentials.password = domain::Secret(password);
    endpoint.credentials.source = "password_env REDIS_PASSWORD";
    return endpoint;
}

// Opening must fail with this code and these words, and without the password.
void check_refused(const domain::Endpoint& endpoint, ExitCode code, std::string_view words) {
    TestClient client;
    const auto channel = client.open(endpoint);
    REQUIRE_FALSE(channel.has_value());
    INFO(channel.error().error.message);
    CHECK(channel.error().error.code == code);
    CHECK(contains(channel.error().error.message, words));
    CHECK_FALSE(contains(channel.error().error.message, "s3cret"));
    CHECK_FALSE(channel.error().maybe_executed);
}

TEST_CASE("the default user logs in with a password and is told when it is wrong or missing") {
    RedisServer server;
    const domain::Endpoint plain = server.endpoint();
    server.command({"CONFIG", "SET", "requirepass", "s3cret"});
    TestClient client;
    CHECK(client.open(as(plain, "", "s3cret")).has_value());
    CHECK(client.open(as(plain, "default", "s3cret")).has_value());
    check_refused(plain, ExitCode::access, "authentication required");
    check_refused(as(plain, "", "s3cret-wrong"), ExitCode::access,
                  "login refused for the default user with the password from password_env REDIS_PASSWORD");
}

TEST_CASE("a password that the server does not ask for is refused") {
    RedisServer server;
    check_refused(as(server.endpoint(), "", "s3cret"), ExitCode::access, "does not ask for a password");
}

TEST_CASE("a user of the ACL logs in and learns what it may learn") {
    RedisServer server;
    server.command({"ACL", "SETUSER", "bob", "on", ">s3cret", "~*", "+get", "+select"});
    server.command({"ACL", "SETUSER", "off", "off", ">s3cret", "~*", "+@all"});
    TestClient client;
    const auto channel = client.open(as(server.endpoint(), "bob", "s3cret"));
    REQUIRE(channel.has_value());
    CHECK_FALSE((*channel)->facts().version.has_value());
    CHECK_FALSE((*channel)->facts().role.has_value());
    CHECK(client.ask(**channel, {{"GET", "k"}}).value().front().is_nil());
    const redis::Reply denied = client.ask(**channel, {{"SET", "k", "1"}}).value().front();
    CHECK(denied.is_error());
    check_refused(as(server.endpoint(), "bob", "s3cret-wrong"), ExitCode::access, "login refused for user 'bob'");
    check_refused(as(server.endpoint(), "off", "s3cret"), ExitCode::access, "login refused for user 'off'");
    server.command({"ACL", "LOG", "RESET"});
    check_refused(as(server.endpoint(), "nobody", "s3cret"), ExitCode::access, "login refused for user 'nobody'");
    CHECK(server.reply({"ACL", "LOG"}).items.size() == 1);
}

TEST_CASE("a server without AUTH does not make us print the password that it echoes") {
    RedisServer server({"--rename-command", "AUTH", ""});
    check_refused(as(server.endpoint(), "", "s3cret"), ExitCode::protocol, "AUTH");
}

TEST_CASE("a database is selected or said not to exist") {
    RedisServer server;
    domain::Endpoint endpoint = server.endpoint();
    endpoint.db = 3;
    TestClient client;
    const auto channel = client.open(endpoint);
    REQUIRE(channel.has_value());
    REQUIRE(client.ask(**channel, {{"SET", "only-in-3", "1"}}).has_value());
    CHECK(server.command({"EXISTS", "only-in-3"}) == "0");
    endpoint.db = 99;
    check_refused(endpoint, ExitCode::configuration, "db 99");
}

TEST_CASE("a cluster node is refused whether or not it serves slots") {
    // Its own bus port would be 10000 above its port, which may not exist.
    RedisServer server({"--cluster-enabled", "yes", "--cluster-port", std::to_string(test::closed_port())});
    check_refused(server.endpoint(), ExitCode::protocol,
                  "is a Redis Cluster node; shards are servers that stand alone, and nothing was asked");
    server.command({"CLUSTER", "ADDSLOTSRANGE", "0", "16383"});
    check_refused(server.endpoint(), ExitCode::protocol, "Cluster");
    domain::Endpoint endpoint = server.endpoint();
    endpoint.db = 1;
    check_refused(endpoint, ExitCode::protocol, "Cluster");
}

TEST_CASE("a server that is full says so") {
    RedisServer server({"--maxclients", "2"});
    TestClient client;
    CHECK(server.command({"PING"}) == "PONG");
    const auto second = client.open(server.endpoint());
    REQUIRE(second.has_value());
    for (int i = 0; i < 20; ++i) {
        check_refused(server.endpoint(), ExitCode::unavailable, "max number of clients reached");
        check_refused(server.unix_endpoint(), ExitCode::unavailable, "max number of clients reached");
    }
}

TEST_CASE("a server that is busy with a script is unavailable for a while") {
    RedisServer server({"--busy-reply-threshold", "50"});
    TestClient holder;
    const auto busy = holder.open(server.endpoint());
    REQUIRE(busy.has_value());
    redis::Request endless;
    endless.add({"EVAL", "while true do end", "0"});
    REQUIRE(run_on(holder.loop(), (*busy)->send(endless, TestClient::from_now(1s))).has_value());
    std::this_thread::sleep_for(200ms);
    check_refused(server.endpoint(), ExitCode::unavailable, "busy running a script");
    server.kill();
}

TEST_CASE("a connection that the server closed while it was idle has executed nothing") {
    RedisServer server;
    TestClient client;
    const auto channel = client.open(server.endpoint());
    REQUIRE(channel.has_value());
    server.command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
    std::this_thread::sleep_for(50ms);
    const auto replies = client.ask(**channel, {{"INCR", "k"}});
    REQUIRE_FALSE(replies.has_value());
    CHECK_FALSE(replies.error().maybe_executed);
    CHECK(replies.error().transient);
    CHECK(server.command({"EXISTS", "k"}) == "0");
}

}  // namespace
}  // namespace ratectl
