// Which keys have come already: 64 keyed bits a key instead of the key, so that millions of them stay small.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "support/hash_set.h"

namespace ratectl::commands {

/// SipHash-2-4 under a secret of this run, so that no client can choose keys that hide each other.
class KeyHash {
public:
    /// The secret: anything that cannot be foreseen, such as a fresh operation id.
    explicit KeyHash(std::string_view secret);
    std::uint64_t operator()(std::size_t shard, std::string_view key) const;

private:
    std::array<std::uint64_t, 2> secret_;
};

/// A set of keys that only knows their hashes. Costs 11 to 22 bytes a key: at most 18 MB for a million keys. Two keys
/// among a million are taken for one in one of 37 million runs.
class SeenKeys {
public:
    explicit SeenKeys(std::string_view secret);
    /// True the first time.
    bool add(std::size_t shard, std::string_view key);
    bool contains(std::size_t shard, std::string_view key) const;
    std::uint64_t size() const { return size_; }

private:
    static std::size_t part_of(std::uint64_t hash);

    KeyHash hash_;
    /// By the hash's highest bits: each grows by itself, so that growing costs little on top.
    std::vector<support::HashSet> parts_;
    std::uint64_t size_ = 0;
};

}  // namespace ratectl::commands
