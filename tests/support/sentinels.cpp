// Starts redis-server --sentinel for servers that are up.
#include "support/sentinels.h"

#include <chrono>
#include <functional>
#include <stdexcept>
#include <thread>

#include "sandbox/sandbox.h"
#include "sandbox/sentinels.h"
#include "support/require.h"

namespace ratectl::test {
namespace {

void await(const std::string& what, const std::function<bool()>& done) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!done()) {
        if (std::chrono::steady_clock::now() > until) throw std::runtime_error("in a minute not: " + what);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

std::string master(std::size_t shard) { return "m" + std::to_string(shard + 1); }

}  // namespace

Sentinels::Sentinels(std::size_t shards, std::chrono::milliseconds down_after) {
    constexpr std::size_t sentinels = 3;
    std::vector<sandbox::Watched> watched;
    for (std::size_t i = 0; i < shards; ++i) {
        for (int node = 0; node < 2; ++node) nodes_.push_back(std::make_unique<RedisServer>());
        replica(i).make_replica_of(primary(i));
        watched.push_back({master(i), primary(i).endpoint(), 1});
    }
    const auto config = sandbox::sentinel_config(watched, sentinels, {down_after, support::Milliseconds(3000)});
    std::vector<domain::Endpoint> addresses;
    for (std::size_t i = 0; i < sentinels; ++i) {
        sentinels_.push_back(std::make_unique<RedisServer>(RedisServerOptions{{"--sentinel"}, true, {}, config}));
        addresses.push_back(sentinel(i).endpoint());
    }
    require(sandbox::await_sentinels(addresses, watched, std::chrono::steady_clock::now() + std::chrono::seconds(60)));
}

std::uint16_t Sentinels::primary_port(std::size_t shard) {
    for (auto& sentinel : sentinels_) {
        const auto told = sentinel->reply({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", master(shard)});
        if (told.items.size() == 2) return static_cast<std::uint16_t>(std::stoi(told.items[1].text));
    }
    throw std::runtime_error("no sentinel knows " + master(shard));
}

void Sentinels::await_primary(std::size_t shard, RedisServer& server) {
    await("another primary", [&] {
        for (auto& sentinel : sentinels_) {
            const auto told = sentinel->reply({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", master(shard)});
            if (told.items.size() != 2 || told.items[1].text != std::to_string(server.port())) return false;
        }
        return server.reply({"ROLE"}).items.at(0).text == "master";
    });
}

std::string Sentinels::settings() const {
    std::string text = "kind = \"sentinel\"\nsentinels = [";
    for (const auto& sentinel : sentinels_)
        text += (text.back() == '[' ? "\"" : ", \"") + sentinel->endpoint().url() + "\"";
    text += "]\n";
    for (std::size_t i = 0; i < nodes_.size() / 2; ++i) {
        const auto name = sandbox::shard_name(static_cast<unsigned>(i));
        text += "[[deployments.box.shards]]\nname = \"" + name + "\"\nmaster = \"" + master(i) + "\"\n";
    }
    return text;
}

}  // namespace ratectl::test
