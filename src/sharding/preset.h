// One row per sharding library: everything that decides where its keys live. The engine (ring, buckets, rendezvous)
// reads only this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sharding/hash_families.h"
#include "sharding/key_tag.h"
#include "sharding/shard_map.h"

namespace ratectl::sharding {

/// Which point of a ring a hash falls to.
enum class Lookup {
    at_or_after,    // first point >= hash, else the first
    after,          // first point > hash, else the first
    after_or_last,  // first point > hash, else the last
    at_or_before,   // last point <= hash, else the last
    last_probe,     // where Credis's binary search happens to stop
};

/// Whose a point is that two servers have.
enum class Collisions { last_added, first_added, undefined };

/// What a count rule may look at.
struct Share {
    unsigned weight = 1;
    std::uint64_t total_weight = 1;  // of all servers
    std::uint32_t servers = 1;
    std::uint32_t points = 160;  // the preset's number, or the option `points`
};

/// Ring presets.
struct RingRules {
    HashFunction point_hash = nullptr;  // null: the one that belongs to the key's hash
    bool four_points = false;           // a label makes four points: the hash's first four words, each little-endian
    /// A node's label and the number of the virtual node -> the label that is hashed, appended to `out`.
    void (*label)(std::string& out, std::string_view node, unsigned weight, std::uint32_t i) = nullptr;
    /// How many labels a server has.
    std::uint32_t (*labels)(const Share&) = nullptr;
    std::uint32_t points = 160;
    bool points_option = false;            // the library lets the application choose `points`
    bool points_per_label_option = false;  // and how many of a digest's four words make points
    Lookup lookup = Lookup::at_or_after;
    Order order = Order::natural;
    Collisions collisions = Collisions::last_added;
    /// Envoy spreads one running sum over all servers instead of counting each alone.
    bool running_sum = false;
    /// Hashes of points that the application may name; empty: none. Without a name it is `point_hash`.
    std::span<const NamedHash> point_hashes = {};
};

/// Presets that divide hashes among a table of buckets.
struct BucketRules {
    std::size_t (*bucket)(const HashValue& hash, std::size_t buckets) = nullptr;
    bool repeat_by_weight = false;  // a server has as many neighbouring buckets as its weight
    bool maglev = false;            // the table is Google's maglev permutation
    std::uint32_t slots = 0;        // the table has that many, shared out in ranges
};

/// The server with the highest score has the key.
struct RendezvousRules {
    HashFunction server_hash = nullptr;
    std::uint64_t (*score)(std::uint64_t key, std::uint64_t server) = nullptr;
};

struct Preset {
    std::string_view name;
    std::string_view about;              // the library and what must be said to it
    std::string_view labels_are;         // what identifies a server: for `sharding show`
    std::span<const NamedHash> hashes;   // the option `hash`; a single one: no option
    std::string_view default_hash = {};  // empty: the first of them
    KeyTag::Rule tag = KeyTag::Rule::none;
    /// What identifies a server, before Server::label overrides it; null when it has no such thing (a missing name).
    std::optional<std::string> (*node)(const Server& server, std::size_t index) = nullptr;
    bool weights = false;
    ServerOrder order = ServerOrder::configured;
    bool positional = false;             // only the place in the list counts: two servers may look alike
    bool empty_key_is_zero = false;      // hash("") is 0
    std::optional<RingRules> ring = {};  // exactly one of these three
    std::optional<BucketRules> buckets = {};
    std::optional<RendezvousRules> rendezvous = {};
};

/// Every preset, in the order help shows them.
std::span<const Preset> presets();
const Preset* find_preset(std::string_view name);

}  // namespace ratectl::sharding
