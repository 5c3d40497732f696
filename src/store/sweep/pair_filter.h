// Which halves of windows a sweep has seen without their other half, in bounded memory: one that was seen need not be
// asked for.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "support/hash_set.h"

namespace ratectl::store {

/// Remembers 64 bits a window, at most 8 MiB; what comes when it is full is not remembered, and costs a question later.
class PairFilter {
public:
    /// True when the other half was seen before (it is forgotten then); else this half is remembered. The same half
    /// seen again counts as the other one, which is right for a caller that has asked for the other half of the first.
    bool pairs(std::string_view window) {
        const auto hash = std::hash<std::string_view>{}(window);
        if (alone_.erase(hash)) return true;
        alone_.insert(hash);
        return false;
    }

private:
    static constexpr std::size_t kFirstSlots = 1024;
    static constexpr std::size_t kMostSlots = std::size_t{1} << 20U;

    support::HashSet alone_{kFirstSlots, kMostSlots};
};

}  // namespace ratectl::store
