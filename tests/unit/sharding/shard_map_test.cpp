// What shard maps say about themselves: steps, points per server, collisions, and what they refuse.

#include "sharding/shard_map.h"

#include <numeric>

#include "sharding/preset.h"
#include "support/contains.h"
#include "unit/sharding/vectors.h"

namespace ratectl::sharding {

namespace {

using test::contains;
using vectors::labelled;
using vectors::local_servers;
using vectors::map_of;
using vectors::named;
using vectors::of;
using vectors::refusal;
using vectors::weighted;

/// The shards of eight well-known keys as one string of digits.
std::string placed(const Options& options, const std::vector<Server>& servers) {
    const auto map = map_of(options, servers);
    std::string digits;
    for (const auto* key : {"core:1", "search:user:99", "rl:{user:1}:core", "{}x", "x{a}y", "{a}{b}",
                            "The quick brown fox jumps over the lazy dog", "{\xE6\x97\xA5\xE6\x9C\xAC}:1"}) {
        digits += std::to_string(map.shard_of(key));
    }
    return digits;
}

}  // namespace

TEST_CASE("well-known keys are where the libraries put them") {
    const auto five = local_servers();
    const auto greek = named(local_servers());
    CHECK(placed(of("redis-rb-4"), five) == "04220420");
    CHECK(placed(of("redis-rb-5-rc020"), five) == "04341242");
    CHECK(placed(of("redis-rb-5"), five) == "10420131");
    CHECK(placed(of("twemproxy-ketama"), five) == "32343101");
    CHECK(placed(of("twemproxy-ketama", "md5"), five) == "00013244");
    CHECK(placed(of("twemproxy-ketama", {}, "{}"), five) == "32141101");
    CHECK(placed(of("twemproxy-modula"), five) == "12123032");
    CHECK(placed(of("twemproxy-modula", "crc32"), five) == "24340240");
    CHECK(placed(of("twemproxy-modula", "murmur"), five) == "02212040");
    CHECK(placed(of("libmemcached-weighted"), five) == "00013244");
    CHECK(placed(of("jedis"), five) == "23240310");
    CHECK(placed(of("jedis-names"), greek) == "01314112");
    CHECK(placed(of("jedis-names-2.9"), greek) == "03313010");
    CHECK(placed(of("jedis", {}, "jedis"), five) == "23141111");
    CHECK(placed(of("go-redis-7"), greek) == "44431111");
    CHECK(placed(of("go-redis-9"), greek) == "42434403");
    CHECK(placed(of("predis"), five) == "02244422");
    CHECK(placed(of("predis-ketama"), five) == "00213342");
    CHECK(placed(of("redis-array"), five) == "41204413");
    CHECK(placed(of("redis-array-consistent"), five) == "03424400");
    CHECK(placed(of("django-redis"), five) == "04204344");
    CHECK(placed(of("uhashring-ketama"), five) == "00013244");
    CHECK(placed(of("uhashring"), five) == "12013413");
    CHECK(placed(of("sentry-rb-partition"), five) == "40311142");
    CHECK(placed(of("npm-hashring"), five) == "00013244");
    CHECK(placed(of("npm-consistent-hashing"), five) == "44230311");
    CHECK(placed(of("dalli"), five) == "23213420");
    CHECK(placed(of("modulo"), five) == "00411242");
    CHECK(placed(of("modulo", "fnv1a_32"), five) == "33313310");
    CHECK(placed(of("jump"), five) == "03141220");
    CHECK(placed(of("envoy-ring-hash"), five) == "10241033");
    CHECK(placed(of("envoy-maglev"), five) == "13130430");
}

TEST_CASE("twemproxy gives 156 points instead of 160 where single precision rounds down") {
    for (std::size_t servers = 2; servers <= 101; ++servers) {
        const bool rounds_down = servers == 25 || servers == 47 || servers == 50 || servers == 55 || servers == 61 ||
                                 servers == 71 || servers == 94 || servers == 100;
        const auto map = map_of(of("twemproxy-ketama"), local_servers(servers));
        const auto points = map.points_per_server();
        std::size_t lost = 2 * map.collisions().size();
        INFO(servers << " servers");
        for (const std::size_t owned : points) {
            CHECK(owned <= (rounds_down ? 156U : 160U));
            CHECK(owned + lost >= (rounds_down ? 156U : 160U));
        }
    }
}

TEST_CASE("Predis loses a block where double precision rounds down") {
    for (const std::size_t servers : {std::size_t{49}, std::size_t{98}, std::size_t{48}}) {
        const auto points = map_of(of("predis-ketama"), local_servers(servers)).points_per_server();
        const std::size_t most = *std::max_element(points.begin(), points.end());
        CHECK(most == (servers == 48 ? 160U : 156U));
    }
}

TEST_CASE("npm hashring loses a block for other numbers of servers than Predis") {
    for (std::size_t servers = 2; servers <= 100; ++servers) {
        const bool rounds_down =
            servers == 7 || servers == 14 || servers == 28 || servers == 49 || servers == 56 || servers == 98;
        const auto points = map_of(of("npm-hashring"), local_servers(servers)).points_per_server();
        INFO(servers << " servers");
        CHECK(*std::max_element(points.begin(), points.end()) == (rounds_down ? 156U : 160U));
    }
}

TEST_CASE("weights change the points in proportion") {
    const auto points = map_of(of("twemproxy-ketama"), weighted(local_servers())).points_per_server();
    CHECK(points == std::vector<std::size_t>{100, 200, 100, 300, 100});
    CHECK(map_of(of("twemproxy-modula"), weighted(local_servers())).points_per_server() ==
          std::vector<std::size_t>{1, 2, 1, 3, 1});
}

TEST_CASE("twemproxy leaves the memcached port out of labels and sorts by length first") {
    std::vector<Server> servers(2);
    servers[0].host = "10.0.0.10";
    servers[0].port = 11211;
    servers[1].host = "10.0.0.9";
    servers[1].port = 11211;
    CHECK(map_of(of("twemproxy-ketama"), servers).explain("k").point_label->substr(0, 7) == "10.0.0.");
    auto spelled = servers;
    for (auto& server : spelled) server.name = server.host;
    const auto implied = map_of(of("twemproxy-ketama"), servers);
    const auto explicit_names = map_of(of("twemproxy-ketama"), spelled);
    for (const auto& key : vectors::table().keys) REQUIRE(implied.shard_of(key) == explicit_names.shard_of(key));
    const auto modula = map_of(of("twemproxy-modula"), servers);
    const auto steps = modula.explain("k");
    CHECK(steps.bucket_count == 2);
    CHECK(steps.shard == (*steps.bucket == 0 ? 1U : 0U));
}

TEST_CASE("an empty key is hash zero for twemproxy and a hash like any other elsewhere") {
    CHECK(map_of(of("twemproxy-ketama"), local_servers()).explain("").hash == 0);
    CHECK(map_of(of("libmemcached-weighted"), local_servers()).explain("").hash != 0);
    CHECK(map_of(of("modulo"), local_servers()).explain("").hash == 0);
    CHECK(map_of(of("modulo", "fnv1a_64"), local_servers()).explain("").hash == 0xcbf29ce484222325U);
}

TEST_CASE("bytes from 0x80 up hash by the sign of char that the configuration names") {
    auto arm = of("twemproxy-modula", "fnv1a_64");
    arm.signed_chars = false;
    const auto as_arm = map_of(arm, local_servers());
    const auto as_x86 = map_of(of("twemproxy-modula", "fnv1a_64"), local_servers());
    CHECK(as_arm.explain("plain").hash == as_x86.explain("plain").hash);
    CHECK(as_arm.explain("\xC3\xA9").hash != as_x86.explain("\xC3\xA9").hash);
    CHECK(as_arm.explain("\xC3\xA9").hash ==
          (map_of(of("modulo", "fnv1a_64"), local_servers()).explain("\xC3\xA9").hash & 0xffffffffU));
}

TEST_CASE("the steps of a ring name tag, hash, point, label and runner-up") {
    const auto map = map_of(of("redis-rb-5"), local_servers());
    const auto steps = map.explain("{user:1}:core");
    CHECK(steps.tag_found);
    CHECK(steps.hashed == "user:1");
    CHECK(steps.hash_name == "crc32");
    CHECK(steps.hash_text == std::to_string(steps.hash));
    CHECK(steps.point_text == std::to_string(*steps.point));
    CHECK(contains(*steps.point_label, "redis://127.0.0.1:" + std::to_string(7001 + steps.shard) + ":"));
    CHECK(steps.runner_up.has_value());
    CHECK(steps.runner_up != steps.shard);
    CHECK(steps.shard == map.shard_of("user:1"));
}

TEST_CASE("a signed ring shows signed numbers and a wide one hexadecimal") {
    const auto jedis = map_of(of("jedis"), local_servers());
    bool negative = false;
    for (int i = 0; i < 20; ++i) negative = negative || jedis.explain(std::to_string(i)).hash_text.starts_with('-');
    CHECK(negative);
    const auto wide = map_of(of("django-redis"), local_servers()).explain("k");
    CHECK(wide.hash_text.size() == 66);
    CHECK(wide.point_text->starts_with("0x"));
}

TEST_CASE("the runner-up has the keys of a server that leaves the ring") {
    for (const auto& preset : {"redis-rb-5", "go-redis-9"}) {
        const auto servers = labelled(local_servers());
        const auto all = map_of(of(preset), servers);
        for (const auto& key : vectors::table().keys) {
            const auto steps = all.explain(key);
            std::vector<Server> left;
            std::vector<std::size_t> origin;
            for (std::size_t i = 0; i < servers.size(); ++i) {
                if (i == steps.shard) continue;
                left.push_back(servers[i]);
                origin.push_back(i);
            }
            static std::map<std::string, ShardMap> without;
            const std::string id = std::string(preset) + std::to_string(steps.shard);
            if (without.count(id) == 0) without.emplace(id, map_of(of(preset), left));
            REQUIRE(origin[without.at(id).shard_of(key)] == *steps.runner_up);
        }
    }
}

TEST_CASE("one server has every key whatever the preset") {
    for (const auto& preset : presets()) {
        const auto map = map_of(of(std::string(preset.name)), named(local_servers(1)));
        CHECK(map.shard_of("any") == 0);
        CHECK(map.shard_of("") == 0);
        CHECK(map.explain("any").shard == 0);
        CHECK(ShardMap::check(of(std::string(preset.name)), named(local_servers(1))).has_value());
    }
}

TEST_CASE("every preset places every key on a server that exists and uses all of them") {
    for (const auto& preset : presets()) {
        const auto map = map_of(of(std::string(preset.name)), named(local_servers(3)));
        std::vector<std::size_t> keys(3, 0);
        for (const auto& key : vectors::table().keys) ++keys.at(map.shard_of(key));
        INFO("preset " << preset.name);
        const bool lopsided = preset.name == "serialx";
        for (const std::size_t n : keys) CHECK(n > (lopsided ? 0U : 150U));
        CHECK(preset.about.size() > 10);
        CHECK(!preset.labels_are.empty());
        CHECK((preset.ring ? 1 : 0) + (preset.buckets ? 1 : 0) + (preset.rendezvous ? 1 : 0) == 1);
    }
}

TEST_CASE("two servers on one ring point are found and decided as the library would") {
    // These words have one crc32, so with any equal ending or beginning they go on having one.
    auto servers = local_servers(2);
    servers[0].label = "plumless";
    servers[1].label = "buckeroo";
    const auto map = map_of(of("redis-rb-4"), servers);
    REQUIRE(map.collisions().size() == 160);
    CHECK(map.collisions()[0].first == 0);
    CHECK(map.collisions()[0].second == 1);
    CHECK(map.collisions()[0].decided);
    CHECK(map.points_per_server() == std::vector<std::size_t>{0, 160});
    servers[0].name = servers[0].label;
    servers[1].name = servers[1].label;
    auto go = map_of(of("go-redis-7"), servers);
    REQUIRE(go.collisions().size() == 100);
    CHECK_FALSE(go.collisions()[0].decided);
    CHECK(map_of(of("redis-rb-5"), servers).collisions().empty());
}

TEST_CASE("what does not fit a preset is refused in words that help") {
    CHECK(contains(refusal(of("twemproxy-ketma"), local_servers()).hint, "twemproxy-ketama"));
    CHECK(contains(refusal(of(""), local_servers()).hint, "sharding list"));
    CHECK(contains(refusal(of("twemprxy"), local_servers()).hint, "twemproxy-ketama, twemproxy-modula"));
    CHECK(contains(refusal(of("modulo", "md5"), local_servers()).hint, "md5_first4le"));
    CHECK(contains(refusal(of("modulo", "crc"), local_servers()).hint, "crc32"));
    CHECK(contains(refusal(of("twemproxy-ketama", "fnv1a64"), local_servers()).hint, "fnv1a_64"));
    CHECK(contains(refusal(of("redis-rb-5", "md5"), local_servers()).message, "always uses crc32"));
    CHECK(contains(refusal(of("modulo"), weighted(local_servers())).message, "weight 2"));
    CHECK(contains(refusal(of("go-redis-9"), local_servers()).message, "127.0.0.1:7001"));
    CHECK(contains(refusal(of("modulo", {}, "curly"), local_servers()).message, "curly"));
    auto twins = local_servers(2);
    twins[1].port = twins[0].port;
    CHECK(contains(refusal(of("redis-rb-5"), twins).message, "redis://127.0.0.1:7001"));
    auto weightless = local_servers(2);
    weightless[1].weight = 0;
    CHECK(contains(refusal(of("twemproxy-ketama"), weightless).message, "weight 0"));
    auto fixed = of("twemproxy-ketama");
    fixed.points = 40;
    CHECK(contains(refusal(fixed, local_servers()).message, "no option 'points'"));
    CHECK(contains(refusal(fixed, local_servers()).hint, "hash, key_tag, strip_prefix, order, signed_chars"));
    refusal(of("modulo"), {});
}

TEST_CASE("redis-rb labels follow host and socket and db and TLS") {
    std::vector<Server> servers(2);
    servers[0].path = "/run/a.sock";
    servers[1].host = "::1";
    servers[1].port = 7001;
    servers[1].tls = true;
    servers[1].db = 3;
    const auto labels = [&](const std::string& preset) {
        const auto map = map_of(of(preset), servers);
        std::array<std::string, 2> found;
        for (int i = 0; found[0].empty() || found[1].empty(); ++i) {
            const auto steps = map.explain(std::to_string(i));
            found[steps.shard] = steps.point_label->substr(0, steps.point_label->rfind(':'));
        }
        return found;
    };
    CHECK(labels("redis-rb-4") == std::array<std::string, 2>{"unix:///run/a.sock/0", "rediss://::1:7001/3"});
    CHECK(labels("redis-rb-5-rc020") == std::array<std::string, 2>{"/run/a.sock/0", "rediss://::1:7001/3"});
    CHECK(labels("redis-rb-5") == std::array<std::string, 2>{"unix:///run/a.sock", "rediss://[::1]:7001/3"});
}

}  // namespace ratectl::sharding
