// Computes quantiles of measured delays; ranks count from 1.
#include "domain/diagnosis/delays.h"

#include <algorithm>

namespace ratectl::domain {

std::chrono::microseconds percentile(std::span<const std::chrono::microseconds> sorted, int percent) {
    const std::size_t rank = (sorted.size() * static_cast<std::size_t>(percent) + 99) / 100;
    return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

}  // namespace ratectl::domain
