// The greeting: what is asked of a server first, and what its answers make of it.
#include "redis/greeting.h"

#include <vector>

#include "support/catch.h"
#include "support/contains.h"
#include "support/fake_channel.h"

namespace ratectl {
namespace {

using redis::GreetingTimes;
using redis::read_greeting;
using redis::Reply;
using support::ExitCode;
using test::array;
using test::error;
using test::integer;
using test::text;

constexpr const char* kWhere = "shard 'alpha' (10.0.0.7:6379)";

domain::Endpoint with_password(std::string user, std::string password) {
    domain::Endpoint endpoint;
    endpoint.host = "10.0.0.7";
    endpoint.credentials = {std::move(user), domain::Secret(std::move(password)), "password_file /run/secrets/redis"};
    return endpoint;
}

Reply info(const std::string& version, const std::string& mode = "standalone") {
    return text("# Server\r\nredis_version:" + version + "\r\nredis_mode:" + mode + "\r\nos:Linux\r\nrun_id:abc\r\n");
}

Reply primary() { return array({text("master"), integer(7), array({})}); }

Reply clock_at(const std::string& seconds) { return array({text(seconds), text("500000")}); }

TEST_CASE("the greeting logs in and selects only when that is configured") {
    domain::Endpoint plain;
    CHECK(test::commands_of(redis::greeting_request(plain)) ==
          std::vector<test::Command>{{"INFO", "server"}, {"ROLE"}, {"TIME"}, {"CLIENT", "SETNAME", "ratectl"}});
    domain::Endpoint full = with_password("bob", "s3cret");
    full.db = 3;
    CHECK(test::commands_of(redis::greeting_request(full)) ==
          std::vector<test::Command>{{"AUTH", "bob", "s3cret"},
                                     {"SELECT", "3"},
                                     {"INFO", "server"},
                                     {"ROLE"},
                                     {"TIME"},
                                     {"CLIENT", "SETNAME", "ratectl"}});
    CHECK(test::commands_of(redis::greeting_request(with_password("", "s3cret"))).front() ==
          test::Command{"AUTH", "s3cret"});
}

TEST_CASE("a replica of a Redis Cluster is told that reads alone will come") {
    const domain::Endpoint endpoint;
    CHECK(test::commands_of(redis::greeting_request(endpoint, redis::Peer::cluster_replica)) ==
          std::vector<test::Command>{
              {"READONLY"}, {"INFO", "server"}, {"ROLE"}, {"TIME"}, {"CLIENT", "SETNAME", "ratectl"}});
    CHECK(test::commands_of(redis::greeting_request(endpoint, redis::Peer::cluster_node)).size() == 4);
}

TEST_CASE("a proxy is asked nothing that it would close the connection over") {
    const auto endpoint = with_password("bob", "s3cret");
    CHECK(test::commands_of(redis::greeting_request(endpoint, redis::Peer::proxy)) ==
          std::vector<test::Command>{{"AUTH", "bob", "s3cret"}, {"PING"}});
    const std::vector<Reply> replies{text("OK"), text("PONG")};
    const auto facts = read_greeting(endpoint, replies, kWhere, {}, redis::Peer::proxy);
    REQUIRE(facts.has_value());
    CHECK(facts->proxied);
    CHECK_FALSE(facts->version.has_value());
    CHECK_FALSE(facts->clock.has_value());
    const std::vector<Reply> wrong{error("ERR invalid password"), error("ERR auth required")};
    CHECK(read_greeting(endpoint, wrong, kWhere, {}, redis::Peer::proxy).error().error.code == ExitCode::access);
}

TEST_CASE("a proxy that was not named as one is refused with the way to name it") {
    for (const std::string words : {"unsupported command 'INFO'", "ERR unsupported command 'INFO'"}) {
        const std::vector<Reply> replies{error(words), error("invalid request"), clock_at("1700000000")};
        const auto facts = read_greeting(domain::Endpoint(), replies, kWhere, {});
        REQUIRE_FALSE(facts.has_value());
        CHECK(facts.error().error.code == ExitCode::protocol);
        CHECK(test::contains(facts.error().error.message, "a proxy answers there"));
        CHECK(test::contains(facts.error().error.hint, "?proxy=true"));
    }
}

TEST_CASE("a server that gives connections no name is used all the same") {
    for (const std::string words : {"ERR unknown command 'CLIENT', with args beginning with: 'SETNAME' 'ratectl' ",
                                    "NOPERM this user has no permissions to run the 'client|setname' command",
                                    "BUSY Redis is busy running a script.", "LOADING"}) {
        const std::vector<Reply> replies{info("7.0.15"), primary(), clock_at("1700000000"), error(words)};
        INFO(words);
        CHECK(read_greeting(domain::Endpoint(), replies, kWhere, {}).has_value());
    }
}

TEST_CASE("a server of another kind than is wanted is refused") {
    const std::vector<Reply> alone{info("7.0.15"), primary(), clock_at("1700000000")};
    const std::vector<Reply> node{info("7.0.15", "cluster"), primary(), clock_at("1700000000")};
    const domain::Endpoint endpoint;
    CHECK(read_greeting(endpoint, node, kWhere, {}, redis::Peer::cluster_node));
    CHECK(read_greeting(endpoint, alone, kWhere, {}));
    const auto no_node = read_greeting(endpoint, alone, kWhere, {}, redis::Peer::cluster_node);
    REQUIRE_FALSE(no_node);
    CHECK(test::contains(no_node.error().error.message, "is no node of a Redis Cluster"));
    const auto no_shard = read_greeting(endpoint, node, kWhere, {});
    REQUIRE_FALSE(no_shard);
    CHECK(no_shard.error().error.reason == domain::kClusterNode);
    CHECK(test::contains(no_shard.error().error.hint, "kind = \"cluster\""));
}

TEST_CASE("a primary tells version and run id and role and clock") {
    GreetingTimes times;
    times.arrived = support::WallTime(support::Milliseconds(1700000000'600));
    times.round_trip = support::Milliseconds(20);
    times.asked = support::Deadline(std::chrono::seconds(50));
    times.answered = *times.asked + support::Milliseconds(20);
    const std::vector<Reply> replies{info("7.0.15"), primary(), clock_at("1700000000")};
    const auto facts = read_greeting(domain::Endpoint(), replies, kWhere, times);
    REQUIRE(facts.has_value());
    CHECK(facts->version == domain::ServerVersion{7, 0, 15, false});
    CHECK(facts->run_id == "abc");
    CHECK(facts->cluster == false);
    CHECK(facts->role == domain::Role::primary);
    CHECK_FALSE(facts->link_up.has_value());
    CHECK(facts->clock_skew == support::Milliseconds(-90));
    CHECK(facts->round_trip == support::Milliseconds(20));
    REQUIRE(facts->clock.has_value());
    CHECK(facts->clock->ours == *times.asked + support::Milliseconds(10));
    CHECK(support::epoch_seconds(support::to_instant(facts->clock->server)) == 1700000000);
    CHECK(facts->at_least(7));
    CHECK_FALSE(facts->at_least(7, 2));
}

TEST_CASE("a replica tells whether its link is up and Valkey its own version") {
    const Reply linked = array({text("slave"), text("10.0.0.5"), integer(6379), text("connected"), integer(9)});
    const Reply cut_off = array({text("slave"), text("10.0.0.5"), integer(6379), text("connect"), integer(-1)});
    const Reply valkey = text("redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.0.1\r\n");
    const std::vector<Reply> up{valkey, linked, clock_at("1")};
    const std::vector<Reply> down{valkey, cut_off, clock_at("1")};
    const auto first = read_greeting(domain::Endpoint(), up, kWhere, {});
    const auto second = read_greeting(domain::Endpoint(), down, kWhere, {});
    REQUIRE(first.has_value());
    REQUIRE(second.has_value());
    CHECK(first->role == domain::Role::replica);
    CHECK(first->link_up == true);
    CHECK(first->primary_address == "10.0.0.5:6379");
    CHECK(second->link_up == false);
    CHECK(first->version == domain::ServerVersion{8, 0, 1, true});
    CHECK_FALSE(first->clock_skew.has_value());
}

TEST_CASE("a server that will not talk about itself is used all the same") {
    const std::vector<std::string> refusals{"NOPERM this user has no permissions to run the 'info' command",
                                            "ERR unknown command 'ROLE', with args beginning with: ",
                                            "MASTERDOWN Link with MASTER is down", "ERR something odd"};
    for (const std::string& words : refusals) {
        const std::vector<Reply> replies{error(words), error(words), error(words)};
        const auto facts = read_greeting(domain::Endpoint(), replies, kWhere, {});
        REQUIRE(facts.has_value());
        CHECK_FALSE(facts->version.has_value());
        CHECK_FALSE(facts->role.has_value());
        CHECK_FALSE(facts->at_least(1));
    }
}

TEST_CASE("odd shapes of the greeting's replies leave facts null") {
    const std::vector<std::vector<Reply>> odd{
        {test::nil(), test::nil(), test::nil()},
        {text("no fields at all"), array({}), array({text("1")})},
        {text("redis_version:abc\r\nrun_id"), array({text("slave")}), array({text("x"), text("y")})},
        {integer(1), array({integer(1)}), array({text("99999999999999999999"), text("1")})}};
    GreetingTimes times;
    times.arrived = support::WallTime{};
    for (const auto& replies : odd) {
        const auto facts = read_greeting(domain::Endpoint(), replies, kWhere, times);
        REQUIRE(facts.has_value());
        CHECK_FALSE(facts->version.has_value());
        CHECK_FALSE(facts->link_up.has_value());
        CHECK_FALSE(facts->clock_skew.has_value());
    }
}

struct Refused {
    std::vector<Reply> replies;
    ExitCode code;
    std::string words;
    bool transient;
};

TEST_CASE("servers that cannot be used are refused with the reason") {
    domain::Endpoint endpoint = with_password("bob", "s3cret");
    endpoint.db = 99;
    const Reply ok = test::status("OK");
    const Reply no_auth = error("NOAUTH Authentication required.");
    const std::vector<Refused> all{
        {{error("WRONGPASS invalid username-password pair"), no_auth, no_auth, no_auth, no_auth},
         ExitCode::access,
         "login refused for user 'bob' with the password from password_file /run/secrets/redis",
         false},
        {{error("ERR AUTH <password> called without any password configured for the default user. Are you sure"), ok},
         ExitCode::access,
         "does not ask for a password",
         false},
        {{error("ERR unknown command 'AUTH', with args beginning with: 's3cret' "), no_auth},
         ExitCode::protocol,
         "AUTH",
         false},
        {{ok, error("ERR DB index is out of range")}, ExitCode::configuration, "db 99", false},
        {{ok, error("ERR SELECT is not allowed in cluster mode")}, ExitCode::protocol, "Cluster", false},
        {{ok, error("NOPERM this user has no permissions to run the 'select' command")},
         ExitCode::access,
         "select",
         false},
        {{ok, ok, info("7.0.15", "cluster"), primary(), clock_at("1")},
         ExitCode::protocol,
         "is a Redis Cluster node; shards are servers that stand alone, and nothing was asked",
         false},
        {{ok, ok, error("LOADING Redis is loading the dataset in memory")}, ExitCode::unavailable, "loading", true},
        {{ok, ok, error("BUSY Redis is busy running a script.")}, ExitCode::unavailable, "busy", true},
        {{ok, ok, no_auth}, ExitCode::access, "authentication required", false},
        {{error("ERR max number of clients reached")}, ExitCode::unavailable, "max number of clients", true},
        {{error("DENIED Redis is running in protected mode. More.")}, ExitCode::access, "protected mode", false},
    };
    for (const Refused& row : all) {
        INFO(row.words);
        const auto facts = read_greeting(endpoint, row.replies, kWhere, {});
        REQUIRE_FALSE(facts.has_value());
        const redis::Fault& fault = facts.error();
        CHECK(fault.error.code == row.code);
        CHECK(fault.error.message.find(row.words) != std::string::npos);
        CHECK(fault.error.message.find("s3cret") == std::string::npos);
        CHECK(fault.transient == row.transient);
        CHECK_FALSE(fault.maybe_executed);
    }
}

}  // namespace
}  // namespace ratectl
