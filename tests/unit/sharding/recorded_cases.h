// Which preset and options answer for each column of the vectors: the one place where a column gets its meaning.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "unit/sharding/vectors.h"

namespace ratectl::sharding::vectors {

struct Case {
    Options options;
    std::vector<Server> servers;
    bool slots = false;  // the column holds slots, not servers
};

namespace cases {

inline bool has(const std::string& column, std::string_view part) { return column.find(part) != std::string::npos; }

/// server1 and on.
inline std::vector<Server> numbered() {
    auto servers = local_servers();
    for (std::size_t i = 0; i < servers.size(); ++i) servers[i].name = "server" + std::to_string(i + 1);
    return servers;
}
/// Servers called by their own address.
inline std::vector<Server> called_by_address() {
    auto servers = local_servers();
    for (auto& server : servers) server.name = server.host + ":" + std::to_string(server.port);
    return servers;
}
inline std::vector<Server> heavy() {
    auto servers = weighted(local_servers());
    for (auto& server : servers) server.weight *= 100;
    return servers;
}
/// By the last part of a column's name: names5, w5, namesw5, reversed5, plain 5.
inline std::vector<Server> pool(const std::string& column) {
    auto servers = local_servers();
    if (has(column, "names")) servers = named(std::move(servers));
    if (column.ends_with("w5")) servers = weighted(std::move(servers));
    if (column.ends_with("reversed5")) std::reverse(servers.begin(), servers.end());
    return servers;
}

inline std::optional<Case> twemproxy(const std::string& column) {
    const auto parts = split(column, '-');
    if (parts[0] != "nutcracker" || parts.size() != 4) return std::nullopt;
    auto options = of("twemproxy-" + parts[2], parts[1]);
    if (parts[3] == "tag5") options.key_tag = "{}";
    if (parts[3] == "tagdollar5") options.key_tag = "$$";
    return Case{options, pool(column)};
}

inline std::optional<Case> ruby(const std::string& column) {
    for (const auto& [era, preset] : {std::pair{"redisrb4-", "redis-rb-4"}, std::pair{"redisrb5-", "redis-rb-5"},
                                      std::pair{"redisrb5rc020-", "redis-rb-5-rc020"}}) {
        if (!column.starts_with(era)) continue;
        auto servers = has(column, "-id-") ? labelled(local_servers()) : local_servers();
        if (has(column, "-db2-")) {
            for (auto& server : servers) server.db = 2;
        }
        const auto tag = has(column, "-tagany-") ? std::optional<std::string>("ruby-any") : std::nullopt;
        return Case{of(preset, {}, tag), servers};
    }
    if (column.starts_with("redisstore")) return Case{of("redis-store"), local_servers()};
    if (column.starts_with("dalli-")) return Case{of("dalli"), pool(column)};
    return std::nullopt;
}

inline std::optional<Case> java(const std::string& column) {
    if (column == "jump-guava-fnv1a64-5") return Case{of("jump"), local_servers()};
    if (!column.starts_with("jedis")) return std::nullopt;
    const bool by_name = has(column, "-name-");
    std::string preset = "jedis";
    if (by_name) preset = has(column, "jedis29") ? "jedis-names-2.9" : "jedis-names";
    auto options = of(preset, has(column, "-md5-") ? "md5" : "murmur");
    if (has(column, "-tag-")) options.key_tag = "jedis";
    auto servers = by_name ? named(local_servers()) : local_servers();
    return Case{options, column.ends_with("-w5") ? weighted(servers) : servers};
}

inline std::optional<Case> golang(const std::string& column) {
    if (column == "stathat-5") return Case{of("stathat"), local_servers()};
    if (column == "stathat-fnv-5") return Case{of("stathat", "fnv1a_32"), local_servers()};
    if (column == "groupcache50-5") return Case{of("groupcache"), local_servers()};
    if (column == "serialx-5") return Case{of("serialx"), local_servers()};
    if (column == "serialx-w5") return Case{of("serialx"), heavy()};
    if (!column.starts_with("goredis-")) return std::nullopt;
    const bool ring = has(column, "-v5-") || has(column, "-v6-") || has(column, "-v7-");
    auto servers = has(column, "-names5")    ? named(local_servers())
                   : has(column, "-server5") ? numbered()
                                             : called_by_address();
    return Case{of(ring ? "go-redis-7" : "go-redis-9"), servers};
}

inline std::optional<Case> php(const std::string& column) {
    if (column.starts_with("predis")) {
        auto servers = has(column, "-alias5") ? named(local_servers()) : pool(column);
        return Case{of(has(column, "-ketama-") ? "predis-ketama" : "predis"), servers};
    }
    if (column.starts_with("credis")) return Case{of("credis"), local_servers()};
    if (!column.starts_with("redisarray-")) return std::nullopt;
    auto options = of(has(column, "consistent") ? "redis-array-consistent" : "redis-array");
    if (has(column, "-alg-")) options.hash = split(column, '-')[2];
    if (options.hash == "bogus") options.hash = "none";  // an unknown algorithm is none
    return Case{options, has(column, "names5") ? labelled(local_servers()) : local_servers()};
}

inline std::optional<Case> python(const std::string& column) {
    if (column.starts_with("djangoredis-")) {
        return Case{of("django-redis"), has(column, "names5") ? labelled(local_servers()) : local_servers()};
    }
    if (column.starts_with("uhashring-default")) return Case{of("uhashring"), pool(column)};
    if (column.starts_with("uhashring-ketama")) return Case{of("uhashring-ketama"), pool(column)};
    if (column.starts_with("redisshard-")) return Case{of("redis-shard", split(column, '-')[1]), numbered()};
    if (column == "sentryrb-ketama-5") return Case{of("sentry-rb"), local_servers()};
    if (column == "sentryrb-partition-5") return Case{of("sentry-rb-partition"), local_servers()};
    if (column == "salimane-rediscluster-5") return Case{of("rediscluster-py"), local_servers()};
    return std::nullopt;
}

inline std::optional<Case> npm(const std::string& column) {
    if (column == "npmjumphash-sha1-5") return Case{of("jump", "sha1_first16hex"), local_servers()};
    if (column.starts_with("npmconsistenthashing")) {
        auto options = of("npm-consistent-hashing");
        if (has(column, "-sha1-")) options.hash = "sha1";
        if (column.ends_with("-40-5")) options.points = 40;
        return Case{options, pool(column)};
    }
    if (!column.starts_with("npmhashring-")) return std::nullopt;
    auto options = of("npm-hashring");
    auto servers = pool(column);
    if (has(column, "-sha1-")) options.hash = "sha1";
    if (has(column, "-compat-hash_ring-")) options.points_per_label = 3;
    if (has(column, "-vnodes100-replicas1-")) {
        options.points = 100;
        options.points_per_label = 1;
    }
    if (has(column, "-defaultport7001-")) servers[0].label = "127.0.0.1";
    return Case{options, servers};
}

inline std::optional<Case> native(const std::string& column) {
    const auto libmemcached = [&](std::string preset, std::optional<std::string> hash = {}) {
        return Case{of(std::move(preset), std::move(hash)), pool(column)};
    };
    const auto hash = has(column, "-murmur3-") ? std::optional<std::string>("murmur3") : std::nullopt;
    if (column.starts_with("libmemcached-consistent-")) return libmemcached("libmemcached-consistent", hash);
    if (column.starts_with("libmemcached-modula-")) return libmemcached("libmemcached-modula", hash);
    if (column == "libmemcached-ketamaspy-md5-5") return libmemcached("libmemcached-spy", "md5");
    if (column == "libmemcached-ketamaweighted-fnv1a_64-5") return libmemcached("libmemcached-weighted", "fnv1a_64");
    if (column.starts_with("libmemcached-ketamaweighted-")) return libmemcached("libmemcached-weighted", hash);
    if (column.starts_with("envoy-derived-maglev-")) return Case{of("envoy-maglev"), pool(column)};
    if (column.starts_with("envoy-derived-ringhash-")) {
        auto options = of("envoy-ring-hash");
        if (has(column, "-murmurring-")) options.point_hash = "murmur_hash_2";
        if (has(column, "-tag-")) options.key_tag = "{}";
        return Case{options, pool(column)};
    }
    if (column.starts_with("plain-")) return Case{of("modulo", split(column, '-')[1]), local_servers()};
    return std::nullopt;
}

inline std::optional<Case> slots(const std::string& column) {
    const bool npm_tags = column.starts_with("clusterkeyslot-npm-") || column == "ioredis-command-slot";
    if (!npm_tags && column != "rediscluster-keyslot" && column != "redispy-keyslot") return std::nullopt;
    return Case{of("redis-cluster", {}, npm_tags ? std::optional<std::string>("npm") : std::nullopt), local_servers(),
                true};
}

}  // namespace cases

/// The meaning of a column; null: it was not given one.
inline std::optional<Case> case_of(const std::string& column) {
    for (const auto& family : {cases::twemproxy, cases::ruby, cases::java, cases::golang, cases::php, cases::python,
                               cases::npm, cases::native, cases::slots}) {
        if (auto found = family(column)) return found;
    }
    return std::nullopt;
}

/// Every column that begins with `prefix`, which are `count`, against its preset.
inline void check_columns(std::string_view prefix, std::size_t count) {
    const auto found = columns(prefix);
    REQUIRE(found.size() == count);
    for (const auto& column : found) {
        const auto known = case_of(column);
        INFO("column " << column);
        REQUIRE(known.has_value());
        check_column(column, known->options, known->servers, table(), known->slots);
    }
}

}  // namespace ratectl::sharding::vectors
