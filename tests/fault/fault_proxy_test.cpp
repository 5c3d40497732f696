// The lossy link itself: each of its faults does what its name says, and nothing of it outlives it.
#include "support/fault_proxy.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <filesystem>
#include <thread>
#include <vector>

#include "support/catch.h"
#include "support/patience.h"
#include "support/plain_client.h"
#include "support/proxied_link.h"
#include "support/redis_server.h"
#include "support/resp_frame.h"

namespace ratectl::test {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

const std::vector<std::string> kAdd{"EVAL", "return redis.call('INCRBY', KEYS[1], ARGV[1])", "1", "k", "1"};

/// A server behind a link, and a client that waits as long as a busy machine may take.
struct Linked {
    /// A count by a client that waits only so long for its reply, which does not come.
    bool lose(milliseconds patience = milliseconds(150)) {
        PlainClient hasty(proxy.endpoint(), patience);
        return !hasty.command(kAdd);
    }
    bool add() { return static_cast<bool>(client.command(kAdd)); }
    std::string value() { return server.command({"GET", "k"}); }
    /// True when it becomes that soon.
    bool becomes(const std::string& wanted) {
        const auto end = Clock::now() + std::chrono::seconds(30);
        while (value() != wanted && Clock::now() < end) std::this_thread::sleep_for(milliseconds(5));
        return value() == wanted;
    }

    RedisServer server;
    FaultProxy proxy{server.endpoint()};
    PlainClient client{proxy.endpoint()};
};

/// Everything that comes back for these bytes until the connection ends.
std::string said_to(std::uint16_t port, const std::string& bytes) {
    const OwnedFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()));
    std::string said;
    char block[256];
    for (ssize_t got = 0; (got = ::recv(fd.get(), block, sizeof block, 0)) > 0;)
        said.append(block, static_cast<std::size_t>(got));
    return said;
}

std::size_t entries_of(const char* folder) {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) count += entry.exists() ? 1 : 0;
    return count;
}

TEST_CASE("A frame ends where its value ends and not before") {
    for (const std::string value : {"+OK\r\n", "-ERR no\r\n", ":12\r\n", "$3\r\na\r\n\r\n", "$-1\r\n", "$0\r\n\r\n",
                                    "*-1\r\n", "*0\r\n", "*2\r\n*1\r\n$1\r\nx\r\n:5\r\n"}) {
        CHECK(frame_size(value + "+next\r\n") == value.size());
        for (std::size_t cut = 0; cut < value.size(); ++cut) CHECK_FALSE(frame_size(value.substr(0, cut)));
    }
    CHECK(frame_size("HTTP/1.1") == 8);
    CHECK(first_words("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$2\r\n\r\n\r\n", 2) == std::vector<std::string>{"SET", "k"});
    CHECK(first_words("PING\r\n", 1).empty());
}

TEST_CASE("A link without faults passes everything and counts it") {
    Linked link;
    CHECK(link.client.command({"PING"})->text == "PONG");
    CHECK(link.add());
    CHECK(link.value() == "1");
    const LinkCounts counts = link.proxy.counts();
    CHECK(counts.connections == 1);
    CHECK(counts.requests == 2);
    CHECK(counts.writes == 1);
    CHECK(counts.faults.empty());
    CHECK(counts.last_write_reply == 4);
    const std::string large(3'000'000, 'x');
    CHECK(link.client.command({"SET", "large", large})->text == "OK");
    CHECK(link.client.command({"GET", "large"})->text == large);
}

TEST_CASE("A lost request never reaches the server and its connection ends") {
    for (const auto mode : {FaultMode::drop_request, FaultMode::cut_request, FaultMode::blackhole}) {
        Linked link;
        link.proxy.hit_writes({mode}, 1);
        INFO(name_of(mode));
        CHECK(link.lose());
        CHECK(link.proxy.counts().faults.at(mode) == 1);
        CHECK(link.add());
        CHECK(link.value() == "1");
    }
}

TEST_CASE("A lost reply belongs to a request that the server carried out") {
    for (const auto mode : {FaultMode::drop_reply, FaultMode::cut_reply, FaultMode::reset}) {
        Linked link;
        link.proxy.hit_writes({mode, {}, 2}, 1);
        INFO(name_of(mode));
        const auto begin = Clock::now();
        CHECK_FALSE(link.add());
        CHECK(Clock::now() - begin < milliseconds(1500) + kPatience);
        CHECK(link.becomes("1"));
    }
}

TEST_CASE("Nothing comes after a reply that was cut not even the reply to the next request") {
    Linked link;
    for (std::size_t kept = 0; kept < 4; ++kept) {
        link.proxy.choose([kept, write = 0](const LinkRequest& request) mutable {
            return request.write && ++write == 1 ? LinkFault{FaultMode::cut_reply, {}, kept} : LinkFault{};
        });
        const std::string pair =
            "*3\r\n$4\r\nEVAL\r\n$10\r\nreturn 'a'\r\n$1\r\n0\r\n*3\r\n$4\r\nEVAL\r\n$10\r\nreturn 'b'\r\n$1\r\n0\r\n";
        CHECK(said_to(link.proxy.endpoint().port, pair) == std::string("$1\r\na\r\n").substr(0, kept));
    }
}

TEST_CASE("A delayed request arrives even when the client has gone") {
    Linked link;
    link.proxy.hit_writes({FaultMode::delay_request, milliseconds(1500)}, 1);
    CHECK(link.lose(milliseconds(50)));
    CHECK(link.value() == "(nil)");
    CHECK(link.becomes("1"));
}

TEST_CASE("A delayed reply comes late and whole") {
    Linked link;
    link.proxy.hit_writes({FaultMode::delay_reply, milliseconds(120)}, 1);
    const auto begin = Clock::now();
    CHECK(link.add());
    CHECK(Clock::now() - begin >= milliseconds(120));
    link.proxy.hit_writes({FaultMode::drip, milliseconds(20)}, 1);
    const auto dripping = Clock::now();
    CHECK(link.add());
    CHECK(Clock::now() - dripping >= milliseconds(60));
}

TEST_CASE("A sliced conversation and a limited one say the same until the limit") {
    Linked link;
    link.proxy.hit_writes({FaultMode::slicer, {}, 1}, 1);
    CHECK(link.add());
    // `:2` and its line end are four bytes; the reply after them is cut in its middle.
    link.proxy.hit_writes({FaultMode::limit, {}, 6}, 1);
    CHECK(link.add());
    CHECK_FALSE(link.add());
    CHECK(link.value() == "3");
}

TEST_CASE("Only writes are hit and pipelined ones are met one by one") {
    Linked link;
    std::vector<std::uint64_t> met;
    link.proxy.choose([&](const LinkRequest& request) {
        if (request.write) met.push_back(request.number);
        return request.number == 2 ? LinkFault{FaultMode::drop_request} : LinkFault{};
    });
    CHECK(link.client.command({"PING"}));
    CHECK(link.add());
    CHECK(link.client.command({"GET", "k"})->text == "1");
    CHECK_FALSE(link.add());
    CHECK(link.add());
    CHECK(link.value() == "2");
    CHECK(link.proxy.counts().writes == 3);
    CHECK(met == std::vector<std::uint64_t>{1, 2, 3});
}

TEST_CASE("A silent link loses everything and speaks again when told so") {
    Linked link;
    CHECK(link.add());
    link.proxy.silence(true);
    CHECK(link.lose());
    CHECK_FALSE(PlainClient(link.proxy.endpoint(), milliseconds(150)).command({"PING"}));
    link.proxy.silence(false);
    CHECK(link.add());
    CHECK(link.value() == "2");
    link.proxy.disconnect();
    CHECK_FALSE(link.add());
    CHECK(link.add());
    CHECK(link.value() == "3");
}

TEST_CASE("A reply can be rewritten and a request answered without its server") {
    Linked link;
    link.proxy.hit_writes({.mode = FaultMode::ok, .rewrite = [](const std::string& reply) { return "+" + reply; }}, 1);
    CHECK(link.client.command(kAdd)->text == ":1");
    link.proxy.hit_writes({.mode = FaultMode::answer, .rewrite = [](const std::string&) { return "-NO never\r\n"; }},
                          1);
    CHECK(link.client.command(kAdd)->text == "NO never");
    CHECK(link.client.command(kAdd)->text == "2");
    CHECK(link.value() == "2");
}

TEST_CASE("The same seed makes the same weather") {
    const auto faults = [](std::uint64_t seed) {
        const auto chooser = seeded_mix({.seed = seed});
        std::string modes;
        for (std::uint64_t i = 1; i <= 200; ++i) {
            const LinkFault fault = chooser({1, i, "EVALSHA", true, {}});
            modes += std::string(name_of(fault.mode)) + std::to_string(fault.bytes) + ' ';
        }
        CHECK(chooser({1, 0, "GET", false, {}}).mode == FaultMode::ok);
        return modes;
    };
    CHECK(faults(7) == faults(7));
    CHECK(faults(7) != faults(8));
    for (const char* mode : {"drop_request", "cut_request", "delay_request", "drop_reply", "cut_reply", "delay_reply",
                             "reset", "blackhole", "slicer", "ok"}) {
        CHECK(faults(7).find(mode) != std::string::npos);
    }
}

TEST_CASE("Neither threads nor descriptors of a link outlive it") {
    RedisServer server;
    (void)server.command({"PING"});
    const auto threads = entries_of("/proc/self/task");
    const auto descriptors = entries_of("/proc/self/fd");
    for (int round = 0; round < 5; ++round) {
        FaultProxy proxy(server.endpoint());
        std::vector<std::unique_ptr<test::PlainClient>> clients;
        for (int i = 0; i < 20; ++i) {
            clients.push_back(std::make_unique<test::PlainClient>(proxy.endpoint(), milliseconds(30)));
            if (i % 4 == 0) proxy.hit_writes({FaultMode::blackhole}, 1);
            (void)clients.back()->command(kAdd);
        }
        CHECK(proxy.counts().connections == 20);
    }
    CHECK(entries_of("/proc/self/task") == threads);
    CHECK(entries_of("/proc/self/fd") == descriptors);
}

TEST_CASE("A link to a server that is not there ends its connections") {
    RedisServer server;
    FaultProxy proxy(server.endpoint());
    PlainClient client(proxy.endpoint());
    CHECK(client.command({"PING"}));
    server.kill();
    CHECK_FALSE(client.command({"PING"}));
    CHECK_FALSE(client.command({"PING"}));
    server.start_again();
    CHECK(client.command({"PING"}));
}

}  // namespace
}  // namespace ratectl::test
