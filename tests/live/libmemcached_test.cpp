// The shard map against libmemcached's own rings: it says where it would send each key, no server is asked.
#include <memory>
#include <string>
#include <vector>

#include "live/real_servers.h"
#include "sharding/shard_map.h"
#include "support/base64.h"
#include "support/catch.h"

#ifdef RATECTL_WITH_LIBMEMCACHED
#include <libmemcached/memcached.h>

using namespace ratectl;
using namespace ratectl::test;

namespace {

constexpr std::size_t kKeysAPlacement = 1500;

struct Ring {
    const char* preset;
    const char* hash;
    std::vector<std::pair<memcached_behavior_t, std::uint64_t>> behaviors;
    bool weights;
};

std::vector<Ring> rings() {
    std::vector<Ring> all{{"libmemcached-weighted", "md5", {{MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED, 1}}, true},
                          {"libmemcached-weighted", "md5", {{MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED, 1}}, false},
                          {"libmemcached-spy",
                           "md5",
                           {{MEMCACHED_BEHAVIOR_DISTRIBUTION, MEMCACHED_DISTRIBUTION_CONSISTENT_KETAMA_SPY},
                            {MEMCACHED_BEHAVIOR_HASH, MEMCACHED_HASH_MD5}},
                           false}};
    const std::pair<const char*, memcached_hash_t> hashes[] = {{"one_at_a_time", MEMCACHED_HASH_DEFAULT},
                                                               {"md5", MEMCACHED_HASH_MD5},
                                                               {"crc32", MEMCACHED_HASH_CRC},
                                                               {"fnv1_64", MEMCACHED_HASH_FNV1_64},
                                                               {"fnv1a_64", MEMCACHED_HASH_FNV1A_64},
                                                               {"fnv1_32", MEMCACHED_HASH_FNV1_32},
                                                               {"fnv1a_32", MEMCACHED_HASH_FNV1A_32},
                                                               {"murmur", MEMCACHED_HASH_MURMUR},
                                                               {"jenkins", MEMCACHED_HASH_JENKINS},
                                                               {"murmur3", MEMCACHED_HASH_MURMUR3}};
    const std::pair<const char*, memcached_server_distribution_t> distributions[] = {
        {"libmemcached-consistent", MEMCACHED_DISTRIBUTION_CONSISTENT},
        {"libmemcached-modula", MEMCACHED_DISTRIBUTION_MODULA}};
    for (const auto& [name, hash] : hashes) {
        for (const auto& [preset, distribution] : distributions) {
            all.push_back({preset,
                           name,
                           {{MEMCACHED_BEHAVIOR_DISTRIBUTION, distribution}, {MEMCACHED_BEHAVIOR_HASH, hash}},
                           false});
        }
        all.push_back({"libmemcached-weighted",
                       name,
                       {{MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED, 1}, {MEMCACHED_BEHAVIOR_HASH, hash}},
                       true});
    }
    return all;
}

using Client = std::unique_ptr<memcached_st, void (*)(memcached_st*)>;

Client client_of(const Ring& ring, const std::vector<sharding::Server>& servers) {
    Client client(memcached_create(nullptr), memcached_free);
    for (const auto& [behavior, value] : ring.behaviors)
        REQUIRE(memcached_behavior_set(client.get(), behavior, value) == MEMCACHED_SUCCESS);
    for (const auto& server : servers) {
        const unsigned weight = ring.weights ? server.weight : 0;
        const auto added =
            server.path.empty()
                ? memcached_server_add_with_weight(client.get(), server.host.c_str(), server.port, weight)
                : memcached_server_add_unix_socket_with_weight(client.get(), server.path.c_str(), weight);
        REQUIRE(added == MEMCACHED_SUCCESS);
    }
    return client;
}

}  // namespace

TEST_CASE("libmemcached puts every key on the server that the shard map names") {
    RandomSource random;
    SHOW_SEED(random);
    for (const Ring& ring : rings()) {
        for (const std::size_t count : {std::size_t{3}, std::size_t{5}, std::size_t{7}}) {
            std::vector<sharding::Server> servers(count);
            for (std::size_t i = 0; i < count; ++i) {
                servers[i].host = "10.0." + std::to_string(random.number(0, 255)) + "." + std::to_string(i);
                servers[i].port = static_cast<std::uint16_t>(random.one_in(3) ? 11211 : random.number(1, 65535));
                if (random.one_in(5)) servers[i].path = "/run/memcached-" + std::to_string(i);
                if (ring.weights) servers[i].weight = static_cast<unsigned>(random.number(1, 6));
            }
            const Client client = client_of(ring, servers);
            sharding::Options options;
            options.preset = ring.preset;
            options.hash = ring.hash;
            const auto map = sharding::ShardMap::make(options, servers);
            REQUIRE(map);
            std::size_t wrong = 0;
            std::string first;
            for (const auto& key : random_keys(random, kKeysAPlacement, KeyBytes::any)) {
                if (memcached_generate_hash(client.get(), key.data(), key.size()) == map->shard_of(key)) continue;
                if (wrong++ == 0) first = support::to_hex(key);
            }
            INFO(ring.preset << ", hash " << ring.hash << ", " << count << " servers; the first wrong key: " << first);
            CHECK(wrong == 0);
        }
    }
}

#else

TEST_CASE("libmemcached puts every key on the server that the shard map names") {
    ratectl::test::is_absent("libmemcached", "libmemcached-dev", "pkg-config", {"--exists", "libmemcached"});
    // It is here now, but was not when this was configured.
    if (std::getenv("CI") != nullptr) FAIL("configure again: libmemcached was not found then");
}

#endif
