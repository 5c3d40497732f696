// Which halves of windows a sweep has seen without their other half, in bounded memory: one that was seen need not be asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace ratectl::store {

/// Remembers 64 bits a window, at most 8 MiB; what comes when it is full is not remembered, and costs a question later.
class PairFilter {
public:
    /// True when the other half was seen before (it is forgotten then); else this half is remembered. The same half seen again counts as the
    /// other one, which is right for a caller that has asked for the other half of the first.
    bool pairs(std::string_view window) {
        const std::uint64_t hash = std::hash<std::string_view>{}(window) | 1U;
        std::size_t at = place(hash);
        if (slots_[at] == hash) {
            forget(at);
            return true;
        }
        if ((used_ + 1) * 4 > slots_.size() * 3) {
            if (slots_.size() == kMostSlots) return false;
            grow();
            at = place(hash);
        }
        slots_[at] = hash;
        ++used_;
        return false;
    }

private:
    static constexpr std::size_t kMostSlots = std::size_t{1} << 20U;

    std::size_t home(std::uint64_t hash) const { return (hash >> 20U) & (slots_.size() - 1); }
    std::size_t next(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }

    std::size_t place(std::uint64_t hash) const {
        std::size_t at = home(hash);
        while (slots_[at] != 0 && slots_[at] != hash) at = next(at);
        return at;
    }

    void grow() {
        std::vector<std::uint64_t> old(slots_.size() * 2);
        old.swap(slots_);
        for (const std::uint64_t hash : old) {
            if (hash != 0) slots_[place(hash)] = hash;
        }
    }

    /// Moves up whatever stands behind and could not be found past the gap.
    void forget(std::size_t gap) {
        for (std::size_t at = next(gap); slots_[at] != 0; at = next(at)) {
            const std::size_t from_home = (at - home(slots_[at])) & (slots_.size() - 1);
            const std::size_t from_gap = (at - gap) & (slots_.size() - 1);
            if (from_home < from_gap) continue;
            slots_[gap] = slots_[at];
            gap = at;
        }
        slots_[gap] = 0;
        --used_;
    }

    std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(1024);  // 0: free
    std::size_t used_ = 0;
};

}  // namespace ratectl::store
