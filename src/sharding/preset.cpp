// The table of presets as one list, and its rows of rings that came from elsewhere, of Envoy, and of slot tables.
#include "sharding/preset.h"

#include <algorithm>
#include <vector>

#include "sharding/bucket_rules.h"
#include "sharding/preset_rows.h"

namespace ratectl::sharding {

namespace {

constexpr Preset kOtherRows[] = {
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
                       .points_per_label_option = true,
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
     .hashes = kLibmemcachedHashes,
     .default_hash = "md5",
     .node = nodes::libmemcached,
     .weights = true,
     .ring = libmemcached_weighted()},
    {.name = "libmemcached-modula",
     .about = "libmemcached MODULA without weights",
     .labels_are = kPosition,
     .hashes = kLibmemcachedHashes,
     .default_hash = "one_at_a_time",
     .node = nodes::libmemcached,
     .positional = true,
     .buckets = BucketRules{.bucket = buckets::modulo}},
    {.name = "libmemcached-spy",
     .about = "libmemcached KETAMA_SPY: the labels of spymemcached",
     .labels_are = "/host:port",
     .hashes = kLibmemcachedHashes,
     .default_hash = "md5",
     .node = nodes::libmemcached_spy,
     .ring = libmemcached_plain()},
    {.name = "libmemcached-consistent",
     .about = "libmemcached CONSISTENT or KETAMA without weights",
     .labels_are = "host:port, :11211 left out",
     .hashes = kLibmemcachedHashes,
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
     .about = "Envoy redis_proxy, ring_hash; point_hash is its hash_function, table_size its minimum_ring_size",
     .labels_are = kAddress,
     .hashes = kEnvoyKeys,
     .node = nodes::address,
     .weights = true,
     .ring = RingRules{.point_hash = hashes::xxh64,
                       .label = labels::underscore,
                       .collisions = Collisions::undefined,
                       .running_sum = true,
                       .point_hashes = kEnvoyPointHashes}},
    {.name = "envoy-maglev",
     .about = "Envoy redis_proxy, maglev",
     .labels_are = kAddress,
     .hashes = kEnvoyKeys,
     .node = nodes::address,
     .weights = true,
     .buckets = BucketRules{.bucket = buckets::modulo, .maglev = true}},

    {.name = "redis-cluster",
     .about = "the slots of Redis Cluster, with a fixed owner each",
     .labels_are = "the slots it has: slots = [\"0-5460\"]; with none named, even ranges in the order of the list",
     .hashes = kCrc16,
     .tag = KeyTag::Rule::redis,
     .node = nodes::name_or_address,
     .positional = true,
     .buckets = BucketRules{.bucket = buckets::modulo, .slots = 16384}},
    {.name = "codis",
     .about = "Codis, with a fixed group for each slot",
     .labels_are = "the slots it has: slots = [\"0-511\"]; with none named, even ranges in the order of the list",
     .hashes = kCrc32,
     .tag = KeyTag::Rule::codis,
     .node = nodes::name_or_address,
     .positional = true,
     .buckets = BucketRules{.bucket = buckets::modulo, .slots = 1024}},
};

}  // namespace

std::span<const Preset> presets() {
    static const std::vector<Preset> all = [] {
        std::vector<Preset> rows;
        for (const auto part : {redis_presets(), std::span<const Preset>(kOtherRows)})
            rows.insert(rows.end(), part.begin(), part.end());
        return rows;
    }();
    return all;
}

const Preset* find_preset(std::string_view name) {
    const auto all = presets();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Preset& preset) { return preset.name == name; });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace ratectl::sharding
