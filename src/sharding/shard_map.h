// Key -> shard, as the application's client library computes it: one engine for every ring, and the distributions that
// are not rings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/error.h"

namespace ratectl::sharding {

/// Slots first..last of a slot table.
struct SlotRange {
    std::uint32_t first = 0;
    std::uint32_t last = 0;

    bool operator==(const SlotRange&) const = default;
};

/// One server in configuration order. Which of these facts become ring labels is the preset's business.
struct Server {
    std::optional<std::string> name;   // as configured; null when the configuration gave none
    std::optional<std::string> label;  // the ring label itself, overriding every rule
    std::string host;
    std::uint16_t port = 6379;
    std::string path;  // a unix socket instead of host and port
    int db = 0;
    bool tls = false;
    unsigned weight = 1;
    std::vector<SlotRange> slots =
        {};  // slot tables: which are its; none on any server: even ranges in the order of the servers
};

/// The order in which a library sees its servers.
enum class ServerOrder {
    configured,
    sorted,  // by the bytes of what identifies them, as people sort a list before they hand it over
    length,  // by its length first, then its bytes: twemproxy
};

/// What the configuration says; unset means: as the preset has it.
struct Options {
    std::string preset;                     // `modulo`, `twemproxy-ketama`, `redis-rb-5`, ...; see presets()
    std::optional<std::string> hash;        // key hash by name: `crc32`, `fnv1a_64`, `md5`, ...
    std::optional<std::string> point_hash;  // the hash of ring points, where it is not bound to the key's
    std::optional<std::string> key_tag;  // two characters as twemproxy's hash_tag (`{}`), or a rule's name, or `none`
    std::optional<std::string>
        strip_prefix;  // left out before anything is hashed: a prefix that the library adds after
    std::optional<ServerOrder> order;
    std::optional<std::uint32_t> points;            // labels per server, where the library lets the application choose
    std::optional<std::uint32_t> points_per_label;  // 1 to 4 points from one digest, likewise
    std::optional<std::uint32_t> table_size;        // Envoy: minimum_ring_size, maglev's table_size
    /// twemproxy, libmemcached: plain char is signed (x86-64, the default) or not (ARM).
    std::optional<bool> signed_chars;

    bool operator==(const Options&) const = default;
};

/// A point of the ring beside the one that was hit.
struct Neighbour {
    std::string point_text;  // as Steps::point_text
    std::string label;       // raw bytes
    std::size_t shard = 0;
};

/// How one key found its shard; hashed and point_label are raw bytes.
struct Steps {
    std::string hashed;  // the key or the tag in it
    bool tag_found = false;
    bool prefix_stripped = false;
    std::string hash_name;
    std::uint64_t hash = 0;  // its leading 64 bits
    std::string hash_text;   // the whole of it: decimal (signed where the ring is) up to 64 bits, else hexadecimal
    std::optional<std::uint64_t> point;       // rings: the point hit
    std::optional<std::string> point_text;    // as hash_text
    std::optional<std::string> point_label;   // rings: the label it came from
    std::optional<std::size_t> bucket;        // bucket tables (modulo and its kin): which of
    std::optional<std::size_t> bucket_count;  //   how many
    std::optional<std::size_t> runner_up;     // rings, rendezvous: the shard that would have the key without this one
    std::optional<Neighbour> before;          // rings: the point below, around the end
    std::optional<Neighbour> after;           // rings: the point above, around the end
    std::optional<std::size_t> rival;         // another shard on the point hit: see Collision
    bool rival_decided = true;
    std::size_t shard = 0;
};

/// Two different servers on one ring point: where such a key lives depends on the library's sort.
struct Collision {
    std::uint64_t point = 0;
    std::string point_text;
    std::size_t first = 0;
    std::size_t second = 0;
    std::size_t owner = 0;  // whose the point is in this map
    bool decided = true;    // the library has a rule for it, and the map follows it
};

/// Immutable and cheap to ask: built once per deployment. One server: everything is on it.
class ShardMap {
public:
    /// Errors (configuration): unknown preset or hash (with a near name as hint), an option or weights that a preset
    /// has no notion of, duplicate labels, slots without a server or with two.
    static support::Result<ShardMap> make(const Options& options, std::span<const Server> servers);
    /// The errors of make(), without the work of building the map.
    static support::Result<void> check(const Options& options, std::span<const Server> servers);
    ~ShardMap();
    ShardMap(ShardMap&&) noexcept;
    ShardMap& operator=(ShardMap&&) noexcept;

    std::size_t shard_of(std::string_view key) const;
    Steps explain(std::string_view key) const;
    const std::vector<Collision>& collisions() const;
    /// Rings: points that each server owns; bucket tables: buckets; rendezvous: empty.
    std::vector<std::size_t> points_per_server() const;

private:
    class Distribution;
    explicit ShardMap(std::unique_ptr<Distribution> distribution);
    std::unique_ptr<Distribution> distribution_;
};

/// The preset names, in the order help shows them.
std::vector<std::string> preset_names();

}  // namespace ratectl::sharding
