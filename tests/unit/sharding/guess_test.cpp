// Guessing: keys that a preset placed must lead back to it, and too few keys must be called too few.

#include "sharding/guess.h"

#include <algorithm>

#include "sharding/options.h"
#include "unit/sharding/recorded_cases.h"

namespace ratectl::sharding {

namespace {

using vectors::local_servers;
using vectors::named;
using vectors::of;

std::vector<std::string> window_keys(std::size_t count,
                                     const std::string& before = "core:user:", const std::string& after = "") {
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < count; ++i) keys.push_back(before + std::to_string(i * 7919) + after);
    return keys;
}

std::vector<Sighting> sighted(const Options& options, const std::vector<Server>& servers,
                              const std::vector<std::string>& keys) {
    const auto map = support::value_or_throw(ShardMap::make(options, servers));
    std::vector<Sighting> sample;
    for (const auto& key : keys) sample.push_back({key, map.shard_of(key)});
    return sample;
}

/// The best guess, which must explain everything.
Guess certain(const Options& options, const std::vector<Server>& written_with, const std::vector<Server>& configured,
              const std::vector<std::string>& keys = window_keys(600)) {
    const auto sample = sighted(options, written_with, keys);
    const Ranking ranking = guess(configured, sample);
    INFO("placed by " << text_of(options));
    REQUIRE_FALSE(ranking.guesses.empty());
    CHECK(ranking.guesses.front().in_place == keys.size());
    CHECK(ranking.decided);
    return ranking.guesses.front();
}

}  // namespace

TEST_CASE("keys placed by a common library lead back to it") {
    const auto servers = local_servers(5);
    for (const auto* preset : {"twemproxy-ketama", "redis-rb-5", "jedis", "predis", "redis-array"}) {
        CHECK(text_of(certain(of(preset), servers, servers).options) == preset);
    }
    CHECK(text_of(certain(of("go-redis-9"), named(local_servers()), named(local_servers())).options) == "go-redis-9");
}

TEST_CASE("a guess names hash and tag rule and order and prefix where they are not the usual") {
    const auto servers = local_servers(5);
    CHECK(text_of(certain(of("twemproxy-modula", "murmur"), servers, servers).options) ==
          "twemproxy-modula,hash=murmur");
    const auto braces = window_keys(600, "core:{user:", "}:hits");
    CHECK(text_of(certain(of("twemproxy-ketama", {}, "redis"), servers, servers, braces).options) ==
          "twemproxy-ketama,key_tag=redis");
    auto sorted = of("modulo");
    sorted.order = ServerOrder::sorted;
    CHECK(text_of(certain(sorted, named(local_servers()), named(local_servers())).options) == "modulo,order=sorted");
    auto stripped = of("redis-array-consistent");
    stripped.strip_prefix = "app:";
    CHECK(text_of(certain(stripped, servers, servers, window_keys(600, "app:")).options) ==
          "redis-array-consistent,strip_prefix=app:");
}

TEST_CASE("a guess finds out that the application spells its servers differently") {
    auto as_written = local_servers(3);
    for (auto& server : as_written) server.host = "localhost";
    const Guess spelled = certain(of("twemproxy-ketama"), as_written, local_servers(3));
    CHECK(spelled.options.preset == "twemproxy-ketama");
    CHECK(spelled.spelling == "localhost instead of 127.0.0.1");
    CHECK(spelled.labels == std::vector<std::string>{"localhost:7001", "localhost:7002", "localhost:7003"});
    auto by_url = local_servers(3);
    for (auto& server : by_url) server.label = "redis://127.0.0.1:" + std::to_string(server.port);
    CHECK(certain(of("django-redis"), by_url, local_servers(3)).labels.front() == "redis://127.0.0.1:7001");
}

TEST_CASE("what places a sample alike is listed beside the leader") {
    const auto servers = local_servers(5);
    const Guess ketama = certain(of("libmemcached-weighted"), servers, servers);
    CHECK(text_of(ketama.options) == "twemproxy-ketama,hash=md5");
    for (const auto* same : {"libmemcached-weighted", "predis-ketama", "uhashring-ketama", "npm-hashring"}) {
        INFO(same);
        CHECK(std::count(ketama.same.begin(), ketama.same.end(), same) == 1);
    }
}

TEST_CASE("a few keys decide nothing and neither does a sample without a rule") {
    const auto servers = local_servers(3);
    const auto three = window_keys(3);
    CHECK_FALSE(guess(servers, sighted(of("redis-rb-5"), servers, three)).decided);
    const auto keys = window_keys(300);
    std::vector<Sighting> scattered;
    std::uint32_t state = 1;
    for (const auto& key : keys) {
        state = state * 1664525 + 1013904223;
        scattered.push_back({key, (state >> 24) % 3});
    }
    const Ranking ranking = guess(servers, scattered);
    CHECK_FALSE(ranking.decided);
    CHECK(ranking.guesses.front().in_place < 200);
    CHECK(guess(servers, {}).guesses.empty());
    CHECK(guess(local_servers(1), scattered).guesses.empty());
}

TEST_CASE("a sample with strays still leads to the rule of the rest") {
    const auto servers = local_servers(4);
    const auto keys = window_keys(400);
    auto sample = sighted(of("redis-rb-4"), servers, keys);
    for (std::size_t i = 0; i < sample.size(); i += 20) sample[i].shard = (sample[i].shard + 1) % 4;
    const Ranking ranking = guess(servers, sample);
    CHECK(ranking.decided);
    CHECK(text_of(ranking.guesses.front().options) == "redis-rb-4");
    CHECK(ranking.guesses.front().in_place == 380);
}

}  // namespace ratectl::sharding
