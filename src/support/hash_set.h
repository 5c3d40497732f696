// A set of 64-bit hashes instead of what they are hashes of, so that millions of keys stay small.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace ratectl::support {

/// Open addressing, at most three quarters full: 11 to 22 bytes a hash. Slots are powers of two. The hashes' lowest
/// bits must be evenly spread.
class HashSet {
public:
    explicit HashSet(std::size_t first_slots = 1024, std::size_t most_slots = std::numeric_limits<std::size_t>::max())
        : slots_(first_slots < most_slots ? first_slots : most_slots), most_slots_(most_slots) {}

    std::size_t size() const { return size_; }
    bool contains(std::uint64_t hash) const { return slots_[slot_of(stored(hash))] != kFree; }
    /// Another hash would need more than the most slots; an insert that would add it does not happen.
    bool is_full() const { return is_crowded() && slots_.size() * 2 > most_slots_; }
    /// True when it was not there; false, too, when it has no room.
    bool insert(std::uint64_t hash) {
        hash = stored(hash);
        std::size_t at = slot_of(hash);
        if (slots_[at] != kFree) return false;
        if (is_crowded()) {
            if (is_full()) return false;
            rebuild(slots_.size() * 2, [](std::uint64_t) { return true; });
            at = slot_of(hash);
        }
        slots_[at] = hash;
        ++size_;
        return true;
    }
    /// True when it was there.
    bool erase(std::uint64_t hash) {
        const std::size_t at = slot_of(stored(hash));
        if (slots_[at] == kFree) return false;
        close_gap(at);
        --size_;
        return true;
    }
    /// Keeps the hashes of which `wanted(hash)` holds.
    template <class Wanted>
    void keep(const Wanted& wanted) {
        rebuild(slots_.size(), wanted);
    }
    /// Its memory stays.
    void clear() {
        slots_.assign(slots_.size(), kFree);
        size_ = 0;
    }
    /// Fetches the memory that a question about the hash will need.
    void fetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[home(stored(hash))], 1); }

private:
    static constexpr std::uint64_t kFree = 0;

    static std::uint64_t stored(std::uint64_t hash) { return hash == kFree ? 1 : hash; }
    bool is_crowded() const { return (size_ + 1) * 4 > slots_.size() * 3; }
    std::size_t home(std::uint64_t hash) const { return hash & (slots_.size() - 1); }
    std::size_t next(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }
    /// Where the hash is, or where it goes.
    std::size_t slot_of(std::uint64_t hash) const {
        std::size_t at = home(hash);
        while (slots_[at] != kFree && slots_[at] != hash) at = next(at);
        return at;
    }
    template <class Wanted>
    void rebuild(std::size_t slots, const Wanted& wanted) {
        const auto former = std::exchange(slots_, std::vector<std::uint64_t>(slots));
        size_ = 0;
        for (const std::uint64_t hash : former) {
            if (hash == kFree || !wanted(hash)) continue;
            slots_[slot_of(hash)] = hash;
            ++size_;
        }
    }
    /// Moves up whatever stands behind and could not be found past the gap.
    void close_gap(std::size_t gap) {
        for (std::size_t at = next(gap); slots_[at] != kFree; at = next(at)) {
            const std::size_t from_home = (at - home(slots_[at])) & (slots_.size() - 1);
            const std::size_t from_gap = (at - gap) & (slots_.size() - 1);
            if (from_home < from_gap) continue;
            slots_[gap] = slots_[at];
            gap = at;
        }
        slots_[gap] = kFree;
    }

    std::vector<std::uint64_t> slots_;
    std::size_t most_slots_;
    std::size_t size_ = 0;
};

}  // namespace ratectl::support
