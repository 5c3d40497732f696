// The options of presets as text, in configuration files and where they do not fit.

#include "sharding/options.h"

#include "support/contains.h"
#include "unit/sharding/recorded_cases.h"

namespace ratectl::sharding {

namespace {

using test::contains;
using vectors::local_servers;
using vectors::map_of;
using vectors::of;
using vectors::refusal;

}  // namespace

TEST_CASE("options survive the way to text and back") {
    const std::string text =
        "npm-hashring,hash=sha1,key_tag={},strip_prefix=app:,order=sorted,points=100,points_per_label=1";
    const auto options = parse_options(text);
    REQUIRE(options.has_value());
    CHECK(options->preset == "npm-hashring");
    CHECK(options->points == 100);
    CHECK(options->order == ServerOrder::sorted);
    CHECK(text_of(*options) == text);
    CHECK(toml_of(*options) ==
          "sharding = { preset = \"npm-hashring\", hash = \"sha1\", key_tag = \"{}\", "
          "strip_prefix = \"app:\", order = \"sorted\", points = 100, points_per_label = 1 }");
    CHECK(toml_of(of("modulo")) == "sharding = \"modulo\"");
    CHECK(text_of(*parse_options("twemproxy-ketama,signed_chars=false")) == "twemproxy-ketama,signed_chars=false");
    CHECK_FALSE(parse_options("twemproxy-ketama,signed_chars=false,").has_value());
}

TEST_CASE("options that cannot be read are refused by name") {
    CHECK(contains(parse_options("modulo,hsh=crc32").error().hint, "hash"));
    CHECK(contains(parse_options("modulo,points").error().hint, "PRESET,NAME=VALUE"));
    CHECK(contains(parse_options("stathat,points=0").error().message, "points: '0'"));
    CHECK(contains(parse_options("stathat,points=ten").error().message, "1 to 100000"));
    CHECK(contains(parse_options("modulo,order=up").error().hint, "configured, sorted, length"));
    CHECK(contains(parse_options("twemproxy-ketama,signed_chars=yes").error().message, "neither true nor false"));
}

TEST_CASE("an option that a preset has no notion of is refused with those it takes") {
    auto cut = of("redis-rb-5");
    cut.points_per_label = 2;
    CHECK(contains(refusal(cut).message, "'redis-rb-5' has no option 'points_per_label'"));
    CHECK(contains(refusal(cut).hint, "it takes key_tag, strip_prefix, order, points"));
    auto sized = of("twemproxy-ketama");
    sized.table_size = 7;
    CHECK(contains(refusal(sized).message, "no option 'table_size'"));
    auto typed = of("redis-rb-5");
    typed.signed_chars = false;
    CHECK(contains(refusal(typed).message, "no option 'signed_chars'"));
    auto hashed = of("predis");
    hashed.point_hash = "md5";
    CHECK(contains(refusal(hashed).message, "no option 'point_hash'"));
    auto other = of("envoy-ring-hash");
    other.point_hash = "xxhash";
    CHECK(contains(refusal(other).hint, "xx_hash"));
    auto composite = of("envoy-maglev");
    composite.table_size = 65536;
    CHECK(contains(refusal(composite).message, "not a prime number"));
}

TEST_CASE("a stripped prefix is not hashed and keys without it are hashed whole") {
    auto prefixed = of("redis-array");
    prefixed.strip_prefix = "app:";
    const auto map = map_of(prefixed);
    const auto plain = map_of(of("redis-array"));
    for (const std::string key : {"core:1", "{tag}x", "", "app:"}) {
        CHECK(map.shard_of("app:" + key) == plain.shard_of(key));
        CHECK(map.explain("app:" + key).shard == plain.shard_of(key));
    }
    CHECK(map.shard_of("core:1") == plain.shard_of("core:1"));
    CHECK(map.explain("app:core:1").prefix_stripped);
    CHECK(map.explain("app:core:1").hashed == "core:1");
    CHECK_FALSE(map.explain("core:1").prefix_stripped);
}

TEST_CASE("the order of servers decides where only places count") {
    auto servers = local_servers(3);
    servers[0].name = "ccc";
    servers[1].name = "dd";
    servers[2].name = "aaa";
    const auto shards = [&](ServerOrder order) {
        auto options = of("modulo");
        options.order = order;
        const auto map = map_of(options, servers);
        std::vector<std::size_t> found(3);
        for (int i = 0; i < 50; ++i) {
            const auto steps = map.explain(std::to_string(i));
            found[*steps.bucket] = steps.shard;
        }
        return found;
    };
    CHECK(shards(ServerOrder::configured) == std::vector<std::size_t>{0, 1, 2});
    CHECK(shards(ServerOrder::sorted) == std::vector<std::size_t>{2, 0, 1});
    CHECK(shards(ServerOrder::length) == std::vector<std::size_t>{1, 2, 0});
    auto jedis = of("jedis");
    jedis.order = ServerOrder::sorted;
    const auto steps = map_of(jedis, servers).explain("k");
    const std::size_t position = steps.shard == 2 ? 0 : steps.shard + 1;
    CHECK(steps.point_label->starts_with("SHARD-" + std::to_string(position) + "-"));
}

TEST_CASE("slots go to the servers that name them or in even ranges") {
    const auto owner = [](const ShardMap& map, std::string_view key) { return map.explain(key); };
    const auto even = map_of(of("redis-cluster"));
    CHECK(even.points_per_server() == std::vector<std::size_t>{5461, 5462, 5461});
    CHECK(map_of(of("redis-cluster"), local_servers(7)).points_per_server() ==
          std::vector<std::size_t>{2341, 2340, 2341, 2340, 2341, 2340, 2341});
    CHECK(*owner(even, "foo").bucket == 12182);
    CHECK(owner(even, "foo").shard == 2);
    CHECK(owner(even, "foo").bucket_count == 16384);
    auto servers = local_servers(2);
    servers[0].slots = {{12182, 12182}, {0, 100}};
    servers[1].slots = {{101, 12181}, {12183, 16383}};
    const auto named_slots = map_of(of("redis-cluster"), servers);
    CHECK(named_slots.shard_of("foo") == 0);
    CHECK(named_slots.points_per_server() == std::vector<std::size_t>{102, 16282});
    CHECK(*map_of(of("codis"), servers = local_servers(2)).explain("a{}b").bucket == 0);
    CHECK(*parse_slots("0-5460") == SlotRange{0, 5460});
    CHECK(*parse_slots("7") == SlotRange{7, 7});
    for (const auto* text : {"", "-", "5-", "9-8", "a-b", "1-2-3"}) CHECK_FALSE(parse_slots(text).has_value());
}

TEST_CASE("slots without a server or with two or too large are refused") {
    auto servers = local_servers(2);
    servers[0].slots = {{0, 100}};
    CHECK(contains(refusal(of("redis-cluster"), servers).message, "slot 101 belongs to no shard (101 of 16384"));
    servers[1].slots = {{100, 16383}};
    CHECK(contains(refusal(of("redis-cluster"), servers).message, "slot 100 belongs to shard 1"));
    servers[1].slots = {{101, 16384}};
    CHECK(contains(refusal(of("redis-cluster"), servers).message, "there are 0 to 16383"));
    CHECK(contains(refusal(of("modulo"), servers).message, "knows none"));
}

TEST_CASE("signed floor modulo and the hash codes of Java are what those languages compute") {
    CHECK(hashes::java_hashcode("").words[0] == 0);
    CHECK(hashes::java_hashcode("abc").words[0] == 96354);
    CHECK(hashes::java_hashcode("polygenelubricants").words[0] == 0x80000000U);
    CHECK(hashes::java_hashcode("\xC3\xA9").words[0] == 233);
    CHECK(hashes::java_hashcode("\xF0\x9F\x98\x80").words[0] == 0xD83D * 31 + 0xDE00);
    CHECK(hashes::java_hashcode_masked("polygenelubricants").words[0] == 0);
    CHECK(hashes::java_hashcode_abs("polygenelubricants").words[0] == 0x80000000U);
    // -2147483648 floor-modulo 5 is 2, its magnitude modulo 5 is 3.
    CHECK(map_of(of("modulo-signed", "java_hashcode"), local_servers(5)).shard_of("polygenelubricants") == 2);
    CHECK(map_of(of("modulo", "java_hashcode_abs"), local_servers(5)).shard_of("polygenelubricants") == 3);
}

}  // namespace ratectl::sharding
