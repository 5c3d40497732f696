// Which keys have come already: 64 keyed bits a key instead of the key, so that millions of them stay small.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ratectl::commands {

/// A set of keys that only knows their hashes (SipHash-2-4 under a secret of this run, so that nobody can choose keys that hide each other).
/// Costs 11 to 22 bytes a key, and half as much again while it grows: at most 25 MB for a million keys. Two keys among a million are taken
/// for one in one of 37 million runs.
class SeenKeys {
public:
    /// The secret: anything that nobody can foresee, such as a fresh operation id.
    explicit SeenKeys(std::string_view secret);
    /// True the first time.
    bool add(std::size_t shard, std::string_view key);
    std::uint64_t size() const { return size_; }

private:
    std::uint64_t hash(std::size_t shard, std::string_view key) const;
    bool place(std::uint64_t hash);
    void grow();

    std::uint64_t secret_[2];
    std::vector<std::uint64_t> slots_;  // 0: free
    std::uint64_t size_ = 0;
};

}  // namespace ratectl::commands
