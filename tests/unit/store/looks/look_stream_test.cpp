// Streams of looks over pretended servers of random speed: the order of answers, bounds on what is under way, and what
// breaks in mid-stream.
#include <algorithm>
#include <csignal>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

#include "redis/event_loop.h"
#include "store/store.h"
#include "support/catch.h"
#include "support/configured_topology.h"
#include "support/fake_channel.h"
#include "support/stop_signal.h"
#include "support/window_look.h"

namespace ratectl::test {
namespace {

using domain::LookDepth;
using support::ExitCode;

/// What the pretended servers share, and what was seen of their clients.
struct World {
    std::mt19937 random{7};
    int slowest_us = 2000;
    std::map<std::string, std::size_t> commands;  // by host
    std::map<std::string, std::size_t> windows_in_flight;
    std::size_t most_in_flight = 0;
    std::set<std::string> gone;                     // hosts that refuse connections
    std::map<std::string, std::size_t> dies_after;  // commands
    std::function<void(const std::string& host)> at_death;
    std::size_t opened = 0;
};

/// Answers a light look with the key itself as the counter; breaks off where a key is called `huge`.
class WorldChannel final : public redis::Channel {
public:
    using Channel::receive;

    WorldChannel(World& world, std::string host) : world_(world), host_(std::move(host)) {
        facts_.version = domain::ServerVersion{7, 0, 15, false};
        facts_.role = domain::Role::primary;
    }

    asio::awaitable<redis::Outcome<void>> send(const redis::Request& request, support::Deadline) override {
        for (auto& command : commands_of(request)) {
            if (command.front() == "MGET") {
                auto& windows = world_.windows_in_flight[host_];
                windows += (command.size() - 1) / 2;
                world_.most_in_flight = std::max(world_.most_in_flight, windows);
            }
            waiting_.push_back(std::move(command));
        }
        co_return redis::Outcome<void>();
    }

    asio::awaitable<redis::Outcome<void>> receive(redis::Reply& into, redis::ElementReceiver*,
                                                  support::Deadline) override {
        asio::steady_timer pause(co_await asio::this_coro::executor,
                                 std::chrono::microseconds(world_.random() % static_cast<unsigned>(world_.slowest_us)));
        co_await pause.async_wait(asio::use_awaitable);
        if (!open_) co_return redis::fault(broken(true));
        const Command command = std::move(waiting_.front());
        waiting_.pop_front();
        const auto limit = world_.dies_after.find(host_);
        if (limit != world_.dies_after.end() && ++world_.commands[host_] > limit->second) {
            world_.dies_after.erase(limit);
            world_.at_death(host_);
            close();
            redis::Fault fault = broken(true);
            fault.transient = true;
            co_return redis::fault(fault);
        }
        if (command.front() != "MGET") {
            into = command.front() == "EXEC" ? full_window() : status("QUEUED");
            co_return redis::Outcome<void>();
        }
        world_.windows_in_flight[host_] -= (command.size() - 1) / 2;
        if (std::find(command.begin(), command.end(), "huge") != command.end()) {
            close();
            co_return redis::fault({{ExitCode::protocol, "reply too large", ""}, true, false});
        }
        into = array({});
        for (std::size_t i = 1; i < command.size(); i += 2) {
            into.elements.push_back(text(command[i]));
            into.elements.push_back(text("2000000000"));
        }
        co_return redis::Outcome<void>();
    }

    const redis::ServerFacts& facts() const override { return facts_; }
    bool is_open() const override { return open_; }
    void close() override {
        open_ = false;
        world_.windows_in_flight[host_] = 0;
    }
    const std::string& where() const override { return host_; }

private:
    static redis::Reply full_window() {
        return array({status("string"), text("cut"), integer(-1), integer(-1), status("none"), text(""), integer(-2),
                      integer(-2)});
    }

    World& world_;
    std::string host_;
    redis::ServerFacts facts_;
    std::deque<Command> waiting_;
    bool open_ = true;
};

class WorldConnector final : public redis::Connector {
public:
    explicit WorldConnector(World& world) : world_(world) {}
    asio::awaitable<redis::Outcome<std::unique_ptr<redis::Channel>>> open(const domain::Node& node,
                                                                          support::Deadline) override {
        if (world_.gone.contains(node.endpoint.host)) {
            co_return redis::fault({{ExitCode::unavailable, node.shard + ": connection refused", ""}, false, true});
        }
        ++world_.opened;
        co_return std::make_unique<WorldChannel>(world_, node.endpoint.host);
    }

private:
    World& world_;
};

class StreamFixture {
public:
    explicit StreamFixture(std::size_t shards) {
        for (std::size_t i = 0; i < shards; ++i) {
            domain::Shard shard{"s" + std::to_string(i), {}, {}, false};
            shard.primary.host = "host" + std::to_string(i);
            topology.shards.push_back(shard);
        }
        store::Options options;
        options.stop = &stop;
        options.timeout = support::Milliseconds(400);
        store = std::make_unique<store::Store>(topology, options, loop, std::make_shared<WorldConnector>(world));
        stream = store->look_stream({});
    }

    /// Key number i, which lives on a shard of its own choice.
    static std::string key(std::size_t i) { return "k" + std::to_string(i); }
    std::size_t shard(std::size_t i) const { return (i * 7919 + i / 13) % topology.shards.size(); }

    /// Streams so many keys and tells of each answer; returns the most that were ever ahead of the answers.
    template <class Tell>
    std::size_t run(std::size_t keys, Tell tell) {
        std::size_t asked = 0;
        std::size_t answered = 0;
        std::size_t ahead = 0;
        for (;;) {
            while (asked < keys && !stop && stream->room() > 0) {
                stream->ask(key(asked), store::Place{shard(asked)});
                ++asked;
            }
            ahead = std::max(ahead, asked - answered);
            const auto views = stream->next();
            if (views.empty()) break;
            for (const auto& view : views) {
                REQUIRE(view.key == answered);
                tell(view);
                ++answered;
            }
        }
        return ahead;
    }

    World world;
    support::StopSignal stop;
    test::ConfiguredTopology topology;
    std::shared_ptr<redis::EventLoop> loop = std::make_shared<redis::EventLoop>();
    std::unique_ptr<store::Store> store;
    std::unique_ptr<store::LookStream> stream;
};

TEST_CASE("A stream of looks keeps the order of its keys over seven shards of random speed") {
    StreamFixture shards(7);
    std::size_t answers = 0;
    const auto ahead = shards.run(20'000, [&](const store::LookView& view) {
        REQUIRE(view.look != nullptr);
        CHECK(view.look->key == StreamFixture::key(answers));
        CHECK(counter_part(*view.look).value == StreamFixture::key(answers));
        CHECK(view.node->shard == "s" + std::to_string(shards.shard(answers)));
        ++answers;
    });
    CHECK(answers == 20'000);
    CHECK(ahead <= 7 * 400);
    CHECK(ahead >= 7 * 200);
    CHECK(shards.world.most_in_flight <= 200);
    CHECK(shards.world.most_in_flight > 100);
    CHECK(shards.world.opened == 7);
}

TEST_CASE("A shard that dies in the middle of a stream fails its own keys and no others") {
    StreamFixture shards(3);
    shards.world.dies_after["host1"] = 10;
    shards.world.at_death = [&](const std::string& host) { shards.world.gone.insert(host); };
    std::size_t answers = 0;
    std::size_t failed = 0;
    shards.run(6000, [&](const store::LookView& view) {
        const bool of_the_dead = shards.shard(answers++) == 1;
        if (view.look == nullptr) {
            ++failed;
            REQUIRE(of_the_dead);
            CHECK(view.node->shard == "s1");
            CHECK(view.error->code == ExitCode::unavailable);
        }
    });
    CHECK(answers == 6000);
    CHECK(failed > 1000);
    CHECK(failed <= 2000 - 10 * 30);
}

TEST_CASE("A server that is started anew in the middle of a stream costs no answer") {
    StreamFixture shards(2);
    shards.world.dies_after["host0"] = 15;
    shards.world.at_death = [](const std::string&) {};
    std::size_t answers = 0;
    shards.run(4000, [&](const store::LookView& view) { answers += view.look != nullptr ? 1 : 0; });
    CHECK(answers == 4000);
    CHECK(shards.world.opened == 3);
}

TEST_CASE("After a stop a stream hands on what is there and says of the rest that it was interrupted") {
    StreamFixture shards(2);
    std::size_t answers = 0;
    std::size_t interrupted = 0;
    std::size_t asked_ahead = shards.run(5000, [&](const store::LookView& view) {
        if (++answers == 1000) shards.stop.set(SIGINT);
        if (view.look == nullptr) {
            ++interrupted;
            CHECK(view.error->code == ExitCode::interrupted);
        }
    });
    CHECK(interrupted > 0);
    CHECK(interrupted <= asked_ahead);
    CHECK(answers >= 1000);
}

// It was started with a bare `this`, and the next turn of the loop was the first of a coroutine whose object was gone.
TEST_CASE("A look that a stop leaves before it began harms nothing that comes after it") {
    StreamFixture shards(2);
    shards.stop.set(SIGINT);
    std::vector<store::KeyAt> keys;
    for (std::size_t i = 0; i < 100; ++i) keys.push_back({StreamFixture::key(i), shards.shard(i)});
    const auto answers = shards.store->look({keys, {domain::ReadFrom::Which::primary, {}}, LookDepth::light, false});
    REQUIRE(answers.size() == keys.size());
    for (const auto& answer : answers) {
        REQUIRE_FALSE(answer.look);
        CHECK(answer.look.error().code == ExitCode::interrupted);
    }
    shards.loop->poll();
    CHECK(shards.world.opened == 0);
}

TEST_CASE("A value that is too large to travel costs the keys beside it no more than a full look") {
    StreamFixture shards(1);
    const std::vector<store::Place> shard(1);
    for (int i = 0; i < 120; ++i)
        shards.stream->ask(i == 70 ? "huge" : StreamFixture::key(static_cast<std::size_t>(i)), shard);
    std::size_t full = 0;
    std::size_t answers = 0;
    for (auto views = shards.stream->next(); !views.empty(); views = shards.stream->next()) {
        for (const auto& view : views) {
            ++answers;
            REQUIRE(view.look != nullptr);
            full += view.look->depth == LookDepth::full ? 1 : 0;
            if (view.look->key == "huge") CHECK(counter_part(*view.look).value == "cut");
        }
    }
    CHECK(answers == 120);
    CHECK(full == 50);
}

}  // namespace
}  // namespace ratectl::test
