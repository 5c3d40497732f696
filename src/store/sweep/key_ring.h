// Remembers the keys that a sweep has shown recently, by hash, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ratectl::store {

/// Two generations of hashes: at least the last `remembered` keys are known, at most twice as many, in at most 32 bytes for each of
/// `remembered`. SCAN repeats a key only inside the group of buckets that it is visiting when the table shrinks, and visits such a group in
/// one go: 1/16 of a table's buckets is usual, 1/8,192 is remembered.
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
    /// Open addressing, a power of two, at most half full.
    class Generation {
    public:
        Generation();
        /// Where the hash is, or where it goes.
        std::size_t place_of(std::uint64_t hash) const;
        bool is_free(std::size_t place) const { return places_[place] == 0; }
        void put(std::size_t place, std::uint64_t hash);
        void fetch(std::uint64_t hash) const { __builtin_prefetch(&places_[home(hash)], 1); }
        std::size_t size() const { return size_; }
        void forget();

    private:
        std::size_t home(std::uint64_t hash) const { return (hash >> 1U) & (places_.size() - 1); }

        std::vector<std::uint64_t> places_;  // 0: free
        std::size_t size_ = 0;
    };

    std::size_t remembered_;
    Generation newer_;
    Generation older_;
};

}  // namespace ratectl::store
