// Remembers the keys that a sweep has shown recently, by hash, in bounded memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include "support/hash_set.h"

namespace ratectl::store {

/// Two generations of hashes: when the newer one is full, it becomes the older one, and what that knew is forgotten. At
/// least the last `remembered` keys are known, at most twice as many, in at most 43 bytes for each of `remembered`.
/// SCAN repeats a key only inside the group of buckets that it is visiting when the table shrinks, and visits such a
/// group in one go: 1/16 of a table's buckets is usual, 1/8,192 is remembered.
class KeyRing {
public:
    explicit KeyRing(std::size_t remembered = 8'192) : remembered_(std::max<std::size_t>(remembered, 1)) {}

    /// True the first time, as far as it remembers.
    bool insert(std::string_view key) { return insert(prepare(key)); }
    /// The same in two steps: of many keys, all are prepared before the first is inserted, so that memory is fetched
    /// for all of them at once.
    std::uint64_t prepare(std::string_view key) const {
        const std::uint64_t hash = std::hash<std::string_view>{}(key);
        newer_.fetch(hash);
        older_.fetch(hash);
        return hash;
    }
    bool insert(std::uint64_t hash) {
        if (older_.contains(hash)) return false;
        if (newer_.size() < remembered_) return newer_.insert(hash);
        if (newer_.contains(hash)) return false;
        std::swap(newer_, older_);
        newer_.clear();
        return newer_.insert(hash);
    }
    void clear() { *this = KeyRing(remembered_); }

private:
    std::size_t remembered_;
    support::HashSet newer_;
    support::HashSet older_;
};

}  // namespace ratectl::store
