// Remembers the keys that a sweep has shown lately, by hash, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ratectl::store {

/// Two generations of hashes: at least the last `remembered` keys are known, at most twice as many, in at most a quarter of a MB. SCAN repeats a key only
/// inside the group of buckets that it is visiting when the table shrinks, and visits such a group in one go: 1/16 of a table's buckets is
/// usual, 1/8,192 is remembered.
class KeyRing {
public:
    explicit KeyRing(std::size_t remembered = 8'192);

    /// True the first time, as far as it remembers.
    bool insert(std::string_view key) { return insert(prepare(key)); }
    /// The same in two steps: of many keys, all are prepared before the first is inserted, so that memory is fetched for all of them at once.
    std::uint64_t prepare(std::string_view key) const;
    bool insert(std::uint64_t hash);
    void clear();

private:
    // Open addressing, a power of two, at most half full; 0 marks an empty place.
    struct Table {
        std::vector<std::uint64_t> places;
        std::size_t used = 0;

        bool contains(std::uint64_t hash) const;
        void fetch(std::uint64_t hash) const;
        void insert(std::uint64_t hash);
        void grow();
    };

    std::size_t remembered_;
    Table newer_;
    Table older_;
};

}  // namespace ratectl::store
