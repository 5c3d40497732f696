// The presets beyond the first release's against what the real libraries did.

#include "unit/sharding/vectors.h"

#include <functional>

namespace ratectl::sharding::vectors {

namespace {

Options of(std::string preset, std::optional<std::string> hash = {}, std::optional<std::string> key_tag = {}) {
    Options options;
    options.preset = std::move(preset);
    options.hash = std::move(hash);
    options.key_tag = std::move(key_tag);
    return options;
}

std::vector<Server> numbered() {
    auto servers = local_servers();
    for (std::size_t i = 0; i < servers.size(); ++i) servers[i].name = "server" + std::to_string(i + 1);
    return servers;
}

/// Servers called by their own address.
std::vector<Server> called_by_address() {
    auto servers = local_servers();
    for (auto& server : servers) server.name = server.host + ":" + std::to_string(server.port);
    return servers;
}

bool has(const std::string& column, std::string_view part) { return column.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("redis-store agrees with its recorded answers") {
    check_column("redisstore1.9.0-5", of("redis-store"), local_servers());
}

TEST_CASE("Jedis agrees with its recorded answers in all three eras") {
    const auto found = columns("jedis");
    REQUIRE(found.size() == 18);
    for (const auto& column : found) {
        const bool by_name = has(column, "-name-");
        std::string preset = "jedis";
        if (by_name) preset = has(column, "jedis29") ? "jedis-names-2.9" : "jedis-names";
        auto options = of(preset, has(column, "-md5-") ? "md5" : "murmur");
        if (has(column, "-tag-")) options.key_tag = "jedis";
        auto servers = by_name ? named(local_servers()) : local_servers();
        check_column(column, options, has(column, "-w5") ? weighted(servers) : servers);
    }
}

TEST_CASE("go-redis agrees with its recorded answers from v5 to v9") {
    const auto found = columns("goredis-");
    REQUIRE(found.size() == 18);
    for (const auto& column : found) {
        const bool ring = has(column, "-v5-") || has(column, "-v6-") || has(column, "-v7-");
        auto servers = has(column, "-names5")    ? named(local_servers())
                       : has(column, "-server5") ? numbered()
                                                 : called_by_address();
        check_column(column, of(ring ? "go-redis-7" : "go-redis-9"), servers);
    }
}

TEST_CASE("Predis agrees with its recorded answers for both rings") {
    const auto found = columns("predis");
    REQUIRE(found.size() == 10);
    for (const auto& column : found) {
        auto servers = has(column, "-alias5") ? named(local_servers()) : local_servers();
        check_column(column, of(has(column, "-ketama-") ? "predis-ketama" : "predis"),
                     has(column, "-w5") ? weighted(servers) : servers);
    }
}

TEST_CASE("phpredis RedisArray agrees with its recorded answers for every algorithm") {
    const auto found = columns("redisarray-");
    REQUIRE(found.size() == 29);
    for (const auto& column : found) {
        auto options = of(has(column, "consistent") ? "redis-array-consistent" : "redis-array");
        if (has(column, "-alg-")) options.hash = split(column, '-')[2];
        if (options.hash == "bogus") options.hash = "none";
        check_column(column, options, has(column, "names5") ? labelled(local_servers()) : local_servers());
    }
}

TEST_CASE("Credis agrees with its recorded answers") { check_column("credis1162-5", of("credis"), local_servers()); }

TEST_CASE("the Python rings agree with their recorded answers") {
    check_column("djangoredis-5", of("django-redis"), local_servers());
    check_column("djangoredis-names5", of("django-redis"), labelled(local_servers()));
    for (const std::string ring : {"default", "ketama"}) {
        const std::string preset = ring == "default" ? "uhashring" : "uhashring-ketama";
        check_column("uhashring-" + ring + "-5", of(preset), local_servers());
        check_column("uhashring-" + ring + "-names5", of(preset), named(local_servers()));
        check_column("uhashring-" + ring + "-w5", of(preset), weighted(local_servers()));
    }
    for (const std::string hash : {"crc32", "md5", "sha1"}) {
        check_column("redisshard-" + hash + "-5", of("redis-shard", hash), numbered());
    }
    check_column("sentryrb-ketama-5", of("sentry-rb"), local_servers());
    check_column("sentryrb-partition-5", of("sentry-rb-partition"), local_servers());
}

TEST_CASE("the npm rings agree with their recorded answers") {
    check_column("npmhashring-md5-5", of("npm-hashring"), local_servers());
    check_column("npmhashring-sha1-5", of("npm-hashring", "sha1"), local_servers());
    check_column("npmhashring-names-5", of("npm-hashring"), named(local_servers()));
    check_column("npmhashring-w5", of("npm-hashring"), weighted(local_servers()));
    auto hosts_only = local_servers();
    hosts_only[0].label = "127.0.0.1";
    check_column("npmhashring-defaultport7001-5", of("npm-hashring"), hosts_only);
    check_column("npmconsistenthashing-5", of("npm-consistent-hashing"), local_servers());
    check_column("npmconsistenthashing-names5", of("npm-consistent-hashing"), named(local_servers()));
    auto forty = of("npm-consistent-hashing", "sha1");
    forty.points = 40;
    check_column("npmconsistenthashing-sha1-40-5", forty, local_servers());
}

TEST_CASE("the memcached rings agree with their recorded answers") {
    check_column("dalli-5", of("dalli"), local_servers());
    check_column("dalli-w5", of("dalli"), weighted(local_servers()));
    check_column("libmemcached-ketamaweighted-5", of("libmemcached-weighted"), local_servers());
    check_column("libmemcached-ketamaweighted-w5", of("libmemcached-weighted"), weighted(local_servers()));
    check_column("libmemcached-ketamaweighted-fnv1a_64-5", of("libmemcached-weighted", "fnv1a_64"), local_servers());
    check_column("libmemcached-ketamaspy-md5-5", of("libmemcached-spy"), local_servers());
}

TEST_CASE("the Go rings agree with their recorded answers") {
    check_column("stathat-5", of("stathat"), local_servers());
    check_column("stathat-fnv-5", of("stathat", "fnv1a_32"), local_servers());
    check_column("groupcache50-5", of("groupcache"), local_servers());
    auto heavy = weighted(local_servers());
    for (auto& server : heavy) server.weight *= 100;
    check_column("serialx-5", of("serialx"), local_servers());
    check_column("serialx-w5", of("serialx"), heavy);
}

TEST_CASE("jump hashing agrees with its recorded answers") {
    check_column("jump-guava-fnv1a64-5", of("jump"), local_servers());
    check_column("npmjumphash-sha1-5", of("jump", "sha1_first16hex"), local_servers());
}

TEST_CASE("Envoy agrees with the answers derived from its source") {
    check_column("envoy-derived-ringhash-5", of("envoy-ring-hash"), local_servers());
    check_column("envoy-derived-ringhash-w5", of("envoy-ring-hash"), weighted(local_servers()));
    check_column("envoy-derived-ringhash-murmurring-5", of("envoy-ring-hash", "murmur_hash_2"), local_servers());
    check_column("envoy-derived-ringhash-tag-5", of("envoy-ring-hash", {}, "{}"), local_servers());
    check_column("envoy-derived-maglev-5", of("envoy-maglev"), local_servers());
    check_column("envoy-derived-maglev-w5", of("envoy-maglev"), weighted(local_servers()));
}

}  // namespace ratectl::sharding::vectors
