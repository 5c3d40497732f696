// The table of presets. Adding a library is adding a row; its vectors decide whether the row is right.

#include "sharding/preset.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "sharding/bucket_rules.h"
#include "sharding/label_rules.h"

namespace ratectl::sharding {

namespace {

constexpr std::string_view kPosition = "the server's place in the list";
constexpr std::string_view kAddress = "host:port as the application writes it, or the socket's path";
constexpr std::string_view kName = "the name the application gives the server";

constexpr NamedHash kCrc32[] = {{"crc32", hashes::crc32}};
constexpr NamedHash kMd5Le32[] = {{"md5_first4le", hashes::md5_le32}};
constexpr NamedHash kMd5Whole[] = {{"md5", hashes::md5}};
constexpr NamedHash kMd5Pair[] = {{"md5", hashes::md5_le64_pair}};
constexpr NamedHash kMd5SevenHex[] = {{"md5_first7hex", hashes::md5_first_7_hex}};
constexpr NamedHash kSha256[] = {{"sha256", hashes::sha256}};
constexpr NamedHash kEnvoyMaglev[] = {{"murmur64a", hashes::murmur64a_envoy}};
constexpr NamedHash kXxh64[] = {{"xxh64", hashes::xxh64}};

constexpr RingRules kTwemproxyRing{.point_hash = hashes::md5,
                                   .four_points = true,
                                   .label = labels::dash,
                                   .labels = counts::twemproxy,
                                   .points = 40,
                                   .collisions = Collisions::first_added};

/// What every 32-bit ring of four little-endian points per MD5 label has in common.
constexpr RingRules md5_blocks(std::uint32_t (*labels)(const Share&), std::uint32_t points, Lookup lookup,
                               Collisions collisions) {
    return {.point_hash = hashes::md5,
            .four_points = true,
            .label = labels::dash,
            .labels = labels,
            .points = points,
            .lookup = lookup,
            .collisions = collisions};
}

constexpr RingRules redis_rb(HashFunction point_hash, bool points_option) {
    return {.point_hash = point_hash,
            .label = labels::colon,
            .labels = counts::fixed,
            .points_option = points_option,
            .lookup = Lookup::at_or_before};
}

constexpr RingRules jedis(std::string (*label)(std::string_view, unsigned, std::uint32_t)) {
    return {.label = label, .labels = counts::per_weight, .order = Order::signed_64};
}

constexpr RingRules libmemcached_weighted() {
    return md5_blocks(counts::libmemcached, 40, Lookup::at_or_after, Collisions::first_added);
}

/// Without weights: one point a label, by the key's own hash.
constexpr RingRules libmemcached_plain() {
    return {.label = labels::dash, .labels = counts::fixed, .points = 100, .collisions = Collisions::first_added};
}

constexpr Preset kTable[] = {
    {.name = "modulo",
     .about = "the key's hash modulo the number of servers",
     .labels_are = kPosition,
     .hashes = kPlainHashes,
     .node = nodes::name_or_address,
     .positional = true,
     .buckets = BucketRules{.bucket = buckets::modulo}},

    {.name = "twemproxy-ketama",
     .about = "twemproxy (nutcracker), distribution: ketama",
     .labels_are = "the server's name in the pool, else host:port (port 11211 left out)",
     .hashes = kTwemproxyHashes,
     .node = nodes::twemproxy,
     .weights = true,
     .sorted = true,
     .empty_key_is_zero = true,
     .ring = kTwemproxyRing},
    {.name = "twemproxy-modula",
     .about = "twemproxy (nutcracker), distribution: modula",
     .labels_are = "the server's name in the pool, else host:port (port 11211 left out): it decides the order",
     .hashes = kTwemproxyHashes,
     .node = nodes::twemproxy,
     .weights = true,
     .sorted = true,
     .empty_key_is_zero = true,
     .buckets = BucketRules{.bucket = buckets::modulo, .repeat_by_weight = true}},

    {.name = "redis-rb-4",
     .about = "Redis::Distributed of redis-rb up to 4.x",
     .labels_are = "redis://host:port/db",
     .hashes = kCrc32,
     .tag = KeyTag::Rule::ruby,
     .node = nodes::redis_rb_4,
     .ring = redis_rb(hashes::crc32, false)},
    {.name = "redis-rb-5",
     .about = "Redis::Distributed of redis-rb 5 and later on redis-client 0.21 and later",
     .labels_are = "redis://host:port, with /db when it is not 0",
     .hashes = kCrc32,
     .tag = KeyTag::Rule::ruby,
     .node = nodes::redis_rb_5,
     .ring = redis_rb(hashes::md5_be32, false)},
    {.name = "redis-rb-5-rc020",
     .about = "Redis::Distributed of redis-rb 5 on redis-client up to 0.20",
     .labels_are = "redis://host:port/db",
     .hashes = kCrc32,
     .tag = KeyTag::Rule::ruby,
     .node = nodes::redis_rb_5_old_client,
     .ring = redis_rb(hashes::md5_be32, false)},
    {.name = "redis-store",
     .about = "Redis::DistributedStore of redis-store on redis-rb 4: no key tags",
     .labels_are = "redis://host:port/db",
     .hashes = kCrc32,
     .node = nodes::redis_rb_4,
     .ring = redis_rb(hashes::crc32, true)},

    {.name = "jedis",
     .about = "Jedis ShardedJedis without names, JedisSharding",
     .labels_are = kPosition,
     .hashes = kJedisHashes,
     .node = nodes::position,
     .weights = true,
     .positional = true,
     .ring = jedis(labels::jedis_position)},
    {.name = "jedis-names",
     .about = "Jedis ShardedJedis 2.10 and later with names",
     .labels_are = kName,
     .hashes = kJedisHashes,
     .node = nodes::name_only,
     .weights = true,
     .ring = jedis(labels::jedis_name)},
    {.name = "jedis-names-2.9",
     .about = "Jedis ShardedJedis up to 2.9.3 with names",
     .labels_are = kName,
     .hashes = kJedisHashes,
     .node = nodes::name_only,
     .weights = true,
     .ring = jedis(labels::jedis_weighted_name)},

    {.name = "go-redis-9",
     .about = "go-redis Ring from v8 on (rendezvous)",
     .labels_are = kName,
     .hashes = kXxh64,
     .tag = KeyTag::Rule::redis,
     .node = nodes::name_only,
     .rendezvous = RendezvousRules{hashes::xxh64, scores::xorshift_multiplied}},
    {.name = "go-redis-7",
     .about = "go-redis Ring up to v7",
     .labels_are = kName,
     .hashes = kCrc32,
     .tag = KeyTag::Rule::redis,
     .node = nodes::name_only,
     .ring = RingRules{.label = labels::number_first,
                       .labels = counts::fixed,
                       .points = 100,
                       .points_option = true,
                       .collisions = Collisions::undefined}},

    {.name = "predis",
     .about = "Predis cluster with its default HashRing",
     .labels_are = kAddress,
     .hashes = kCrc32,
     .tag = KeyTag::Rule::redis,
     .node = nodes::address,
     .weights = true,
     .ring =
         RingRules{
             .label = labels::colon, .labels = counts::predis_ring, .points = 128, .lookup = Lookup::at_or_before}},
    {.name = "predis-ketama",
     .about = "Predis cluster with KetamaRing",
     .labels_are = kAddress,
     .hashes = kMd5Le32,
     .tag = KeyTag::Rule::redis,
     .node = nodes::address,
     .weights = true,
     .ring = md5_blocks(counts::share_times_servers, 40, Lookup::at_or_after, Collisions::last_added)},
    {.name = "redis-array",
     .about = "phpredis RedisArray; hash is its option algorithm",
     .labels_are = kPosition,
     .hashes = kRedisArrayHashes,
     .tag = KeyTag::Rule::phpredis,
     .node = nodes::address,
     .positional = true,
     .buckets = BucketRules{.bucket = buckets::inverted_range}},
    {.name = "redis-array-consistent",
     .about = "phpredis RedisArray with consistent; hash is its option algorithm",
     .labels_are = kAddress,
     .hashes = kRedisArrayHashes,
     .tag = KeyTag::Rule::phpredis,
     .node = nodes::address,
     .ring = md5_blocks(counts::fixed, 40, Lookup::at_or_after, Collisions::undefined)},
    {.name = "credis",
     .about = "Credis_Cluster up to 1.16.2",
     .labels_are = kAddress,
     .hashes = kMd5SevenHex,
     .node = nodes::address,
     .ring = RingRules{.label = labels::dash, .labels = counts::fixed, .points = 129, .lookup = Lookup::last_probe}},

    {.name = "django-redis",
     .about = "django-redis ShardClient",
     .labels_are = "the LOCATION string: redis://host:port/db",
     .hashes = kSha256,
     .tag = KeyTag::Rule::greedy,
     .node = nodes::redis_rb_4,
     .ring = RingRules{.label = labels::colon, .labels = counts::fixed, .points = 128, .lookup = Lookup::at_or_before}},
    {.name = "uhashring",
     .about = "Python uhashring, default hash",
     .labels_are = kAddress,
     .hashes = kMd5Whole,
     .node = nodes::name_or_address,
     .weights = true,
     .ring = RingRules{.label = labels::dash, .labels = counts::per_weight, .lookup = Lookup::after}},
    {.name = "uhashring-ketama",
     .about = "Python uhashring with hash_fn ketama",
     .labels_are = kAddress,
     .hashes = kMd5Le32,
     .node = nodes::name_or_address,
     .weights = true,
     .ring = md5_blocks(counts::integer_share, 40, Lookup::after, Collisions::last_added)},
    {.name = "redis-shard",
     .about = "Python redis-shard",
     .labels_are = kName,
     .hashes = kLatinDigestHashes,
     .tag = KeyTag::Rule::greedy,
     .node = nodes::name_or_address,
     .ring =
         RingRules{.label = labels::colon, .labels = counts::fixed, .points = 128, .lookup = Lookup::after_or_last}},
    {.name = "sentry-rb",
     .about = "getsentry rb with its ketama router",
     .labels_are = "the repr of the HostInfo",
     .hashes = kMd5Le32,
     .node = nodes::sentry_host_info,
     .weights = true,
     .ring = RingRules{.point_hash = hashes::md5,
                       .four_points = true,
                       .label = labels::dash_salt,
                       .labels = counts::integer_share,
                       .points = 40,
                       .lookup = Lookup::after,
                       .collisions = Collisions::undefined}},
    {.name = "sentry-rb-partition",
     .about = "getsentry rb with its partition router: signed crc32 modulo",
     .labels_are = kPosition,
     .hashes = kCrc32,
     .node = nodes::name_or_address,
     .positional = true,
     .buckets = BucketRules{.bucket = buckets::signed_floor_modulo}},

    {.name = "npm-hashring",
     .about = "npm hashring",
     .labels_are = kAddress,
     .hashes = kDigestLeHashes,
     .node = nodes::name_or_address,
     .weights = true,
     .ring = RingRules{.four_points = true,
                       .label = labels::dash,
                       .labels = counts::share_times_points,
                       .points = 40,
                       .points_option = true,
                       .collisions = Collisions::first_added}},
    {.name = "npm-consistent-hashing",
     .about = "npm consistent-hashing",
     .labels_are = kAddress,
     .hashes = kCryptoDigestHashes,
     .node = nodes::name_or_address,
     .ring =
         RingRules{
             .label = labels::colon, .labels = counts::fixed, .points_option = true, .lookup = Lookup::at_or_before}},

    {.name = "dalli",
     .about = "Dalli, the Ruby memcached client's ring",
     .labels_are = kAddress,
     .hashes = kCrc32,
     .node = nodes::address,
     .weights = true,
     .ring = RingRules{.point_hash = hashes::sha1_be32,
                       .label = labels::colon,
                       .labels = counts::dalli,
                       .lookup = Lookup::at_or_before,
                       .collisions = Collisions::undefined}},
    {.name = "libmemcached-weighted",
     .about = "libmemcached KETAMA_WEIGHTED",
     .labels_are = "host:port, :11211 left out",
     .hashes = kTwemproxyHashes,
     .default_hash = "md5",
     .node = nodes::libmemcached,
     .weights = true,
     .ring = libmemcached_weighted()},
    {.name = "libmemcached-spy",
     .about = "libmemcached KETAMA_SPY: the labels of spymemcached",
     .labels_are = "/host:port",
     .hashes = kTwemproxyHashes,
     .default_hash = "md5",
     .node = nodes::libmemcached_spy,
     .ring = libmemcached_plain()},
    {.name = "libmemcached-consistent",
     .about = "libmemcached CONSISTENT or KETAMA without weights",
     .labels_are = "host:port, :11211 left out",
     .hashes = kTwemproxyHashes,
     .default_hash = "one_at_a_time",
     .node = nodes::libmemcached,
     .ring = libmemcached_plain()},

    {.name = "stathat",
     .about = "Go stathat/consistent",
     .labels_are = kName,
     .hashes = kStathatHashes,
     .node = nodes::name_or_address,
     .ring = RingRules{.label = labels::number_first,
                       .labels = counts::fixed,
                       .points = 20,
                       .points_option = true,
                       .lookup = Lookup::after}},
    {.name = "groupcache",
     .about = "Go groupcache consistenthash; points is the application's choice",
     .labels_are = kName,
     .hashes = kCrc32,
     .node = nodes::name_or_address,
     .ring = RingRules{.label = labels::number_first,
                       .labels = counts::fixed,
                       .points = 50,
                       .points_option = true,
                       .collisions = Collisions::undefined}},
    {.name = "serialx",
     .about = "Go serialx/hashring",
     .labels_are = kName,
     .hashes = kMd5Pair,
     .node = nodes::name_or_address,
     .weights = true,
     .ring = RingRules{.label = labels::dash,
                       .labels = counts::weight_only,
                       .lookup = Lookup::after,
                       .order = Order::signed_64_pair,
                       .collisions = Collisions::undefined}},
    {.name = "jump",
     .about = "jump consistent hash of a 64-bit hash of the key",
     .labels_are = kPosition,
     .hashes = kJumpHashes,
     .node = nodes::name_or_address,
     .positional = true,
     .buckets = BucketRules{.bucket = buckets::jump}},

    {.name = "envoy-ring-hash",
     .about = "Envoy redis_proxy, ring_hash; hash is its hash_function",
     .labels_are = kAddress,
     .hashes = kEnvoyHashes,
     .node = nodes::address,
     .weights = true,
     .ring = RingRules{.label = labels::underscore, .collisions = Collisions::undefined, .running_sum = true}},
    {.name = "envoy-maglev",
     .about = "Envoy redis_proxy, maglev",
     .labels_are = kAddress,
     .hashes = kEnvoyMaglev,
     .node = nodes::address,
     .weights = true,
     .buckets = BucketRules{.bucket = buckets::modulo, .maglev = true}},
};

}  // namespace

std::span<const Preset> presets() { return kTable; }

const Preset* find_preset(std::string_view name) {
    const auto found =
        std::find_if(std::begin(kTable), std::end(kTable), [&](const Preset& preset) { return preset.name == name; });
    return found == std::end(kTable) ? nullptr : found;
}

}  // namespace ratectl::sharding
