// The presets of the first release against what the real libraries did: modulo, twemproxy, redis-rb.

#include "unit/sharding/vectors.h"

#include <algorithm>

namespace ratectl::sharding::vectors {

namespace {

Options of(std::string preset, std::optional<std::string> hash = {}, std::optional<std::string> key_tag = {}) {
    Options options;
    options.preset = std::move(preset);
    options.hash = std::move(hash);
    options.key_tag = std::move(key_tag);
    return options;
}

/// The servers of a twemproxy column, from the last part of its name.
std::vector<Server> pool(const std::string& variant) {
    auto servers = local_servers();
    if (variant == "names5") return named(std::move(servers));
    if (variant == "w5") return weighted(std::move(servers));
    if (variant == "namesw5") return weighted(named(std::move(servers)));
    if (variant == "reversed5") std::reverse(servers.begin(), servers.end());
    return servers;
}

void check_redis_rb(const std::string& era, const std::string& preset) {
    auto second_db = local_servers();
    for (auto& server : second_db) server.db = 2;
    check_column(era + "-url-5", of(preset), local_servers());
    check_column(era + "-db2-5", of(preset), second_db);
    check_column(era + "-id-5", of(preset), labelled(local_servers()));
    check_column(era + "-tagany-5", of(preset, {}, "ruby-any"), local_servers());
}

}  // namespace

TEST_CASE("modulo agrees with the recorded answers of every exactly named hash") {
    const auto found = columns("plain-");
    REQUIRE(found.size() == 18);
    for (const auto& column : found) {
        const std::string hash = split(column, '-')[1];
        check_column(column, of("modulo", hash), local_servers());
    }
}

TEST_CASE("modulo takes crc32 when no hash is named") {
    check_column("plain-crc32-mod-5", of("modulo"), local_servers());
}

TEST_CASE("twemproxy agrees with the recorded answers of a real nutcracker in every variant") {
    const auto found = columns("nutcracker-");
    REQUIRE(found.size() == 60);
    for (const auto& column : found) {
        const auto parts = split(column, '-');
        REQUIRE(parts.size() == 4);
        auto options = of("twemproxy-" + parts[2], parts[1]);
        if (parts[3] == "tag5") options.key_tag = "{}";
        if (parts[3] == "tagdollar5") options.key_tag = "$$";
        check_column(column, options, pool(parts[3]));
    }
}

TEST_CASE("twemproxy agrees with a real nutcracker for other numbers of servers") {
    const Table answers = read_table("nutcracker-counts.tsv.gz");
    REQUIRE(answers.columns.size() == 16);
    for (const auto& column : answers.columns) {
        const auto parts = split(column, '-');
        std::vector<Server> servers(std::stoul(parts[2]));
        for (std::size_t i = 0; i < servers.size(); ++i) {
            servers[i].host = "127.0.0.1";
            servers[i].port = static_cast<std::uint16_t>(17001 + i);
            if (parts[1] != "named") continue;
            servers[i].name = "server-" + std::string(i % 3, 'x') + std::to_string(i);
            servers[i].weight = 1 + static_cast<unsigned>(i % 4);
        }
        check_column(column, of("twemproxy-" + parts[0]), servers, answers);
    }
}

TEST_CASE("twemproxy takes fnv1a_64 when no hash is named") {
    check_column("nutcracker-fnv1a_64-ketama-5", of("twemproxy-ketama"), local_servers());
    check_column("nutcracker-fnv1a_64-modula-5", of("twemproxy-modula"), local_servers());
}

TEST_CASE("redis-rb of the crc32 era agrees with its recorded answers") { check_redis_rb("redisrb4", "redis-rb-4"); }

TEST_CASE("redis-rb of the md5 era agrees with its recorded answers") { check_redis_rb("redisrb5", "redis-rb-5"); }

TEST_CASE("redis-rb on an old redis-client agrees with its recorded answers") {
    check_redis_rb("redisrb5rc020", "redis-rb-5-rc020");
}

}  // namespace ratectl::sharding::vectors
