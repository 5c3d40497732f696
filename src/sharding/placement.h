// Hash -> server: the three ways there are, behind one interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sharding/preset.h"

namespace ratectl::sharding {

/// A server as the distribution sees it: its place in the configuration, its label, its weight.
struct Member {
    std::size_t server = 0;
    std::string label;
    unsigned weight = 1;
    std::vector<SlotRange> slots = {};
};

/// A point of a ring and whose it is.
struct NamedPoint {
    HashValue at;
    std::string label;
    std::size_t server = 0;
};

/// What was hit, for explaining.
struct Hit {
    std::size_t server = 0;
    std::optional<HashValue> point;     // rings
    std::optional<std::string> label;   // rings: the label of that point; rendezvous: of the server
    std::optional<std::size_t> bucket;  // bucket tables
    std::optional<std::size_t> bucket_count;
    std::optional<std::size_t> runner_up;  // the server that would have the key without the one hit
    std::optional<NamedPoint> before;      // rings: the points around the one hit
    std::optional<NamedPoint> after;
};

class Placement {
public:
    virtual ~Placement() = default;
    virtual std::size_t find(const HashValue& hash) const = 0;
    virtual Hit explain(const HashValue& hash) const = 0;
    virtual std::vector<Collision> collisions() const { return {}; }
    virtual std::vector<std::size_t> points_per_server() const { return {}; }
};

/// What the configuration may change about a ring.
struct RingOptions {
    HashFunction point_hash = nullptr;
    std::uint32_t points = 160;
    std::size_t points_per_label = 4;            // of four
    std::optional<std::uint32_t> smallest = {};  // Envoy: minimum_ring_size
};

/// Members are in the order the library adds them.
std::unique_ptr<Placement> make_ring(const RingRules& rules, const RingOptions& options, std::vector<Member> members);
/// `size` is that of a maglev table; unset: the library's own.
std::unique_ptr<Placement> make_buckets(const BucketRules& rules, const std::vector<Member>& members,
                                        std::optional<std::uint32_t> size);
std::unique_ptr<Placement> make_rendezvous(const RendezvousRules& rules, const std::vector<Member>& members);

}  // namespace ratectl::sharding
