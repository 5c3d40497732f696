// Every preset against what the real libraries did: no column of the vectors is left out, no key of a column may
// differ.

#include <fstream>
#include <set>

#include "support/contains.h"
#include "support/places.h"
#include "unit/sharding/recorded_cases.h"

namespace ratectl::sharding::vectors {

TEST_CASE("every column of the vectors belongs to a preset and no column is unknown to their list") {
    std::set<std::string> listed;
    std::ifstream manifest(test::test_data() + "/vectors/columns.tsv");
    for (std::string line; std::getline(manifest, line);) {
        if (!line.starts_with('#')) listed.insert(split(line, '\t')[0]);
    }
    CHECK(listed.size() == 215);
    CHECK(listed == std::set<std::string>(table().columns.begin(), table().columns.end()));
    for (const auto& column : listed) {
        INFO("column " << column);
        const auto known = case_of(column);
        REQUIRE(known.has_value());
        CHECK(ShardMap::check(known->options, known->servers).has_value());
    }
}

TEST_CASE("modulo agrees with the recorded answers of every exactly named hash") { check_columns("plain-", 18); }

TEST_CASE("modulo takes crc32 when no hash is named") {
    check_column("plain-crc32-mod-5", of("modulo"), local_servers());
}

TEST_CASE("twemproxy agrees with the recorded answers of a real nutcracker in every variant") {
    check_columns("nutcracker-", 60);
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

TEST_CASE("redis-rb of the crc32 era agrees with its recorded answers") { check_columns("redisrb4-", 4); }

TEST_CASE("redis-rb of the md5 era agrees with its recorded answers") { check_columns("redisrb5-", 4); }

TEST_CASE("redis-rb on an old redis-client agrees with its recorded answers") { check_columns("redisrb5rc020-", 4); }

TEST_CASE("redis-store agrees with its recorded answers") { check_columns("redisstore", 1); }

TEST_CASE("Jedis agrees with its recorded answers in all three eras") { check_columns("jedis", 18); }

TEST_CASE("go-redis agrees with its recorded answers from v5 to v9") { check_columns("goredis-", 18); }

TEST_CASE("Predis agrees with its recorded answers for both rings") { check_columns("predis", 10); }

TEST_CASE("phpredis RedisArray agrees with its recorded answers for every algorithm") {
    check_columns("redisarray-", 29);
}

TEST_CASE("Credis agrees with its recorded answers") { check_columns("credis", 1); }

TEST_CASE("the Python rings agree with their recorded answers") {
    check_columns("djangoredis-", 2);
    check_columns("uhashring-", 6);
    check_columns("redisshard-", 3);
    check_columns("sentryrb-", 2);
    check_columns("salimane-", 1);
}

TEST_CASE("the npm rings agree with their recorded answers") {
    check_columns("npmhashring-", 7);
    check_columns("npmconsistenthashing-", 3);
}

TEST_CASE("the memcached rings agree with their recorded answers") {
    check_columns("dalli-", 2);
    check_columns("libmemcached-", 4);
}

TEST_CASE("libmemcached with the hash murmur3 agrees with its recorded answers, for which there was no name") {
    const Table answers = read_table("libmemcached-murmur3.tsv.gz");
    REQUIRE(answers.columns.size() == 4);
    for (const auto& column : answers.columns) {
        const auto known = case_of(column);
        INFO("column " << column);
        REQUIRE(known.has_value());
        check_column(column, known->options, known->servers, answers);
    }
    CHECK(test::contains(refusal(of("twemproxy-ketama", "murmur3")).message, "murmur3"));
}

TEST_CASE("the Go rings agree with their recorded answers") {
    check_columns("stathat-", 2);
    check_columns("groupcache", 1);
    check_columns("serialx-", 2);
}

TEST_CASE("jump hashing agrees with its recorded answers") {
    check_columns("jump-", 1);
    check_columns("npmjumphash-", 1);
}

TEST_CASE("Envoy agrees with the answers derived from its source") { check_columns("envoy-derived-", 6); }

TEST_CASE("the slots of Redis Cluster and of its npm clients agree with their recorded answers") {
    check_columns("rediscluster-", 1);
    check_columns("redispy-", 1);
    check_columns("clusterkeyslot-", 2);
    check_columns("ioredis-", 1);
}

}  // namespace ratectl::sharding::vectors
