// Connections that break: silence, drips, garbage, resets, surplus bytes, and the user who wants to stop.
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <thread>

#include <asio/post.hpp>
#include <asio/steady_timer.hpp>

#include "support/catch.h"
#include "support/contains.h"
#include "support/fake_server.h"
#include "support/patience.h"
#include "support/redis_server.h"
#include "support/test_client.h"

namespace ratectl {
namespace {

using namespace std::chrono_literals;
using support::ExitCode;
using test::contains;
using test::FakeServer;
using test::greets;
using test::kPatience;
using test::run_on;
using test::ServerStep;
using test::TestClient;
using test::WithinDeadline;
using Then = test::ServerStep::Then;

// What one PING brings from a server that greets well and then does this.
redis::Fault fault_of_ping(ServerStep step, std::chrono::milliseconds timeout = 5s) {
    step.expect = "PING";
    FakeServer server({{greets(), std::move(step)}});
    TestClient client;
    const auto channel = client.open(server.node());
    REQUIRE(channel.has_value());
    const WithinDeadline limit(timeout);
    const auto replies = client.ask(**channel, {{"PING"}}, timeout);
    REQUIRE_FALSE(replies.has_value());
    CHECK_FALSE((*channel)->is_open());
    const auto again = client.ask(**channel, {{"PING"}}, timeout);
    REQUIRE_FALSE(again.has_value());
    CHECK_FALSE(again.error().maybe_executed);
    return replies.error();
}

// What opening brings from a server that says this first.
redis::Fault fault_of_open(ServerStep step, std::chrono::milliseconds timeout = 5s) {
    FakeServer server({{std::move(step)}});
    TestClient client;
    const WithinDeadline limit(timeout);
    const auto channel = client.open(server.node(), timeout);
    REQUIRE_FALSE(channel.has_value());
    CHECK_FALSE(channel.error().maybe_executed);
    return channel.error();
}

TEST_CASE("a server that falls silent gives no reply within the deadline") {
    const redis::Fault fault = fault_of_ping({"", "", Then::silence}, 200ms);
    CHECK(fault.error.code == ExitCode::unavailable);
    CHECK(contains(fault.error.message, "shard 'alpha' (127.0.0.1:"));
    CHECK(contains(fault.error.message, "): no reply within "));
    CHECK(fault.maybe_executed);
    CHECK(fault.transient);
}

TEST_CASE("a reply that is missing behind another one was waited for since its own request") {
    FakeServer server({{greets(), {"ECHO", "+first\r\n", Then::silence}}});
    TestClient client;
    const auto channel = client.open(server.node());
    REQUIRE(channel.has_value());
    const auto patient = TestClient::from_now(5s);
    const auto hasty = TestClient::from_now(400ms);
    redis::Request echo;
    echo.add({"ECHO", "first"});
    redis::Request time;
    time.add({"TIME"});
    REQUIRE(run_on(client.loop(), (*channel)->send(echo, patient)));
    REQUIRE(run_on(client.loop(), (*channel)->send(time, hasty)));
    REQUIRE(run_on(client.loop(), (*channel)->receive(patient)));
    std::this_thread::sleep_for(200ms);
    const auto late = run_on(client.loop(), (*channel)->receive(hasty));
    REQUIRE_FALSE(late);
    CHECK(contains(late.error().error.message, "no reply within "));
}

TEST_CASE("a request that comes when its deadline has closed the connection is told of the deadline") {
    FakeServer server({{greets(), {"PING", "", Then::silence}}});
    TestClient client;
    const auto channel = client.open(server.node());
    REQUIRE(channel.has_value());
    const auto deadline = TestClient::from_now(200ms);
    redis::Request ping;
    ping.add({"PING"});
    REQUIRE(run_on(client.loop(), (*channel)->send(ping, deadline)));
    REQUIRE_FALSE(run_on(client.loop(), (*channel)->receive(deadline)));
    const auto late = run_on(client.loop(), (*channel)->send(ping, deadline));
    REQUIRE_FALSE(late);
    CHECK(contains(late.error().error.message, "the request was not taken within "));
    CHECK_FALSE(late.error().maybe_executed);
    const auto next = run_on(client.loop(), (*channel)->send(ping, TestClient::from_now(5s)));
    REQUIRE_FALSE(next);
    CHECK(contains(next.error().error.message, "connection closed before the request was sent"));
}

TEST_CASE("a server that never greets gives no reply within the deadline") {
    const redis::Fault fault = fault_of_open({"ratectl\r\n", "", Then::silence}, 200ms);
    CHECK(fault.error.code == ExitCode::unavailable);
    CHECK(contains(fault.error.message, "no reply within "));
}

TEST_CASE("a dripping reply does not outlive the deadline") {
    const redis::Fault fault = fault_of_ping({"", "+PONGPONGPONGPONG\r\n", Then::keep, 60ms}, 300ms);
    CHECK(contains(fault.error.message, "no whole reply within "));
    CHECK(fault.maybe_executed);
}

TEST_CASE("a reply that drips in time is as good as any") {
    FakeServer server({{greets(), {"GET", test::bulk("slow"), Then::keep, 2ms}}});
    TestClient client;
    const auto channel = client.open(server.node());
    REQUIRE(channel.has_value());
    const auto replies = client.ask(**channel, {{"GET", "k"}});
    REQUIRE(replies.has_value());
    CHECK(replies->front().text == "slow");
}

TEST_CASE("a connection that ends before or in a reply may have executed the command") {
    CHECK(contains(fault_of_ping({"", "", Then::close}).error.message, "connection closed before the reply"));
    CHECK(contains(fault_of_ping({"", "$10\r\nabc", Then::close}).error.message,
                   "connection closed in the middle of the reply, after"));
    const redis::Fault reset = fault_of_ping({"", "", Then::reset});
    CHECK(contains(reset.error.message, "connection lost before the reply: connection reset by peer"));
    CHECK(reset.maybe_executed);
    CHECK(reset.transient);
    CHECK(reset.error.code == ExitCode::unavailable);
}

TEST_CASE("every cut of a reply is a closed connection and never a value") {
    const std::string reply = "*2\r\n$1\r\n5\r\n$10\r\n1700000000\r\n";
    for (std::size_t cut = 0; cut < reply.size(); ++cut) {
        const redis::Fault fault = fault_of_ping({"", reply.substr(0, cut), Then::close});
        REQUIRE(fault.maybe_executed);
        REQUIRE(fault.error.code == ExitCode::unavailable);
    }
}

TEST_CASE("bytes after the last reply close the connection") {
    const redis::Fault fault = fault_of_ping({"", "+PONG\r\n+SURPLUS\r\n"});
    CHECK(fault.error.code == ExitCode::protocol);
    CHECK(contains(fault.error.message, "unexpected data after the last reply"));
    CHECK(fault.maybe_executed);
}

TEST_CASE("surplus bytes that come later are seen before the next command") {
    FakeServer server({{greets(), {"PING", "+PONG\r\n"}, {"", ""}, {"", "+LATE\r\n", Then::keep, 1ms}}});
    TestClient client;
    const auto channel = client.open(server.node());
    REQUIRE(channel.has_value());
    const auto first = client.ask(**channel, {{"PING"}});
    if (first.has_value()) {
        std::this_thread::sleep_for(100ms);
        const auto second = client.ask(**channel, {{"GET", "k"}});
        REQUIRE_FALSE(second.has_value());
        CHECK(second.error().error.code == ExitCode::protocol);
        CHECK_FALSE(second.error().maybe_executed);
        CHECK(contains(second.error().error.message, "unexpected data"));
    } else {
        CHECK(contains(first.error().error.message, "unexpected data"));
    }
}

TEST_CASE("garbage instead of a reply is a protocol error") {
    const std::vector<std::string> garbage{"hello\r\n",   ":x\r\n", "$-2\r\n",         "+PONG\n",
                                           "$3\r\nabcXX", "%1\r\n", "*2147483647\r\n", "$9223372036854775807\r\n"};
    for (const std::string& bytes : garbage) {
        INFO(bytes);
        const redis::Fault fault = fault_of_ping({"", bytes});
        CHECK(fault.error.code == ExitCode::protocol);
        CHECK(fault.maybe_executed);
        CHECK_FALSE(fault.transient);
    }
    CHECK(contains(fault_of_ping({"", "$1099511627776\r\n"}).error.message, "too large"));
}

TEST_CASE("a port that is no Redis brings a hint") {
    const redis::Fault http = fault_of_open({"ratectl\r\n", "HTTP/1.1 400 Bad Request\r\n\r\n", Then::close});
    CHECK(http.error.code == ExitCode::protocol);
    CHECK(contains(http.error.hint, "HTTP server"));
    const redis::Fault ssh = fault_of_open({"", "SSH-2.0-OpenSSH_9.2p1\r\n", Then::silence});
    CHECK(contains(ssh.error.hint, "SSH server"));
    const redis::Fault tls = fault_of_open({"ratectl\r\n", std::string("\x15\x03\x01\0\x02\x02\x46", 7), Then::close});
    CHECK(contains(tls.error.hint, "TLS"));
    const redis::Fault reset = fault_of_open({"ratectl\r\n", "", Then::reset});
    CHECK(reset.error.code == ExitCode::protocol);
    CHECK(contains(reset.error.hint, "does this port speak TLS?"));
}

TEST_CASE("a server that closes on accept is heard before the write fails") {
    const redis::Fault fault = fault_of_open({"", "-ERR max number of clients reached\r\n", Then::close});
    CHECK(fault.error.code == ExitCode::unavailable);
    CHECK(contains(fault.error.message, "max number of clients reached"));
    CHECK(fault.transient);
    const redis::Fault denied =
        fault_of_open({"", "-DENIED Redis is running in protected mode. And so on.\r\n", Then::close});
    CHECK(denied.error.code == ExitCode::access);
    CHECK(contains(denied.error.message, "protected mode"));
}

TEST_CASE("an error reply to the greeting explains more than the end that follows it") {
    const redis::Fault fault = fault_of_open({"ratectl\r\n", "-NOAUTH Authentication required.\r\n", Then::close});
    CHECK(fault.error.code == ExitCode::access);
}

// A unix socket holds 200 KiB or so of it; loopback may take 36 MiB, which a busy machine is seconds about.
TEST_CASE("a request that the server does not take ends with the deadline") {
    const auto path = std::filesystem::temp_directory_path() / ("ratectl-fake-" + std::to_string(::getpid()));
    FakeServer server({{greets(), {"", "", Then::silence}}},
                      {.unix_path = path.string(), .repeat_last = false, .ipv6 = false});
    TestClient client;
    const auto channel = client.open(server.node());
    REQUIRE(channel.has_value());
    const WithinDeadline limit(300ms);
    const auto replies = client.ask(**channel, {{"SET", "k", std::string(4u << 20, 'x')}}, 300ms);
    REQUIRE_FALSE(replies.has_value());
    CHECK(contains(replies.error().error.message, "the request was not taken within "));
    CHECK_FALSE(replies.error().maybe_executed);
}

TEST_CASE("a closed channel wakes whoever waits for its reply") {
    FakeServer server({{greets(), {"PING", "", Then::silence}}});
    TestClient client;
    const auto channel = client.open(server.node());
    REQUIRE(channel.has_value());
    asio::steady_timer timer(client.loop().context(), 50ms);
    timer.async_wait([&](const std::error_code&) { (*channel)->close(); });
    const WithinDeadline limit(50ms);
    const auto replies = client.ask(**channel, {{"PING"}}, 10s);
    REQUIRE_FALSE(replies.has_value());
    CHECK(replies.error().maybe_executed);
    CHECK(replies.error().transient);
}

// A stop signal with its pipe, set by a timer of the loop under test.
class Stopper {
public:
    Stopper() : signal_(make_pipe(pipe_)) {}
    ~Stopper() {
        ::close(pipe_[0]);
        ::close(pipe_[1]);
    }
    Stopper(const Stopper&) = delete;
    Stopper& operator=(const Stopper&) = delete;
    const support::StopSignal* signal() const { return &signal_; }
    void set(int number) {
        signal_.set(number);
        REQUIRE(::write(pipe_[1], "x", 1) == 1);
    }

private:
    static int make_pipe(std::array<int, 2>& fds) {
        REQUIRE(::pipe(fds.data()) == 0);
        return fds[0];
    }

    std::array<int, 2> pipe_{};
    support::StopSignal signal_;
};

TEST_CASE("a first stop signal leaves an exchange alone and a second one ends it") {
    Stopper stopper;
    FakeServer server({{greets(), {"PING", "", Then::silence}}});
    TestClient client({}, stopper.signal());
    int told = 0;
    client.loop().on_stop([&] { ++told; });
    const auto channel = client.open(server.node());
    REQUIRE(channel.has_value());
    asio::steady_timer first(client.loop().context(), 50ms);
    asio::steady_timer second(client.loop().context(), 250ms);
    first.async_wait([&](const std::error_code&) { stopper.set(SIGINT); });
    second.async_wait([&](const std::error_code&) { stopper.set(SIGINT); });
    const auto start = std::chrono::steady_clock::now();
    const auto replies = client.ask(**channel, {{"PING"}}, 10s);
    const auto took = std::chrono::steady_clock::now() - start;
    REQUIRE_FALSE(replies.has_value());
    CHECK(replies.error().error.code == ExitCode::interrupted);
    CHECK(replies.error().maybe_executed);
    CHECK(told == 2);
    CHECK(took >= 240ms);
    CHECK(took <= 600ms + kPatience);
}

TEST_CASE("a second stop signal also ends a look-up that hangs") {
    Stopper stopper;
    redis::ConnectionOptions options;
    options.lookup = [](const std::string&) {
        std::this_thread::sleep_for(1s);
        return std::vector<std::string>{"127.0.0.1"};
    };
    TestClient client(options, stopper.signal());
    asio::steady_timer timer(client.loop().context(), 50ms);
    timer.async_wait([&](const std::error_code&) {
        stopper.set(SIGTERM);
        stopper.set(SIGTERM);
    });
    domain::Endpoint endpoint;
    endpoint.host = "slow.internal";
    const WithinDeadline limit(50ms);
    const auto channel = client.open(endpoint, 10s);
    REQUIRE_FALSE(channel.has_value());
    CHECK(channel.error().error.code == ExitCode::terminated);
    CHECK_FALSE(channel.error().maybe_executed);
}

TEST_CASE("work that can never finish is a bug and no hang") {
    redis::EventLoop loop;
    try {
        loop.run_until([] { return false; });
        FAIL("it came back");
    } catch (const support::Failure& failure) {
        CHECK(failure.error().code == ExitCode::bug);
    }
}

}  // namespace
}  // namespace ratectl
